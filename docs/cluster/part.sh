#!/bin/sh
# One part of a run, on the machine where this is called: begun, or continued where it was begun before. slurm.sh and
# parallel.sh start it; any other scheduler can.
#
#   docs/cluster/part.sh I/N DIR [RUN OPTIONS...]
#
# The part is kept in DIR/part-I. Called again, it does what is missing and nothing twice; the options must be the same.
# A failed cell is a result, which `merge` tells: here it counts as done.
#
#   BENCH     storage-bench; default: the release build of this checkout
#   SCRATCH   a directory on this machine's own disk, for the stores; default: /tmp
set -eu

case ${1:-} in
[1-9]*/[1-9]*) ;;
*) sed -n '2,11s/^# \{0,1\}//p' "$0" >&2 && exit 64 ;;
esac
[ $# -ge 2 ] || { echo "part.sh: give a part and a directory, such as: part.sh 2/4 /shared/monday" >&2 && exit 64; }
part=$1 directory=$2
shift 2
bench=${BENCH:-$(dirname -- "$(readlink -f -- "$0")")/../../.build/release/storage-bench}
[ -x "$bench" ] || { echo "part.sh: $bench is not there; run scripts/bench --version once, or set BENCH" >&2 && exit 69; }

own=$directory/part-${part%/*}
# One for each part: two parts may run on one machine, and so may two people.
scratch=${SCRATCH:-/tmp}/storage-bench-$(id -un)-$(printf %s "$own" | cksum | tr " " -)
# A plan in the directory means that the run has begun.
if [ -e "$own/plan.json" ]; then
  set -- --resume "$own"
else
  set -- "$@" --shard "$part" -o "$own" --scratch "$scratch"
fi
status=0
"$bench" run -q "$@" || status=$?
# Kept where the part was interrupted: its stores are used again.
rmdir -- "$scratch" 2>/dev/null || true
[ "$status" -ne 1 ] || status=0
exit "$status"
