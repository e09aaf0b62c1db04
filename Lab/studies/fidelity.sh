# shellcheck shell=sh disable=SC2154
# Measures what the adapters add to the same engine calls made by hand, and the loop to nothing at all.
#
# What the adapters add to the same engine calls made by hand (in C, or in Swift where the engine is GRDB), and the
# measuring loop to nothing at all: ratios, both sides taking turns, in a new process for each
# sitting. Exit code 1 if a bound is missed; on a busy machine, try again.
#
#   scripts/lab fidelity [WORD...]                  only the rows whose name holds one of the words: lmdb, read-one, harness
#   scripts/lab fidelity --parts                    what a read through GRDB is made of, the table of docs/grdb.md
#   scripts/lab fidelity --side swift|c ROW TIMES   one side of a row so many times, for a profiler
need_libraries
need_swift
build_lab
exec "$root/.build/release/lab" fidelity "$@"
