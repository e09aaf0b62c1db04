# shellcheck shell=sh disable=SC2154
# Tests published claims about embedded storage, and writes docs/claims.md.
#
# Lab/claims.yaml lists published claims about embedded storage, with the tests that decide them. This study measures
# what the tests compare and prints a verdict for each claim.
#
#   scripts/lab claims             all claims; writes docs/claims.md, docs/claims.json and results/claims
#   scripts/lab claims ID...       some, by their names in docs/claims.md; writes nothing
#   scripts/lab claims --files     docs/claims.md and docs/claims.json from results/claims, without measuring
#
# All claims take up to an hour; the machine should be otherwise idle. Interrupted, the study goes on where it stopped,
# from .build/claims. Engines that are loaded at run time must be installed: scripts/install engines. Exit code: 3 if a
# claim is undecided, 64 for an unknown claim, 74 if a file cannot be written.
made=$root/.build/claims
kept=$root/results/claims
claims=$root/Lab/claims.yaml
mode=all
case ${1:-} in
'') ;;
--files)
  mode=files
  [ $# -eq 1 ] || fail 64 "'$2' is one argument too many; give --files alone"
  ;;
-*) fail 64 "unknown argument '$1'; give names of claims, --files or nothing" ;;
*) mode=some ;;
esac
[ ! -L "$kept" ] || fail 64 "$kept is a link; put in its place what it leads to"
[ "$mode" != all ] || check_own "$made"
need jq=jq
need_libraries
build_release
build_lab
lab=$built/release/lab

# measure DIR [ID...]: makes what is missing of a run and of the crash tests in DIR.
measure() {
  directory=$1
  shift
  "$lab" claims rules "$claims" "$@" >"$directory/rules.yaml"
  if [ -s "$directory/rules.yaml" ] && [ ! -e "$directory/run.done" ]; then
    status=0
    if [ -e "$directory/run/plan.json" ]; then
      attend "$executable" run --resume "$directory/run" -q >&2 || status=$?
    else
      attend "$executable" run --plan "$directory/rules.yaml" --rounds 15 --trial-time 100ms -q -o "$directory/run" >&2 || status=$?
    fi
    [ "$status" -le 1 ] || exit "$status"
    : >"$directory/run.done"
  fi
  "$lab" claims crashes "$claims" "$@" >"$directory/crashes"
  number=0
  while read -r call; do
    number=$((number + 1))
    [ ! -e "$directory/crash/$number/safety.json" ] || continue
    status=0
    # Split into words on purpose. 1 is a broken promise, which a claim may state.
    # shellcheck disable=SC2086
    attend "$executable" crashtest $call -q -f json -o "$directory/crash/$number" >&2 </dev/null || status=$?
    [ "$status" -le 1 ] || exit "$status"
  done <"$directory/crashes"
  [ "$number" -eq 0 ] ||
    jq -s '.[0] + {findings: (map(.findings) | add | map(.failures = []))}' "$directory"/crash/*/safety.json >"$directory/safety.json"
}

# judge_rules DIR: judges the rules of a run.
judge_rules() {
  [ -s "$1/rules.yaml" ] || return 0
  "$executable" check "$1/rules.yaml" "$1/run" -f json -o "$1" >/dev/null 2>"$1/judged" || [ -s "$1/comparison.json" ] ||
    fail 74 "$(cat "$1/judged")"
}

# evidence DIR: sets the three paths that the lab reads, with - for none.
evidence() {
  run=- comparison=- safety=-
  [ ! -s "$1/rules.yaml" ] || run=$1/run comparison=$1/comparison.json
  [ ! -s "$1/safety.json" ] || safety=$1/safety.json
}

case $mode in
some)
  make_work "${TMPDIR:-/tmp}"
  measure "$work" "$@"
  judge_rules "$work"
  evidence "$work"
  "$lab" claims verdicts "$claims" "$run" "$comparison" "$safety" "$@"
  exit
  ;;
all)
  # Results for other claims are removed.
  if cmp -s "$made/claims.yaml" "$claims"; then own "$made"; else renew "$made"; fi
  cp -- "$claims" "$made/claims.yaml"
  measure "$made"
  mkdir -p -- "$kept"
  # Of the distributions, only the percentiles of readers beside a writer are judged.
  jq -c 'del(.timing.series) | if (.cell.workload | startswith("readers-writer")) then . else del(.timing.histogram) end' \
    "$made/run/trials.jsonl" >"$made/run/trials.short"
  for file in plan.json trials.short environment.json summary.csv; do
    # The path of the checkout is not a property of the run.
    sed "s|$root/||g" "$made/run/$file" >"$made/$file"
    target=$kept/$(echo "$file" | sed 's/short$/jsonl/')
    replace "$made/$file" "$target" || fail 74 "cannot write $target; make it writable"
  done
  replace "$made/safety.json" "$kept/safety.json" || fail 74 "cannot write $kept/safety.json; make it writable"
  ;;
esac
make_work "${TMPDIR:-/tmp}"
"$lab" claims rules "$claims" >"$work/rules.yaml"
"$executable" check "$work/rules.yaml" "$kept" -f json -o "$work" >/dev/null 2>"$work/judged" ||
  [ -s "$work/comparison.json" ] || fail 74 "$(cat "$work/judged")"
"$lab" claims page "$claims" "$kept" "$work/comparison.json" "$kept/safety.json" "$work"
for file in claims.md claims.json; do
  replace "$work/$file" "$root/docs/$file" || fail 74 "cannot write $root/docs/$file; make it writable"
done
"$lab" claims verdicts "$claims" "$kept" "$work/comparison.json" "$kept/safety.json"
