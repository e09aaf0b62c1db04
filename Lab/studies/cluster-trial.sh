# shellcheck shell=sh disable=SC2154
# Compares a run in four parts, by Slurm and by GNU parallel, with the same run on one machine.
#
# Tests whether a run in parts, on a real scheduler, equals the run on one machine. The counts profile runs here, and
# again in four parts by the scripts of docs/cluster: by Slurm (slurmctld, two slurmd, munge) and by GNU parallel over
# ssh to two hosts that share no disk. One part is killed in the middle and resumed, the parts are merged, and the rows
# are compared.
#
#   scripts/lab cluster-trial [slurm|parallel]...      default: both, about four minutes when everything is built
#
# Both run in separate namespaces: no daemon, interface, mount or process is left on the machine, and those of the
# machine are not touched. It is still one machine. The test shows that no figure is lost or changed, and says nothing
# about times.
# Exit code: 0 if the rows are the same, 1 if not, 3 if it cannot be judged here (not root, no namespaces).
[ $# -gt 0 ] || set -- slurm parallel
for engine; do
  case $engine in
  slurm | parallel) ;;
  *) fail 64 "'$engine' is no engine; give slurm or parallel" ;;
  esac
done
# The path is part of the configuration of Slurm and ssh.
case ${TMPDIR:-/tmp} in
*[!A-Za-z0-9/._-]*) fail 64 "TMPDIR has a character in its name that Slurm and ssh cannot take; set another" ;;
esac
[ "$(id -u)" -eq 0 ] || fail 3 "not judged: only root can make namespaces; run it as root"

inside="" policy=""
apart="unshare --net --uts --ipc --pid --fork --kill-child --mount --propagation unchanged --mount-proc"
# shellcheck disable=SC2317
leave() {
  [ -z "$policy" ] || rm -f -- "$policy"
  # If the root directory is not a mount point, mounts in the namespace may be visible outside, too.
  [ -z "$work" ] || umount "$work/mounts" 2>/dev/null
}
# The processes inside first get a TERM signal, so that storage-bench removes its stores. The namespace ends all
# others.
# shellcheck disable=SC2317
ask() {
  [ -n "$inside" ] || return 0
  first=$(cat "/proc/$inside/task/$inside/children" 2>/dev/null) || first=''
  for process in $first; do nsenter --target "$process" --pid sh -c 'kill -TERM -1; sleep 1' || true; done
  kill -KILL "$inside" 2>/dev/null || true
}
trap 'ask; clean_up' EXIT

need_libraries
# Debian starts daemons during installation unless this file forbids it. An existing file is not overwritten, and a
# link is not followed (-C).
if (set -C && printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d) 2>/dev/null; then
  policy=/usr/sbin/policy-rc.d
  chmod 755 "$policy"
fi
need util-linux=unshare iproute2=ip
for engine; do
  case $engine in
  slurm) need slurmctld=slurmctld slurmd=slurmd slurm-client=sbatch munge=munged ;;
  parallel) need parallel=parallel openssh-server=/usr/sbin/sshd openssh-client=ssh rsync=rsync ;;
  esac
done
[ -z "$policy" ] || rm -f -- "$policy"
policy=''
# shellcheck disable=SC2086
$apart ip link set lo up 2>/dev/null ||
  fail 3 "not judged: this machine lets nobody make namespaces; run it outside of a container that forbids them"
build_release

make_work "${TMPDIR:-/tmp}"
chmod 755 "$work"
mkdir "$work/mounts"
single=$work/single
say '%s: one machine\n' "$name"
attend "$executable" run --profile counts -q --scratch "$work/scratch" -o "$single" >"$work/single.out" 2>&1 || {
  cat -- "$work/single.out" >&2
  fail 1 "the run on one machine failed; see above"
}

failed=0
for engine; do
  say '%s: %s\n' "$name" "$engine"
  BENCH=$executable SCRATCH=$work/scratch $apart \
    sh "$root/Lab/studies/lib/cluster_$engine.sh" "$root/docs/cluster" "$work" "$work/$engine" </dev/null &
  inside=$!
  status=0
  wait "$inside" || status=$?
  inside=
  if [ "$status" -eq 0 ]; then
    # The number of allocations depends on the environment of the process: in a job of Slurm lmdb/config has 5 % more.
    "$executable" compare "$single" "$work/$engine/whole" --max-increase allocations=10 >"$work/compare.out" 2>&1 || {
      status=1
      cat -- "$work/compare.out"
    }
    awk -f "$root/Lab/studies/lib/same_rows.awk" "$single/summary.csv" "$work/$engine/whole/summary.csv" || status=1
  fi
  [ "$status" -eq 0 ] || { failed=1 && say '%s: %s: FAILED (%s)\n' "$name" "$engine" "$status"; }
done
exit "$failed"
