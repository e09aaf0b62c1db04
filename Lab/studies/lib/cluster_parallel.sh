# shellcheck shell=sh
# Runs the counts profile in four parts by GNU parallel over ssh, in the namespaces of scripts/lab cluster-trial. There
# are two hosts, each with a network, a name and a separate disk for the results.
#
#   sh cluster_parallel.sh DOCS WORK DIR      DIR/whole is the merged run
set -eu
docs=$1 work=$2/hosts mounts=$2/mounts directory=$3
# shellcheck source-path=SCRIPTDIR source=cluster_part.sh
. "$(dirname -- "$0")/cluster_part.sh"

# Later mounts stay inside: in the whole tree if possible, otherwise (in a chroot) below a private mount.
mount --make-rprivate / 2>/dev/null || true
mount --bind "$mounts" "$mounts"
mount --make-private "$mounts"
mkdir -p "$work" "$mounts/results"
ip link set lo up
ssh-keygen -q -t ed25519 -N '' -f "$work/key"
mkdir -p /run/sshd

for host in 1 2; do
  mkdir "$work/disk-$host"
  # This process holds the namespaces of a host, and then of its sshd.
  unshare --net --uts --mount --propagation unchanged sleep infinity &
  holder=$!
  is_apart() { [ "$(readlink "/proc/$holder/ns/net")" != "$(readlink /proc/self/ns/net)" ]; }
  until_true 10 is_apart || complain "no namespaces for host $host"
  ip link add "to$host" type veth peer name eth0 netns "$holder"
  ip address add "198.51.100.$((host * 4 + 1))/30" dev "to$host"
  ip link set "to$host" up
  cat >"$work/sshd-$host.conf" <<END
Port 22
HostKey $work/key
AuthorizedKeysFile $work/key.pub
StrictModes no
UsePAM no
PermitRootLogin prohibit-password
PidFile $work/sshd-$host.pid
END
  # A process that enters a mount namespace starts at its root, which is a different one in a chroot: --root.
  # shellcheck disable=SC2016
  nsenter --target "$holder" --net --uts --mount --root --wd sh -c '
    set -eu
    ip link set lo up
    ip address add "$1" dev eth0
    ip link set eth0 up
    hostname "$2"
    mount --bind "$3" "$4"
    exec /usr/sbin/sshd -f "$5"' - \
    "198.51.100.$((host * 4 + 2))/30" "host$host" "$work/disk-$host" "$mounts/results" "$work/sshd-$host.conf"
  cat >>"$work/ssh.conf" <<END
Host host$host
  HostName 198.51.100.$((host * 4 + 2))
END
done
cat >>"$work/ssh.conf" <<END
Host *
  User root
  IdentityFile $work/key
  StrictHostKeyChecking no
  UserKnownHostsFile /dev/null
  LogLevel ERROR
END
export PARALLEL_SSH="ssh -F $work/ssh.conf"
# rsync, which copies the parts back, has a separate variable.
export RSYNC_RSH="$PARALLEL_SSH"
for host in host1 host2; do
  [ "$($PARALLEL_SSH "$host" hostname)" = "$host" ] || complain "$host is not reached by ssh"
done

submit() { "$docs/parallel.sh" 4 "$mounts/results" host1,host2 --profile counts; }
# Prints the process that runs a part, among all in this namespace.
runs_part() {
  for process in /proc/[0-9]*; do
    tr '\0' ' ' <"$process/cmdline" 2>/dev/null | grep -q "^[^ ]*storage-bench run .*part-$1 " || continue
    echo "${process#/proc/}"
    return 0
  done
  return 1
}

submit >"$work/first.out" 2>&1 &
first=$!
# Part 2 is on the disk of the second host, but not on this one yet.
part=$work/disk-2/part-2
until_true 120 has_trials "$part/trials.jsonl" 10 || {
  cat "$work/first.out"
  complain "part 2 did not get to its middle"
}
[ ! -e "$mounts/results/part-2" ] || complain "the hosts share a disk"
kill -KILL "$(runs_part 2)" || complain "part 2 was not running"
status=0
wait "$first" || status=$?
[ "$status" -eq 3 ] || {
  cat "$work/first.out"
  complain "with a killed part parallel.sh ended with $status, and not with 3"
}
[ ! -e "$mounts/results/whole" ] || complain "the parts were merged although one was killed"
head -n "$(wc -l <"$part/trials.jsonl")" "$part/trials.jsonl" >"$work/kept"

submit >"$work/second.out" 2>&1 || {
  cat "$work/second.out"
  complain "the second call failed"
}
was_resumed "$mounts/results/part-2" "$work/kept"
for part in 1 2 3 4; do
  [ -e "$work/disk-$((2 - part % 2))/part-$part/plan.json" ] || complain "part $part was not on its host"
done
mkdir -p "$directory"
cp -r "$mounts/results/." "$directory/"
