# shellcheck shell=sh disable=SC2154
# Measures the memory needed to read 100,000 objects of the object graph.
#
# Measures the memory needed to read 100,000 objects of the object graph: in batches whose objects are turned back into
# faults, and unbatched. Each way runs in a separate process. The figure is the anonymous memory above the start.
#
#   scripts/lab graph-memory
#
# Exit code: 0, or 1 if batches take more than 20 MB, 64 with arguments, 74 if it does not build.
[ $# -eq 0 ] || fail 64 'no arguments are taken'
need_libraries
need_swift
build_product test-child
exec "$built/release/test-child" graph-memory
