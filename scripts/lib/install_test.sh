#!/bin/sh
# Tests that scripts/install follows no planted link and replaces no files of others. A substitute for `swift` builds
# nothing.
# Exit code: 1 if a user's file was changed, or an uninstallation is incomplete.
set -eu
here=$(dirname -- "$(readlink -f -- "$0")")
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
tree=$work/tree
mkdir -p "$tree/scripts/lib" "$tree/Sources" "$tree/.build" "$work/bin" "$work/prefix/bin" "$work/prefix/share/storage-bench"
cp "$here/../install" "$tree/scripts/"
cp "$here/install.sh" "$tree/scripts/lib/"
touch "$tree/Package.swift"
cat >"$work/bin/swift" <<'END'
#!/bin/sh
case $1 in
--version) echo 'Swift version 6.3' ;;
build)
  mkdir -p .build/release
  printf '#!/bin/sh\necho text\n' >.build/release/storage-bench
  chmod +x .build/release/storage-bench
  ;;
esac
END
chmod +x "$work/bin/swift"
export PATH="$work/bin:$PATH"
bad=0
# expect STATUS WHAT [ARGUMENT]: checks the exit code of an installation, and that the user's file is unchanged.
expect() {
  status=0
  "$tree/scripts/install" --prefix "$work/prefix" ${3:+"$3"} >/dev/null 2>&1 || status=$?
  [ "$status" -eq "$1" ] || { printf '%s: exit code %d, not %d\n' "$2" "$status" "$1" && bad=1; }
  [ "$(cat "$work/victim")" = precious ] || { printf "%s: a user's file was overwritten\n" "$2" && bad=1; }
  echo precious >"$work/victim"
}
echo precious >"$work/victim"
ln -s "$work/victim" "$work/prefix/share/storage-bench/installed"
expect 64 'a planted link in place of the list'
rm "$work/prefix/share/storage-bench/installed"
echo mine >"$work/prefix/share/storage-bench/installed"
expect 64 "a user's file in place of the list"
rm "$work/prefix/share/storage-bench/installed"
ln -s "$work/victim" "$work/prefix/bin/storage-bench.new"
expect 0 'a planted link storage-bench.new'
[ -L "$work/prefix/bin/storage-bench.new" ] || { echo 'a link of a user is gone' && bad=1; }
expect 0 'a second installation'
expect 0 'the uninstallation' --uninstall
rm -f "$work/prefix/bin/storage-bench.new"
left=$(find "$work/prefix" ! -type d)
[ -z "$left" ] || { printf 'left behind: %s\n' "$left" && bad=1; }
# Libraries that cannot be fetched are named, and a user's directory is left alone.
cp "$here/engines.sh" "$tree/scripts/lib/"
for tool in python3 pip3 apt-get; do
  printf '#!/bin/sh\nexit 1\n' >"$work/bin/$tool"
  chmod +x "$work/bin/$tool"
done
export STORAGE_BENCH_ENGINES="$work/engines"
# engines STATUS WHAT [ARGUMENT]: checks the exit code of scripts/install engines.
engines() {
  status=0
  "$tree/scripts/install" engines ${3:+"$3"} >/dev/null 2>&1 || status=$?
  [ "$status" -eq "$1" ] || { printf '%s: exit code %d, not %d\n' "$2" "$status" "$1" && bad=1; }
}
engines 69 'no library can be fetched'
engines 64 'an argument after engines' more
echo mine >"$work/engines/file"
rm "$work/engines/.made-by-storage-bench"
engines 64 "a user's directory in place of the libraries'"
exit "$bad"
