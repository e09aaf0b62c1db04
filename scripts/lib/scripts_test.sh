#!/bin/sh
# Tests that the scripts do not change files that they have not created, before they build anything: files and
# directories of a user, links to them, paths that cannot be written. Also tests that a signal leaves none of their
# files behind. A substitute for `swift` builds nothing. Exit code: 1 if a user's file was changed, an exit code is
# wrong, or the output is not one sentence.
set -eu
here=$(dirname -- "$(readlink -f -- "$0")")
work=$(mktemp -d "${TMPDIR:-/tmp}/scripts test.XXXXXX")
trap 'rm -rf -- "$work"' EXIT
tree=$work/tree
user=$work/user
mkdir -p "$tree/results/example" "$tree/.build" "$work/bin" "$work/tmp" "$user/full" "$user/empty" "$user/site"
cp -r "$here/.." "$tree/scripts"
cp -r "$here/../../Lab" "$tree/Lab"
printf '#!/bin/sh\necho "$@" >>"%s/builds"\nexit 1\n' "$work" >"$work/bin/swift"
cp "$work/bin/swift" "$work/bin/apt-get"
chmod +x "$work/bin/swift" "$work/bin/apt-get"
export PATH="$work/bin:$PATH" TMPDIR="$work/tmp"
newline='a
b'
# A user's files: a file, a directory, links to both and to nothing, and files whose names a script would use itself.
echo precious | tee "$user/file" "$user/file.csv" "$user/full/mine" "$user/store-wal" "$user/page.html" >"$user/site/mine"
for suffix in '' .csv; do
  ln -s file "$user/to-file$suffix"
  ln -s full "$user/to-full$suffix"
  ln -s nothing "$user/to-nothing$suffix"
  ln -s empty "$user/to-empty$suffix"
  mkdir "$user/directory$suffix"
  echo precious >"$user/directory$suffix/mine"
done
# A site of scripts/docs with an added file.
echo ./index.html >"$user/site/.made-by-storage-bench"
echo page >"$user/site/index.html"
# All contents and properties but the times.
snapshot() { tar -cf - --sort=name --mtime=@0 -C "$work" user tree tmp | cksum; }
bad=0
wrong() { printf '%s\n' "$*" && bad=1; }
# expect STATUS SCRIPT [ARGUMENT...]: checks the exit code of a call, which must print one sentence and change nothing.
# SCRIPT is in scripts, or a study of scripts/lab.
expect() {
  wanted=$1 script=$2
  shift 2
  [ ! -f "$tree/Lab/studies/$script.sh" ] || script="lab $script"
  before=$(snapshot)
  status=0
  # Two words for a study.
  # shellcheck disable=SC2086
  (cd -- "$user" && "$tree/scripts/"$script "$@") >"$work/out" 2>"$work/err" </dev/null || status=$?
  [ "$status" -eq "$wanted" ] || wrong "$script $*: exit code $status, not $wanted: $(cat "$work/err")"
  [ "$(wc -l <"$work/err") $(grep -c "^scripts/$script: " "$work/err") $(wc -c <"$work/out")" = '1 1 0' ] ||
    wrong "$script $*: not one sentence: $(cat "$work/out" "$work/err")"
  [ "$(snapshot)" = "$before" ] || wrong "$script $*: a file was changed, made or removed"
  [ ! -e "$work/builds" ] || { wrong "$script $*: began to build" && rm "$work/builds"; }
}

# Paths of files.
for path in file.csv directory.csv to-file.csv to-full.csv to-nothing.csv '' -x.csv "$newline.csv" new.csv/; do
  expect 64 iso-codes-dataset "$path"
  expect 64 students-store "$path"
done
expect 64 students-store store
# Paths of directories.
for path in file full to-file to-full to-full/ to-empty to-empty/ to-nothing file/below site / . '' -x "$newline"; do
  expect 64 docs "$path"
done
# Paths of directories for subdirectories.
for path in file to-file to-nothing file/below '' -x "$newline"; do
  expect 64 crashtest-long "$path"
  expect 64 two-processes-study 1 1 "$path"
done
# A path that not even root can write.
for script in iso-codes-dataset students-store docs crashtest-long 'two-processes-study 1 1'; do
  # shellcheck disable=SC2086
  expect 74 $script /proc/new.csv
