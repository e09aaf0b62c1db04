# shellcheck shell=sh disable=SC2154
# Gives the commands that read a run altered files, which must be refused in one sentence.
#
# Gives altered files to the commands that read a run: extreme numbers, wrong types, missing and repeated fields,
# truncated lines, odd bytes, hostile texts. No command may crash or hang, each must refuse in one sentence, and no
# text from a file may control the terminal or begin a workflow command of GitHub.
#
#   scripts/lab fuzz-run-files [COUNT [SEED [RUN...]]]     default: 300 files, seed 1, results/example
#
# The same seed alters the same files in the same way. A case that fails is printed with its number and is kept; `ONLY=N`
# in the environment runs that case alone, and BENCH names another executable than the release build's.
#
# Exit code: 0 if every command ended as it should, 1 if one did not, 64 if a RUN or BENCH does not exist, 69 if
# something must be installed.
for number in "${1-300}" "${2-1}" "${ONLY:-1}"; do
  case $number in
  *[!0-9]* | '' | 0) fail 64 "'$number' is no number; give a whole number from 1 on" ;;
  esac
done
position=0
for run; do
  position=$((position + 1))
  [ "$position" -le 2 ] || [ -f "$run/trials.jsonl" ] || fail 64 "'$run' holds no run; give the directory of one"
done
[ -z "${BENCH:-}" ] || { [ -f "$BENCH" ] && [ -x "$BENCH" ]; } || fail 64 "BENCH '$BENCH' cannot be run; name an executable"
need python3=python3
[ -n "${BENCH:-}" ] || {
  need_libraries
  build_release
  BENCH=$executable
}
exec python3 "$root/Lab/studies/lib/fuzz_run_files.py" "$root" "$BENCH" "$@"
