# shellcheck shell=sh disable=SC2154
# Runs the long forms of the crash tests.
#
#   scripts/lab crashtest-long [DIR]            every fault but the power cut on the seven at each of their levels, and 3,000
#                                           damaged files of each format; writes DIR/faults and DIR/damage (results)
#   scripts/lab crashtest-long --power [DIR]    the power cut: 50 saves at each level, and every sequence of at most three
#                                           saves of two records, durable; writes DIR/power and DIR/sequences (results)
#
# On two processors the first takes half an hour at most, the second an hour at most. Exit code: that of crashtest, 1 if
# a promise was broken; 74 if DIR cannot be written.
faults=kill,enospc,eio,eintr,short-write,fsync
case ${1:-} in
--power) faults=power && shift ;;
-*) fail 64 "unknown argument '$1'; give --power, a directory, or nothing" ;;
esac
[ $# -le 1 ] || fail 64 "too many arguments; give --power, a directory, or nothing"
out=${1-$root/results}
check_name "$out"
check_writable "$out"
need_libraries
build_release
status=0

# try NAME ARGUMENT...: runs one crash test and updates the exit code.
try() {
  into=$1
  shift
  code=0
  attend "$executable" crashtest "$@" -o "$out/$into" || code=$?
  [ "$code" -le 1 ] || exit "$code"
  [ "$code" -eq 0 ] || status=$code
}

if [ "$faults" = power ]; then
  try power --fault power --count 50
  # Sequences are short, so all states after them are soon tried.
  try sequences --fault power --sequences 3 --durability durable \
    -b plist,archive,sqlite,sqlite-queue,object-graph,lmdb
else
  try faults --count 200 --fault "$faults"
  try damage --count 3000 --fault damage --durability shipped
fi
exit "$status"
