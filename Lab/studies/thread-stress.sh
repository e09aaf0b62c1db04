# shellcheck shell=sh disable=SC2154
# Runs the multithreaded workloads on the backends under the thread sanitizer.
#
# Runs the multithreaded workloads on the backends under the thread sanitizer: 8 readers beside a writer, transfers and
# a log of 4 threads each. The records that readers see and the final content are checked against the model.
#
#   scripts/lab thread-stress [SECONDS [BACKEND...]]     default: 2 seconds for each workload, on every way to share a store
#
# Exit code: 0 if all is well, 1 if something is lost or wrong, 66 if the sanitizer reports a race, 74 if it does not
# build.
need_libraries
need_swift
# A separate directory, so that sanitized builds are not mixed with others.
build=$root/.build/sanitized
attend swift build --package-path "$root" --scratch-path "$build" --sanitize=thread --product test-child >&2 </dev/null ||
  fail 74 "the build failed; the errors are above"
TSAN_OPTIONS="${TSAN_OPTIONS:+$TSAN_OPTIONS }exitcode=66" exec "$build/debug/test-child" thread-stress "$@"
