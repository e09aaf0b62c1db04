# shellcheck shell=sh disable=SC2154
# Runs contexts of the object graph on many threads under the thread sanitizer.
#
# Runs contexts of the object graph, each on a separate thread, under the thread sanitizer. They insert, change, delete
# and fetch the same objects and merge each other's saves, while two threads read at the same time, also in contexts
# that are pinned to one state of the store. In the end all must show the content of the store.
#
#   scripts/lab graph-stress [SECONDS [CONTEXTS]]     default: 10 2
#
# Exit code: 0 if all is well, 1 if something is lost or wrong, 66 if the sanitizer reports a race, 74 if it does not
# build.
need_libraries
need_swift
# A separate directory, so that sanitized builds are not mixed with others.
build=$root/.build/sanitized
attend swift build --package-path "$root" --scratch-path "$build" --sanitize=thread --product test-child >&2 </dev/null ||
  fail 74 "the build failed; the errors are above"
TSAN_OPTIONS="${TSAN_OPTIONS:+$TSAN_OPTIONS }exitcode=66" exec "$build/debug/test-child" graph-stress "$@"
