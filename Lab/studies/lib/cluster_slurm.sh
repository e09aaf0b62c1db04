# shellcheck shell=sh
# Runs the counts profile in four parts on a real Slurm, in the namespaces of scripts/lab cluster-trial: one
# controller, two nodes, munge. Everything is in one directory and ends with the namespace.
#
#   sh cluster_slurm.sh DOCS WORK DIR      DIR/whole is the merged run
set -eu
docs=$1 work=$2/slurm-daemons directory=$3
# shellcheck source-path=SCRIPTDIR source=cluster_part.sh
. "$(dirname -- "$0")/cluster_part.sh"

# The C library resolves no address at all, not even 127.0.0.1, if the loopback is the only interface.
ip link set lo up
ip link add trial0 type veth peer name trial1
ip address add 192.0.2.1/24 dev trial0
ip link set trial0 up
ip link set trial1 up

mkdir -p "$work/state" "$work/munge" "$work/log"
mungekey --create --bits=1024 --keyfile="$work/munge/key"
chmod 400 "$work/munge/key"
munged --socket="$work/munge/socket" --key-file="$work/munge/key" --pid-file="$work/munge/pid" \
  --log-file="$work/munge/log" --seed-file="$work/munge/seed"
host=$(hostname)
cat >"$work/slurm.conf" <<END
ClusterName=trial
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=17000
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
SchedulerParameters=sched_interval=2,batch_sched_delay=0,sched_min_interval=500000
ReturnToService=2
KillWait=5
SlurmdParameters=config_overrides
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool-%n
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd-%n.pid
SlurmctldLogFile=$work/log/slurmctld
SlurmdLogFile=$work/log/slurmd-%n
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=17001 CPUs=1
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=17002 CPUs=1
PartitionName=trial Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
# Slurm 22.05 starts only with a plugin for cgroups, although this configuration does not use them. The plugin of
# version 1 does not need any to be mounted.
echo 'CgroupPlugin=cgroup/v1' >"$work/cgroup.conf"
export SLURM_CONF="$work/slurm.conf"
slurmctld
slurmd -N n1
slurmd -N n2
both_idle() { [ "$(sinfo --noheader --Node --format=%t | grep -c '^idle$')" -eq 2 ]; }
until_true 60 both_idle || {
  tail -n 20 "$work"/log/* || true
  complain "the nodes did not become idle within a minute"
}

# Whether a job has left the queue.
is_over() { [ -z "$(squeue --noheader --jobs="$1" 2>/dev/null)" ]; }
submit() { "$docs/slurm.sh" 4 "$directory" --profile counts; }

jobs=$(submit)
parts=$(echo "$jobs" | sed -n 's/^parts //p')
merge=$(echo "$jobs" | sed -n 's/^merge //p')
until_true 120 has_trials "$directory/part-2/trials.jsonl" 10 || {
  tail -n 20 "$directory"/log/* "$work"/log/* || true
  complain "part 2 did not get to its middle"
}
scancel --full --signal=KILL "${parts}_2"
until_true 30 is_over "${parts}_2" || complain "part 2 was not killed"
cp "$directory/part-2/trials.jsonl" "$work/kept.all"
# The line that the kill truncated is left out.
head -n "$(wc -l <"$work/kept.all")" "$work/kept.all" >"$work/kept"
until_true 300 is_over "$parts" || complain "the other parts did not end"
until_true 60 is_over "$merge" || complain "the merge waits although a part was killed"
[ ! -e "$directory/whole" ] || complain "the parts were merged although one was killed"

merge=$(submit | sed -n 's/^merge //p')
until_true 300 is_over "$merge" || complain "the resumed parts were not merged"
[ -e "$directory/whole/summary.csv" ] || {
  tail -n 20 "$directory"/log/* || true
  complain "nothing was merged"
}
was_resumed "$directory/part-2" "$work/kept"
