# shellcheck shell=sh disable=SC2154
# Runs the long forms of the crash tests.
#
#   scripts/lab crashtest-long [DIR]               every fault but the power cut on the seven at each of their levels;
#                                              writes DIR/faults (results)
#   scripts/lab crashtest-long --power [DIR]       the power cut: 50 saves at each level, and every sequence of at most
#                                              three saves of two records, durable; writes DIR/power and DIR/sequences
#   scripts/lab crashtest-long --first-save [DIR]  every fault, also the power cut, from an empty directory on all
#                                              backends; and while a store is compacted, and gets an attribute;
#                                              writes DIR/first-save, DIR/compact and DIR/migrate
#
# On two processors the first takes half an hour at most, the second an hour, the third 15 minutes. scripts/lab damage
# has damaged files. Exit code: that of crashtest, 1 if a promise was broken; 74 if DIR cannot be written.
form=faults
case ${1:-} in
--power | --first-save) form=${1#--} && shift ;;
-*) fail 64 "unknown argument '$1'; give --power, --first-save, a directory, or nothing" ;;
esac
[ $# -le 1 ] || fail 64 "too many arguments; give --power or --first-save, a directory, or nothing"
faults=kill,enospc,eio,eintr,short-write,fsync
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

case $form in
faults) try faults --count 200 --fault "$faults" ;;
power)
  try power --fault power --count 50
  # Sequences are short, so all states after them are soon tried.
  try sequences --fault power --sequences 3 --durability durable \
    -b plist,archive,sqlite,sqlite-queue,object-graph,lmdb
  ;;
first-save)
  all=plist,archive,json,text,text:append=yes,defaults,sqlite,sqlite-queue,sqlite:journal=delete,object-graph,lmdb
  try first-save --first-save --fault "$faults,power" -b "$all,mdbx,files,leveldb"
  try compact --first-save --then compact --fault "$faults,power" \
    -b sqlite,sqlite:journal=wal,sqlite-queue,object-graph,lmdb,mdbx,leveldb
  try migrate --first-save --then migrate --fault "$faults,power" -b sqlite,sqlite:journal=wal,sqlite-queue
  ;;
esac
exit "$status"
