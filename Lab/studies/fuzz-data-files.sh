# shellcheck shell=sh disable=SC2154
# Gives `run --dataset` random files, which must be stored or refused in one sentence.
#
# Gives `run --dataset` files of random records: quotes, line breaks, encodings, numbers, dates and Unicode forms.
# Seven backends store the accepted files. No process may crash and no cell fail. A file must have the same exit code
# twice. A refused file must get one sentence that names a line and a column, or the format.
#
#   scripts/lab fuzz-data-files [COUNT [SEED]]     default: 1000 files, seed 1
#
# The same seed makes the same files. A file that fails is kept, and its path is printed; `ONLY=N` in the environment runs
# file N alone, and BENCH names another executable than the release build's.
#
# Exit code: 0 if every file ended as it should, 1 if one did not, 64 if an argument or BENCH cannot be used, 69 if
# something must be installed.
for number in "${1-1000}" "${2-1}" "${ONLY:-1}"; do
  case $number in
  *[!0-9]* | '' | 0) fail 64 "'$number' is no number; give a whole number from 1 on" ;;
  esac
done
[ $# -le 2 ] || fail 64 "'$3' is one argument too many; give COUNT and SEED"
[ -z "${BENCH:-}" ] || { [ -f "$BENCH" ] && [ -x "$BENCH" ]; } || fail 64 "BENCH '$BENCH' cannot be run; name an executable"
need python3=python3
[ -n "${BENCH:-}" ] || {
  need_libraries
  build_release
  BENCH=$executable
}
exec python3 "$root/Lab/studies/lib/fuzz_data_files.py" "$BENCH" "$@"
