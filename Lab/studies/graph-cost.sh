# shellcheck shell=sh disable=SC2154
# Compares the object graph with bare SQLite and with the least that objects over SQLite cost.
#
# What the object graph costs between two sides: the same records in SQLite through its C API, and the least that objects
# over SQLite can do (one object for a key, faults, changes noted and told). Ratios, the sides taking turns in one process
# at the same level (WAL, synchronous NORMAL). To be slower than SQLite is no fault; exit code 1 if a bound beside plain
# objects is missed.
#
#   scripts/lab graph-cost [WORD...]     only the rows whose name begins with one of the words: import, bulk-import, load-all
need_libraries
need_swift
build_lab
exec "$root/.build/release/lab" graph-cost "$@"
