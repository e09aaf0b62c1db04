#!/bin/sh
# A run in N parts as a Slurm job array, and a job that merges them when all have ended well.
#
#   docs/cluster/slurm.sh N DIR [RUN OPTIONS...]
#   docs/cluster/slurm.sh 16 /shared/monday --profile counts
#
# DIR and BENCH must be the same files on all nodes. The parts are DIR/part-1 to DIR/part-N, the whole DIR/whole, the
# output of the jobs is in DIR/log. Prints the numbers of both jobs. A part that was killed is requeued by Slurm, or by
# calling this again: what is done is not done again. Options of sbatch are given by its own variables, such as
# SBATCH_PARTITION, SBATCH_TIMELIMIT, and for runs that time anything SBATCH_EXCLUSIVE=1.
#
#   BENCH     storage-bench; default: the release build of this checkout
#   SCRATCH   a directory on each node's own disk, for the stores; default: /tmp
set -eu

fail() {
  echo "slurm.sh: $*" >&2
  exit 64
}
quoted() {
  for word; do printf " '%s'" "$(printf %s "$word" | sed "s/'/'\\\\''/g")"; done
}

case ${1:-} in
'' | *[!0-9]* | 0*) sed -n '2,14s/^# \{0,1\}//p' "$0" >&2 && exit 64 ;;
esac
[ $# -ge 2 ] || fail "give the number of parts and a directory that all nodes have, such as: slurm.sh 16 /shared/monday"
command -v sbatch >/dev/null 2>&1 || { echo "slurm.sh: sbatch is missing; install Slurm's client" >&2 && exit 69; }
parts=$1
mkdir -p -- "$2/log" || fail "cannot write $2; name a directory that can be written"
directory=$(cd -- "$2" && pwd)
shift 2
[ ! -e "$directory/whole/plan.json" ] || fail "$directory/whole is merged already; remove it to merge again"
here=$(dirname -- "$(readlink -f -- "$0")")
bench=$(readlink -f -- "${BENCH:-$here/../../.build/release/storage-bench}")
[ -x "$bench" ] || { echo "slurm.sh: $bench is not there; run scripts/bench --version once" >&2 && exit 69; }

scratch=${SCRATCH:-/tmp}
array=$(sbatch --parsable --job-name=storage-bench --array="1-$parts" --requeue --open-mode=append \
  --output="$directory/log/%A_%a.txt" \
  --wrap="exec env $(quoted "BENCH=$bench" "SCRATCH=$scratch" "$here/part.sh") \"\$SLURM_ARRAY_TASK_ID/$parts\" $(quoted "$directory" "$@")")
# With several clusters sbatch adds the name of one.
array=${array%%;*}
directories=
for part in $(seq "$parts"); do directories="$directories $(quoted "$directory/part-$part")"; done
merge=$(sbatch --parsable --job-name=storage-bench-merge --dependency="afterok:$array" --kill-on-invalid-dep=yes \
  --output="$directory/log/%j-merge.txt" --wrap="exec $(quoted "$bench") merge $directories -o $(quoted "$directory/whole")")
echo "parts $array"
echo "merge ${merge%%;*}"
