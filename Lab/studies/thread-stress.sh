# shellcheck shell=sh disable=SC2154
# Runs the workloads of several threads on the backends under the thread sanitizer.
#
# The workloads of several threads on the backends, under the thread sanitizer: 8 readers beside a writer, transfers and
# a log of 4 threads each. What readers see and what is stored in the end is checked against the model.
#
#   scripts/lab thread-stress [SECONDS [BACKEND...]]     default: 2 seconds for each workload, on every way to share a store
#
# Exit code: 0 if all is well, 1 if something is lost or wrong, 66 if the sanitizer reports a race, 74 if it does not
# build.
need_libraries
need_swift
# A directory of its own: what is built with the sanitizer is not to be mixed with the rest.
build=$root/.build/sanitized
attend swift build --package-path "$root" --scratch-path "$build" --sanitize=thread --product test-child >&2 </dev/null ||
  fail 74 "the build failed; the errors are above"
TSAN_OPTIONS="${TSAN_OPTIONS:+$TSAN_OPTIONS }exitcode=66" exec "$build/debug/test-child" thread-stress "$@"
