# shellcheck shell=sh disable=SC2154
# Writes a store of the object graph with the students model, to be read with sqlite3.
#
# Writes a store of the object graph with the students model, for inspection with sqlite3:
#
#   scripts/lab students-store FILE && sqlite3 FILE .schema
#
# Exit code: 64 if FILE exists already, 74 if it cannot be created.
[ $# -eq 1 ] || fail 64 'give one file to write'
# SQLite would treat a leftover journal beside the store as part of it.
for suffix in '' -journal -wal -shm; do check_new "$1${1:+$suffix}"; done
need_libraries
need_swift
build_product test-child
exec "$built/release/test-child" students-store "$@"
