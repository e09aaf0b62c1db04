# shellcheck shell=sh disable=SC2154
# Shows the defects of other libraries in docs/upstream, or that they are gone.
#
# Compiles and runs the programs of docs/upstream, each of which shows a defect of another library. Prints one line for
# each: its name, then "still there", "gone" or "not tried", then its observation.
#
#   scripts/lab upstream             all, in less than a minute
#   scripts/lab upstream NAME...     some, by their names in docs/upstream
#
# Files are in a temporary directory. Exit code: 0 if every defect is still there or could not be tried, 1 if one is
# gone, whose document must then be changed, 64 for an unknown name, 69 if a compiler is missing, 74 if a program does
# not compile or fails.
sources=$root/docs/upstream
[ $# -gt 0 ] || for file in "$sources"/*.swift "$sources"/*.c; do
  file=${file##*/}
  set -- "$@" "${file%.*}"
done
for defect; do
  case $defect in -* | */*) fail 64 "'$defect' is no name of a program in docs/upstream" ;; esac
  [ -f "$sources/$defect.swift" ] || [ -f "$sources/$defect.c" ] ||
    fail 64 "docs/upstream has no program '$defect'; its README lists them"
done
for compiler in swiftc cc; do
  command -v "$compiler" >/dev/null 2>&1 || fail 69 "$compiler is missing; install it and put it on PATH"
done
make_work "${TMPDIR:-/tmp}"
export TMPDIR="$work"
# scripts/install engines puts libmdbx there.
engines=${STORAGE_BENCH_ENGINES:-${XDG_CACHE_HOME:-${HOME:-/}/.cache}/storage-bench/engines}
export LD_LIBRARY_PATH="$engines${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

status=0
for defect; do
  result=0
  if [ -f "$sources/$defect.swift" ]; then
    attend swiftc "$sources/$defect.swift" -o "$work/$defect" >"$work/log" 2>&1 || result=74
  else
    # The first line ends in the command with the libraries.
    libraries=$(sed -n "1s/.* cc $defect\.c//p" "$sources/$defect.c")
    # shellcheck disable=SC2086
    attend cc "$sources/$defect.c" $libraries -o "$work/$defect" >"$work/log" 2>&1 || result=2
  fi
  case $result in
  0) attend "$work/$defect" >"$work/out" 2>"$work/log" </dev/null || result=$? ;;
  2) echo 'not tried: its library is missing' >"$work/out" ;;
  esac
  case $result in
  0) state=gone status=1 ;;
  1) state='still there' ;;
  2) state='not tried' ;;
  *)
    cat -- "$work/log" >&2
    fail 74 "$defect does not compile, or ended with $result (see above)"
    ;;
  esac
  say '%-24s %-12s %s\n' "$defect" "$state" "$(sed -n 's/^observed: //p; s/^not tried: //p' "$work/out")"
done
[ "$status" -eq 0 ] || printf '%s: a defect is gone; change its document in docs/upstream\n' "$name" >&2
exit "$status"
