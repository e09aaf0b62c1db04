# shellcheck shell=sh disable=SC2154
# Measures the overhead of the adapters over the same engine calls made by hand, and of the measuring loop.
#
# Measures the overhead of the adapters over the same engine calls made by hand (in C, or in Swift if the engine is
# GRDB), and of the measuring loop on an empty operation. The results are ratios. Both sides alternate, in a new
# process for each sitting. Exit code 1 if a bound is missed; on a busy machine, try again.
#
#   scripts/lab fidelity [WORD...]                  only rows whose name contains a word: lmdb, read-one, harness
#   scripts/lab fidelity --parts                    the parts of a read through GRDB, the table of docs/explanation/grdb.md
#   scripts/lab fidelity --side swift|c ROW TIMES   one side of a row, repeated TIMES times, for a profiler
need_libraries
need_swift
build_lab
exec "$built/release/lab" fidelity "$@"
