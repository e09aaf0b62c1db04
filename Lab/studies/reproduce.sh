# shellcheck shell=sh disable=SC2154
# Looks in a run for what others have published.
#
# Does the suite find again what others have found? Runs the plan Lab/studies/lib/reproduce.yaml and looks for each shape:
# found or not, what was measured, who claimed it.
#
#   scripts/lab reproduce             about two minutes; the machine should have nothing else to do
#   scripts/lab reproduce --short     what counts alone can show, in seconds, on any machine
#   scripts/lab reproduce DIR         looks in a run that is there
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
  # One round has no intervals: only what was counted is then looked at, for which smaller stores do as well.
  [ $# -eq 0 ] || set -- --rounds 1 --trial-time 1ms --skip '*/100000/*' --skip '*/load-all/*' \
    --skip '*/value-size:*' --skip '*/mix:*'
  attend "$executable" run -q --plan "$root/Lab/studies/lib/reproduce.yaml" "$@" -o "$work/run" >&2
  directory=$work/run
  ;;
*) directory=$1 ;;
esac
status=0
"$root/.build/release/lab" reproduce "$directory" || status=$?
exit "$status"
