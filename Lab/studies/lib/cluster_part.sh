# shellcheck shell=sh
# Shared functions of both engines of scripts/lab cluster-trial: waiting for the middle of a part, and checking a part
# that was killed and resumed.

# complain SENTENCE: ends the trial of an engine.
complain() {
  echo "$*"
  exit 1
}

# until_true SECONDS COMMAND...: waits until a command succeeds.
until_true() {
  tries=$(($1 * 5))
  shift
  until "$@" >/dev/null 2>&1; do
    tries=$((tries - 1))
    [ "$tries" -gt 0 ] || return 1
    sleep 0.2
  done
}

# has_trials FILE COUNT: whether a journal has at least this many trials.
has_trials() { [ -e "$1" ] && [ "$(wc -l <"$1")" -ge "$2" ]; }

# was_resumed PART KEPT: checks that a part continued after the trials in KEPT, a copy of its journal from before the
# kill.
was_resumed() {
  done_before=$(wc -l <"$2")
  head -n "$done_before" "$1/trials.jsonl" | cmp -s - "$2" || complain "$1: what was measured before the kill has changed"
  # The line that the kill cut off, if any, is not counted by wc and was dropped.
  after=$(tail -n "+$((done_before + 1))" "$1/trials.jsonl")
  [ -n "$after" ] || complain "$1: the kill came too late, nothing was left to resume"
  if printf '%s\n' "$after" | grep -qv '"resumed":true'; then complain "$1: a later trial is not marked as resumed"; fi
  echo "killed after $done_before trials, resumed with $(printf '%s\n' "$after" | wc -l) more"
}
