# shellcheck shell=sh disable=SC2154
# Tests the gate for times on cases with known results.
#
# Tests whether the gate for times keeps its promises on this machine. The cases have known results: a build against
# itself, and self-tests that slow it down. Run it on an otherwise idle machine; `bursts` keeps all processors busy
# itself, 0.4 s on and 0.3 s off.
#
#   scripts/lab gate-study null [TIMES]      a build against itself (20): never slower, and at least 90 % of cells judged
#   scripts/lab gate-study drill [TIMES]     sqlite 20 % slower (1): exactly its cells are named
#   scripts/lab gate-study detect [TIMES]    all 10 % slower, 20 pairs (10): found in 85 % of cells without sync
#   scripts/lab gate-study bursts [TIMES]    lmdb alternately 5 and 2 times as slow, in bursts (20): 5 times is
#                                        always found, 2 times is counted, and nothing else is slower or faster
#   scripts/lab gate-study sixty [TIMES]     a build against itself in 60 cells (5): nothing wrong, exit code 0
#   scripts/lab gate-study resample [TIMES] [DIR...]  runs drawn from recorded pairs, those of `sixty` (10,000): false alarms
#   scripts/lab gate-study short             the machinery on two quick cells, without a test of the judgements
#
# It prints a line for each time, then one for all. Exit code: 0 if the promise was kept, 1 if not, 64 or 74 if the
# directory below is in use or cannot be written, 64 if a DIR is not a paired run. The measurements are kept in
# .build/gate-studies/STUDY: a directory for each time, its pairs in base, head and control, until the study is run
# again.
study=${1:-}
case $study in
null | bursts) times=20 ;;
drill | short) times=1 ;;
detect) times=10 ;;
sixty) times=5 ;;
resample) times=10000 ;;
*) fail 64 "unknown study '$study'; give null, drill, detect, bursts, sixty, resample or short" ;;
esac
[ "$study" = resample ] || [ $# -le 2 ] || fail 64 'too many arguments; give a study and a number of times'
times=${2-$times}
case $times in
*[!0-9]* | '' | 0) fail 64 "'$times' is no number of times; give a whole number from 1 on" ;;
esac

kept=$root/.build/gate-studies/$study
case $study in
short) kept= ;;
resample)
  shift
  [ $# -eq 0 ] || shift
  [ $# -gt 0 ] || set -- "$root"/.build/gate-studies/sixty/*
  for run; do
    [ -f "$run/comparison.json" ] || fail 64 "'$run' is no paired run; run 'gate-study sixty' first, or give its directories"
  done
  ;;
*) check_own "$kept" ;;
esac
need_libraries
need jq=jq
build_release
if [ "$study" = resample ]; then
  build_lab
  exec "$built/release/lab" gate-resampling "$times" 1 "$@"
fi
make_work "$root/.build"
[ -z "$kept" ] || renew "$kept"
status=0

# pairs NAME ARGUMENTS...: compares the build with itself and keeps the comparison under that name; sets `result`, the
# path of its JSON, and `code`.
pairs() {
  code=0
  out=$work/$1
  keep=$kept/$1
  shift
  attend "$executable" paired --base "$executable" --head "$executable" "$@" -o "$out" >"$work/output" 2>"$work/errors" ||
    code=$?
  [ -f "$out/comparison.json" ] || fail 74 "paired ended with $code and no comparison: $(tail -n 1 "$work/errors")"
  if [ -n "$kept" ]; then
    mv -T -- "$out" "$keep"
    out=$keep
  fi
  result=$out/comparison.json
}

# count VERDICT [FILTER]: prints the number of judgements of the last comparison with a verdict.
count() { jq --arg verdict "$1" "[.judgements[] | select(.verdict == \$verdict ${2:+and ($2)})] | length" "$result"; }

# The twelve cells of a study.
twelve='-b memory,lmdb,sqlite,plist -w read-one,save-one,import -n 1000 --trial-time 50ms'

header() {
  say '%5s %5s %6s %6s %6s %10s %7s %7s %s\n' time exit slower faster same 'not judged' beyond seconds 'named; why the machine was not quiet'
}

row() {
  say '%5s %5s %6s %6s %6s %10s %7s %7s %s\n' "$1" "$code" "$(count slower)" "$(count faster)" "$(count same)" \
    "$(count unmeasurable)" "$(jq -r '.method.bound // "-" | if type == "number" then . * 100 | round / 100 else . end' "$result")" "$2" \
    "$(jq -r '[.judgements[] | select(.verdict == "slower" or .verdict == "faster") | .name] + [.method.unfit // empty] | join("; ")' "$result")"
}

null() {
  header
  cells=0
  judged=0
  alarms=0
  for time in $(seq "$times"); do
    began=$(date +%s)
    # shellcheck disable=SC2086
    pairs "$time" $twelve --seed "$time"
    row "$time" $(($(date +%s) - began))
    cells=$((cells + $(jq '.judgements | length' "$result")))
    judged=$((judged + $(jq '[.judgements[] | select(.verdict != "unmeasurable")] | length' "$result")))
    [ "$code" -ne 2 ] || alarms=$((alarms + 1))
    case $code in 0 | 2 | 3) ;; *) fail 74 "paired ended with exit code $code: $(tail -n 1 "$work/errors")" ;; esac
  done
  say '%s of %s times something was called slower; %s of %s cells judged (%s %%)\n' \
    "$alarms" "$times" "$judged" "$cells" $((100 * judged / cells))
  [ "$alarms" -eq 0 ] && [ $((100 * judged)) -ge $((90 * cells)) ] || status=1
}

