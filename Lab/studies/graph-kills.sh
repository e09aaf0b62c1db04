# shellcheck shell=sh disable=SC2154
# Kills a process in the middle of a save of 1,000 objects and checks the store.
#
# Kills a process in the middle of a save of 1,000 objects, at random moments and after statements, for every type of
# store with a file. The store must then hold either the whole save or nothing of it.
#
#   scripts/lab graph-kills [TIMES]     kills for each type; default: 100 (scripts/test alone makes 10)
#
# Exit code: as of scripts/test.
[ $# -le 1 ] || fail 64 "too many arguments; give one number"
case ${1-100} in
*[!0-9]* | '' | 0*) fail 64 "'$1' is no number of times" ;;
esac
OBJECT_GRAPH_KILLS=${1:-100} exec "$root/scripts/test" --filter SaveCrashTests
