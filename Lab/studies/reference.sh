# shellcheck shell=sh disable=SC2154
# Recreates the committed reference results.
#
# Recreates the committed reference results with the profile full. results/reference keeps the page (packed, since it
# is several megabytes), its Markdown, the table and the machine.
#
#   scripts/lab reference        twenty to thirty minutes; the machine should be otherwise idle
#   scripts/lab reference DIR    from an existing full run
#
# The run itself stays in .build/reference/run. Exit code: that of the run; 64 or 74 if those directories are in use or
# cannot be written, 64 if DIR holds no run.
[ $# -le 1 ] || fail 64 "too many arguments; give the directory of a run, or nothing"
made=$root/.build/reference
kept=$root/results/reference
[ ! -L "$kept" ] || fail 64 "$kept is a link; put in its place what it leads to"
if [ $# -eq 0 ]; then
  check_own "$made"
else
  check_name "$1"
  [ -f "$1/trials.jsonl" ] || fail 64 "$1 holds no run; leave the argument out to make one"
fi
need_libraries
build_release
run=${1:-$made/run}
status=0
if [ $# -eq 0 ]; then
  renew "$made"
  attend "$executable" run --profile full -o "$run" || status=$?
fi
[ -f "$run/trials.jsonl" ] || fail 74 "the run ended with $status and left no trials"

make_work "$root/.build"
"$executable" report "$run" -f csv,markdown,html -o "$work" >&2
# The path of the checkout is not a property of the run.
cp -- "$run/environment.json" "$work"
sed -i "s|$root/||g" "$work/environment.json" "$work/report.md" "$work/report.html"
gzip -9n "$work/report.html"
mkdir -p -- "$kept"
for file in summary.csv environment.json report.md report.html.gz; do
  [ -f "$work/$file" ] || fail 74 "the report has no $file"
  replace "$work/$file" "$kept/$file" || fail 74 "cannot write $kept/$file; make it writable"
done
size=$(cd -- "$kept" && cat summary.csv environment.json report.md report.html.gz | wc -c)
printf '%s: %s holds %s kB\n' "$name" "$kept" $((size / 1000)) >&2
[ "$size" -le 2000000 ] || fail 74 "that is over 2 MB, too much to commit; leave cells out with a run of your own"
exit "$status"
