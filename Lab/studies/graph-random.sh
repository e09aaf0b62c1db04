# shellcheck shell=sh disable=SC2154
# Runs random programs of the object graph beside a reference of its rules.
#
# Runs random programs of the object graph (edits, undo, saves with conflicts, merges in two contexts) beside a reference
# of the rules; both must agree after each step, and nothing may stay in memory.
#
#   scripts/lab graph-random [SEEDS]    how many programs; default: 5000 (the tests by themselves run 150)
#
# Exit code: as of scripts/test.
[ $# -le 1 ] || fail 64 "too many arguments; give one number"
case ${1-5000} in
*[!0-9]* | '' | 0*) fail 64 "'$1' is no number of programs" ;;
esac
OBJECT_GRAPH_SEEDS=${1:-5000} exec "$root/scripts/test" --filter RandomProgramTests
