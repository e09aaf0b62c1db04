# shellcheck shell=sh disable=SC2154
# Counts the winners that runs name between equal backends.
#
# Counts the winners that runs name between equal backends. Quick runs have one backend under two names, so every
# difference that they report is noise. Run it on an otherwise idle machine.
#
#   scripts/lab self-study [TIMES] [BACKEND]     20 runs of sqlite
#
# It prints a line for each run, then the sum. The runs stay in .build/self-study/BACKEND. Exit code: 0 if at most one
# question in all the runs has a winner, 1 if more have, 64 or 74 if that directory is in use or cannot be written.
[ $# -le 2 ] || fail 64 'too many arguments; give a number of runs and a backend'
times=${1-20}
backend=${2-sqlite}
case $times in
*[!0-9]* | '' | 0) fail 64 "'$times' is no number of runs; give a whole number from 1 on" ;;
esac
case $backend in
*[!a-z0-9-]* | '' | -*) fail 64 'a backend is named in small letters, digits and hyphens; give one such as sqlite' ;;
esac
made=$root/.build/self-study/$backend
check_own "$made"

need_libraries
need jq=jq
need_swift
build_lab
# The output of the build must not be written back during a measurement.
sync
renew "$made"

questions=0
won=0
say '%5s %9s %5s %s\n' run questions won 'what was said'
for time in $(seq "$times"); do
  run=$made/$time
  attend env LAB_BACKENDS=twins "$built/release/lab" run --profile quick -b "$backend-a,$backend-b" --seed "$time" -o "$run" -q \
    >/dev/null || fail 74 "run $time ended with exit code $?"
  LAB_BACKENDS=twins "$built/release/lab" report "$run" -f json -o "$run" >/dev/null || fail 74 "run $time has no report"
  asked=$(jq '.winners | length' "$run/report.json")
  named=$(jq '[.winners[] | select(.next != null)] | length' "$run/report.json")
  questions=$((questions + asked))
  won=$((won + named))
  say '%5s %9s %5s %s\n' "$time" "$asked" "$named" \
    "$(jq -r '[.winners[] | select(.next != null) | "\(.question): \(.leaders | join(" or ")) (x\(.slower))"] | join("; ")' "$run/report.json")"
done
say '%s of %s questions in %s runs of one backend against itself have a winner\n' "$won" "$questions" "$times"
[ "$won" -le 1 ]
