# shellcheck shell=sh disable=SC2154
# Compares random programs of the object graph with a reference implementation of its rules.
#
# Runs random programs of the object graph (edits, undo, saves with conflicts, merges in two contexts) beside a
# reference implementation of the rules. Both must agree after each step, and nothing may stay in memory.
#
#   scripts/lab graph-random [SEEDS]    number of programs; default: 5000 (scripts/test alone runs 150)
#
# Exit code: as of scripts/test.
[ $# -le 1 ] || fail 64 "too many arguments; give one number"
case ${1-5000} in
*[!0-9]* | '' | 0*) fail 64 "'$1' is no number of programs" ;;
esac
OBJECT_GRAPH_SEEDS=${1:-5000} exec "$root/scripts/test" --filter RandomProgramTests
