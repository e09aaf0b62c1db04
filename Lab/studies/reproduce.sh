# shellcheck shell=sh disable=SC2154
# Checks a run for published results.
#
# Tests whether the suite reproduces published results. It runs the plan Lab/studies/lib/reproduce.yaml and checks each
# shape: it prints the verdict, the measured figures and the author of the claim.
#
#   scripts/lab reproduce             about two minutes; the machine should be otherwise idle
#   scripts/lab reproduce --short     only the shapes that counts can show, in seconds, on any machine
#   scripts/lab reproduce DIR         checks an existing run
#
# Exit code: 0 if every shape that the run can show is found, 1 if one is not, 64 if the run can show none,
# 64 if DIR holds no run.
[ $# -le 1 ] || fail 64 "too many arguments; give --short, the directory of a run, or nothing"
case ${1-} in
--short) ;;
-*) fail 64 "unknown argument '$1'; give --short, the directory of a run, or nothing" ;;
*) [ $# -eq 0 ] || [ -f "$1/trials.jsonl" ] || fail 64 "'$1' holds no run; give the directory of one" ;;
esac
need_libraries
build_release
build_lab
case ${1:-} in
'' | --short)
  make_work "$root/.build"
  # One round has no intervals, so only counts are checked, for which smaller stores are enough.
  [ $# -eq 0 ] || set -- --rounds 1 --trial-time 1ms --skip '*/100000/*' --skip '*/load-all/*' \
    --skip '*/value-size:*' --skip '*/mix:*'
  attend "$executable" run -q --plan "$root/Lab/studies/lib/reproduce.yaml" "$@" -o "$work/run" >&2
  directory=$work/run
  ;;
*) directory=$1 ;;
esac
status=0
"$built/release/lab" reproduce "$directory" || status=$?
exit "$status"