done

# Directories with a constant name in the checkout.
fixed='reference findings claims self-study:self-study/sqlite two-processes-study gate-drill:gate-drill:counts
  gate-study:gate-studies/null:null docs'
for entry in $fixed; do
  IFS=: read -r script path argument <<WORDS
$entry
WORDS
  place=$tree/.build/${path:-$script}
  mkdir -p -- "$(dirname -- "$place")"
  for taken in file full to-empty; do
    cp -a -- "$user/$taken" "$place"
    # shellcheck disable=SC2086
    expect 64 "$script" $argument
    rm -rf -- "$place"
  done
done
rm -rf -- "$tree/.build"
ln -s /proc "$tree/.build"
for entry in $fixed; do
  IFS=: read -r script path argument <<WORDS
$entry
WORDS
  # shellcheck disable=SC2086
  expect 74 "$script" $argument
done
rm -- "$tree/.build"
for path in ../../results '' 'a b'; do expect 64 self-study 1 "$path"; done
# The committed files.
touch "$tree/results/example/trials.jsonl" "$tree/results/example/mine"
expect 64 example
rm -r -- "$tree/results/example"
expect 64 example --reports
ln -s "$user/full" "$tree/results/example"
expect 64 example
ln -s "$user/full" "$tree/results/reference"
expect 64 reference

# Missing input.
for path in full to-nothing ''; do
  for script in check-run reproduce 'findings --files' 'gate-study resample 1' 'fuzz-run-files 1 1' try-workflows; do
    case $script in findings*) rm -f -- "$tree/results/reference" ;; esac
    # shellcheck disable=SC2086
    expect 64 $script "$path"
  done
done
expect 64 reference nothing
expect 64 count-syncs --executable nothing
BENCH=nothing expect 64 fuzz-run-files
BENCH=nothing expect 64 fuzz-data-files
# Arguments that do not exist.
for script in example findings claims reproduce reference check-run count-syncs cluster-trial graph-kills graph-random graph-memory \
  self-study two-processes-study gate-drill gate-study fuzz-run-files fuzz-data-files 'gate-study null' 'gate-drill rebuilds' \
  'gate-drill counts' 'self-study 1 a' 'graph-kills 1' 'reproduce a' 'example --reports'; do
  # shellcheck disable=SC2086
  expect 64 $script -x
done

# Standard output that cannot be written, and signals.
cat >"$tree/scripts/waits" <<'SCRIPT'
#!/bin/sh
set -eu
. "$(dirname -- "$(readlink -f -- "$0")")/lib/install.sh"
make_work "$TMPDIR"
say '%s\n' "$work"
pending=$(mktemp -- "$TMPDIR/pending.XXXXXX")
sleep 15 &
attend sh -c 'sleep 16; :'
SCRIPT
chmod +x "$tree/scripts/waits"
for output in '>/dev/full' '>&-'; do
  status=0
  eval '"$tree/scripts/waits" 2>"$work/err"' "$output" || status=$?
  [ "$status $(wc -l <"$work/err")" = '74 1' ] || wrong "$output: exit code $status: $(cat "$work/err")"
done
for pair in HUP:129 INT:130 TERM:143; do
  # A shell ignores INT in background processes, and nohup ignores HUP.
  env --default-signal=HUP,INT "$tree/scripts/waits" >"$work/out" &
  script=$!
  for _ in 1 2 3 4 5 6 7 8 9 10; do [ "$(find "$work/tmp" -name 'pending.*' | wc -l)" -eq 1 ] || sleep 0.1; done
  sleep 0.2
  started=$(cat "/proc/$script/task/$script/children")
  began=$(date +%s)
  kill -s "${pair%:*}" "$script"
  status=0
  wait "$script" || status=$?
  [ "$status" -eq "${pair#*:}" ] || wrong "${pair%:*}: exit code $status"
  [ $(($(date +%s) - began)) -le 5 ] || wrong "${pair%:*}: was answered late"
  [ -n "$started" ] || wrong "${pair%:*}: nothing was started"
  for process in $started; do [ ! -d "/proc/$process" ] || wrong "${pair%:*}: a process is left"; done
done
[ -z "$(ls -A "$work/tmp")" ] || wrong "left behind: $(ls -A "$work/tmp")"
exit "$bad"
