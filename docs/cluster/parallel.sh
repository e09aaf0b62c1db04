#!/bin/sh
# A run in N parts on several machines, by GNU parallel over ssh, and merged on this one.
#
#   docs/cluster/parallel.sh N DIR HOST[,HOST...] [RUN OPTIONS...]
#   docs/cluster/parallel.sh 4 ~/monday alpha,beta --profile counts
#
# Each host needs storage-bench and part.sh at the same paths as here, rsync, and to be reached by ssh without a
# password; it keeps its parts in DIR, which may be on a shared file system or not. Part I is always run by the same of
# the hosts, one part at a time. They come back to DIR/part-1 to DIR/part-N and are merged into DIR/whole. Where a part
# was killed, call this again: what is done is not done again. PARALLEL_SSH names another ssh.
#
#   BENCH     storage-bench; default: the release build of this checkout
#   SCRATCH   a directory on each host's own disk, for the stores; default: /tmp
set -eu

fail() {
  echo "parallel.sh: $*" >&2
  exit 64
}
quoted() {
  for word; do printf " '%s'" "$(printf %s "$word" | sed "s/'/'\\\\''/g")"; done
}

case ${1:-} in
'' | *[!0-9]* | 0*) sed -n '2,15s/^# \{0,1\}//p' "$0" >&2 && exit 64 ;;
esac
[ $# -ge 3 ] || fail "give the number of parts, a directory and the hosts, such as: parallel.sh 4 ~/monday alpha,beta"
for tool in parallel rsync ssh; do
  command -v "$tool" >/dev/null 2>&1 || { echo "parallel.sh: $tool is missing; install it" >&2 && exit 69; }
done
parts=$1 hosts=$3
mkdir -p -- "$2" || fail "cannot write $2; name a directory that can be written"
directory=$(cd -- "$2" && pwd)
shift 3
[ ! -e "$directory/whole/plan.json" ] || fail "$directory/whole is merged already; remove it to merge again"
here=$(dirname -- "$(readlink -f -- "$0")")
bench=$(readlink -f -- "${BENCH:-$here/../../.build/release/storage-bench}")
[ -x "$bench" ] || { echo "parallel.sh: $bench is not there; run scripts/bench --version once" >&2 && exit 69; }

# Each host is a separate group, and each part names its group: `I@hostK`.
logins='' count=0
for host in $(printf %s "$hosts" | tr , ' '); do
  count=$((count + 1))
  logins="$logins${logins:+,}@host$count/$host"
done
[ "$count" -gt 0 ] || fail "'$hosts' names no host; give them with commas between, such as alpha,beta"

failed=0
for part in $(seq "$parts"); do echo "$part@host$(((part - 1) % count + 1))"; done |
  parallel --hostgroups --sshlogin "$logins" --jobs 1 --joblog "$directory/jobs.log" \
    --return "$directory/part-{}" \
    "env $(quoted "BENCH=$bench" "SCRATCH=${SCRATCH:-/tmp}" "$here/part.sh") {}/$parts $(quoted "$directory" "$@")" ||
  failed=1
[ "$failed" -eq 0 ] || {
  echo "parallel.sh: not all parts have ended well, see $directory/jobs.log; call it again to go on" >&2
  exit 3
}
set --
for part in $(seq "$parts"); do set -- "$@" "$directory/part-$part"; done
exec "$bench" merge "$@" -o "$directory/whole"
