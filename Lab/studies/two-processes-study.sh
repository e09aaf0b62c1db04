# shellcheck shell=sh disable=SC2154
# Runs 10,000 saves of two processes in one store, short races, and kills in the middle of saves.
#
# Tests many saves of two processes in one store. It starts with a race of 10,000 saves from each side of every backend
# that can be shared, with and without a lock file. Many short races follow, in which no backend that promises to lose
# nothing may lose a save. The last part kills processes in the middle of saves. Each cell is verified, and the
# findings are printed.
#
#   scripts/lab two-processes-study [SAVES [TIMES [SCRATCH]]]     10000 saves of each side, and 100 races of 200 saves
#
# Stores are in SCRATCH. In a directory in memory, where syncs cost nothing, the study takes minutes instead of an
# hour. The runs stay in .build/two-processes-study. Exit code: 0 if no backend that promises to lose nothing has lost
# anything, 1 if one has, or if a race without a lock file loses nothing in any file; 64 or 74 if a directory is in use
# or cannot be written.
[ $# -le 3 ] || fail 64 'too many arguments; give SAVES, TIMES and SCRATCH'
made=$root/.build/two-processes-study
saves=${1-10000}
times=${2-100}
scratch=${3-$made/scratch}
for number in "$saves" "$times"; do
  case $number in
  *[!0-9]* | '' | 0) fail 64 "'$number' is no number; give a whole number from 1 on" ;;
  esac
done
check_own "$made"
check_name "$scratch"
check_writable "$scratch"
need_libraries
need_swift
build_product storage-bench
renew "$made"
mkdir -p -- "$scratch" 2>/dev/null || fail 74 "cannot write $scratch; give another directory"

# Backends that isolate processes themselves, and file backends, which do not.
safe=sqlite,sqlite:journal=wal,sqlite:as=apple,sqlite-queue,object-graph,lmdb
files=plist,archive,defaults,json,files,text:append=yes
failed=0

# race NAME TIME BACKENDS WORKLOADS ROUNDS [OPTION...]: makes a run, prints its findings, and records failed cells.
race() {
  race=$1 time=$2 backends=$3 workloads=$4 rounds=$5
  shift 5
  attend "$built/release/storage-bench" run -q -b "$backends" -w "$workloads" -n 10 --rounds "$rounds" \
    --scratch "$scratch" --allow-ram-disk --trial-time "$time" --cell-limit 40m -o "$made/$race" "$@" >"$made/$race.out" 2>&1 || failed=1
  # The findings are the last column and contain no comma.
  sed 1d "$made/$race/summary.csv" | awk -F, -v name="$race" '
    { state = ""; for (i = 1; i <= NF; i++) if ($i == "ok" || $i == "failed" || $i == "n/a" || $i == "skipped") { state = $i; break }
      print name ": " $4 ($5 == "" ? "" : ":" $5) "/" $6 "/" $11 ": " state ": " $NF }'
}

race race 30m "$safe,$files" "two-processes:saves=$saves,two-processes:saves=$saves:lock=yes" 1
race levels 30m sqlite,sqlite:journal=delete,sqlite-queue,object-graph,lmdb "two-processes:saves=$times" 1 \
  --durability crash,intact,durable
race naive 30m sqlite,sqlite:journal=wal,sqlite-queue,object-graph,lmdb,plist "two-processes:way=naive:saves=$times" 1
race honest 30m "$safe" two-processes:saves=200 "$times"
race kill 1s "$safe,$files" two-processes:kill=yes,two-processes:kill=yes:lock=yes 1

lost=$(sed 1d "$made/race/summary.csv" | grep -v 'lock=yes' | grep -E ',(plist|archive|defaults),' |
  grep -c 'lost_updates=[1-9]' || true)
say '%s of plist, archive and defaults have lost saves without a lock file\n' "$lost"
[ "$lost" -gt 0 ] || failed=1
exit "$failed"
