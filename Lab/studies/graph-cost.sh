# shellcheck shell=sh disable=SC2154
# Compares the object graph with bare SQLite and with a minimal object layer over SQLite.
#
# Measures the cost of the object graph between two bounds: the same records in SQLite through its C API, and a minimal
# object layer over SQLite (one object per key, faults, change tracking and notifications). The results are ratios. The
# sides alternate in one process at the same level (WAL, synchronous NORMAL). Being slower than SQLite is expected;
# exit code 1 if a bound relative to plain objects is missed.
#
#   scripts/lab graph-cost [WORD...]     only the rows whose name begins with one of the words: import, bulk-import, load-all
need_libraries
need_swift
build_lab
exec "$built/release/lab" graph-cost "$@"
