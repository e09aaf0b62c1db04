# shellcheck shell=sh disable=SC2154
# Writes a store of the object graph with the students model, to be read with sqlite3.
#
# Writes a store of the object graph with the students model, to be looked at with sqlite3:
#
#   scripts/lab students-store FILE && sqlite3 FILE .schema
#
# Exit code: 64 if FILE is there already, 74 if it cannot be made.
[ $# -eq 1 ] || fail 64 'give one file to write'
# SQLite would take what lies beside a store for a part of it.
for suffix in '' -journal -wal -shm; do check_new "$1${1:+$suffix}"; done
need_libraries
need_swift
build_product test-child
exec "$root/.build/release/test-child" students-store "$@"
