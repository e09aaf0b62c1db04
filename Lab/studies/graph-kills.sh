# shellcheck shell=sh disable=SC2154
# Kills a process in the middle of a save of 1,000 objects and looks at what is left.
#
# Kills a process in the middle of a save of 1,000 objects, at random moments and after statements, for every type of
# store that has a file; each time the store must hold all of the save or nothing of it.
#
#   scripts/lab graph-kills [TIMES]     how often for each of them; default: 100 (the tests by themselves do it 10 times)
#
# Exit code: as of scripts/test.
[ $# -le 1 ] || fail 64 "too many arguments; give one number"
case ${1-100} in
*[!0-9]* | '' | 0*) fail 64 "'$1' is no number of times" ;;
esac
OBJECT_GRAPH_KILLS=${1:-100} exec "$root/scripts/test" --filter SaveCrashTests