drill() {
  header
  right=0
  for time in $(seq "$times"); do
    began=$(date +%s)
    # shellcheck disable=SC2086
    pairs "$time" $twelve --seed "$time" --inject '1.2@sqlite/*'
    row "$time" $(($(date +%s) - began))
    missed=$(jq '[.judgements[] | select((.name | startswith("sqlite/")) != (.verdict == "slower"))] | length' "$result")
    [ "$code" -eq 2 ] && [ "$missed" -eq 0 ] && right=$((right + 1))
  done
  say '%s of %s times it ended with 2 and named exactly the cells of sqlite\n' "$right" "$times"
  [ "$right" -eq "$times" ] || status=1
}

# Cells without a sync, according to their counts.
quiet='all(.counts[]; .metric != "syncs" or .head == 0)'

detect() {
  header
  cells=0
  found=0
  for time in $(seq "$times"); do
    began=$(date +%s)
    # shellcheck disable=SC2086
    pairs "$time" $twelve --seed "$time" --rounds 20 --inject 1.1
    row "$time" $(($(date +%s) - began))
    cells=$((cells + $(jq "[.judgements[] | select($quiet)] | length" "$result")))
    found=$((found + $(count slower "$quiet")))
  done
  say '%s of %s cells without sync were found slower (%s %%)\n' "$found" "$cells" $((100 * found / cells))
  [ $((100 * found)) -ge $((85 * cells)) ] || status=1
}

# Repeatedly uses a processor for 0.4 s, then rests for 0.3 s.
burn() {
  while :; do
    timeout 0.4 sh -c 'while :; do :; done' || true
    sleep 0.3
  done
}

burn_all() {
  for _ in $(seq "$(nproc)"); do burn & done
}

# Tests twelve cells without a change, and the three of lmdb, slowed down alternately by factors of 5 and 2.
bursts() {
  header
  burn_all
  wrong=0
  unfit=0
  cells=0
  judged=0
  for time in $(seq "$times"); do
    began=$(date +%s)
    factor=$((time % 2 == 1 ? 5 : 2))
    pairs "$time" -b memory,lmdb,sqlite,sqlite-queue,plist -w read-one,save-one,import -n 1000 --trial-time 50ms \
      --seed "$time" --inject "$factor@lmdb/*" --unjudged warn
    row "$time: $factor" $(($(date +%s) - began))
    found=$(count slower '.name | startswith("lmdb/")')
    wrong=$((wrong + $(count slower) - found + $(count faster)))
    cells=$((cells + $(jq .method.coverage.cells "$result")))
    judged=$((judged + $(jq .method.coverage.judged "$result")))
    unfit=$((unfit + $(jq 'if .method.unfit then 1 else 0 end' "$result")))
    # This variable is read by eval.
    # shellcheck disable=SC2034
    all=$((found == 3 && code == 2 ? 1 : 0))
    eval "runs_$factor=\$((\${runs_$factor:-0} + 1)) found_$factor=\$((\${found_$factor:-0} + found))" \
      "all_$factor=\$((\${all_$factor:-0} + all))"
  done
  say '%s of %s cells judged, %s wrong; %s of %s times the machine was not quiet\n' \
    "$judged" "$cells" "$wrong" "$unfit" "$times"
  for factor in 5 2; do
    eval "printf '%s times as slow: exit code 2 and all cells of lmdb found %s of %s times, %s cells\n' $factor" \
      "\${all_$factor:-0} \${runs_$factor:-0} \${found_$factor:-0}"
  done
  [ "$wrong" -eq 0 ] && [ "${all_5:-0}" -eq "${runs_5:-0}" ] || status=1
}

sixty() {
  header
  cells=0
  judged=0
  wrong=0
  codes=
  for time in $(seq "$times"); do
    began=$(date +%s)
    # shellcheck disable=SC2086
    pairs "$time" -b memory,lmdb,sqlite,sqlite-queue,plist -w read-one,save-one,import,find-name,aggregate,page-sorted \
      -n 1k,10k --seed "$time" ${GATE_STUDY_OPTIONS:-}
    row "$time" $(($(date +%s) - began))
    cells=$((cells + $(jq .method.coverage.cells "$result")))
    judged=$((judged + $(jq .method.coverage.judged "$result")))
    wrong=$((wrong + $(count slower) + $(count faster)))
    codes="$codes $code"
    [ "$code" -eq 0 ] || status=1
  done
  printf 'exit codes%s; %s of %s cells judged (%s %%); %s wrong\n' \
    "$codes" "$judged" "$cells" $((100 * judged / cells)) "$wrong"
  [ "$wrong" -eq 0 ] || status=1
}

# Tests two cells with few pairs: the exit codes and the files, under any load of the machine.
short() {
  header
  small='-b memory -w read-one,save-one -n 100 --trial-time 5ms --rounds 8'
  # shellcheck disable=SC2086
  pairs null $small
  row null -
  [ "$code" -eq 0 ] || [ "$code" -eq 3 ] || status=1
  # shellcheck disable=SC2086
  pairs drill $small --inject '2@memory/read-one/*'
  row drill -
  # On a fit machine the self-test must fail and name only that cell.
  case $code in
  2) [ "$(count slower '.name | startswith("memory/read-one/")')" -eq 1 ] && [ "$(count slower)" -eq 1 ] || status=1 ;;
  3) ;;
  *) status=1 ;;
  esac
}

case $study in
null) null ;;
drill) drill ;;
detect) detect ;;
bursts) bursts ;;
sixty) sixty ;;
short) short ;;
esac
exit "$status"
