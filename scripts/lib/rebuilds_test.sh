#!/bin/sh
# Tests that scripts/bench builds again if its inputs have changed, and only then. A substitute for `swift` records each
# build. Exit code: 1 if a build is missing or superfluous.
set -eu
here=$(dirname -- "$(readlink -f -- "$0")")
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
tree=$work/tree
mkdir -p "$tree/scripts/lib" "$tree/Sources" "$tree/.build/checkouts/dependency" "$tree/.swiftpm/configuration" \
  "$work/bin" "$work/other/bin" "$work/home"
cp "$here/../bench" "$tree/scripts/"
cp "$here/install.sh" "$tree/scripts/lib/"
touch "$tree/Package.swift" "$tree/Package.resolved" "$tree/Sources/a.swift" "$tree/.build/checkouts/dependency/b.swift"
cat >"$work/bin/swift" <<'END'
#!/bin/sh
case $1 in
--version) echo 'Swift version 6.3' ;;
build)
  echo build >>"$BUILDS"
  mkdir -p .build/release
  printf '#!/bin/sh\n' >.build/release/storage-bench
  chmod +x .build/release/storage-bench
  ;;
esac
END
chmod +x "$work/bin/swift"
cp "$work/bin/swift" "$work/other/bin/"
export BUILDS="$work/builds" HOME="$work/home" PATH="$work/bin:$PATH"
: >"$BUILDS"
bad=0
# expect BUILDS WHAT: calls scripts/bench, and checks the number of builds.
expect() {
  : >"$BUILDS"
  "$tree/scripts/bench" 2>"$work/errors" || { cat "$work/errors" && exit 1; }
  builds=$(wc -l <"$BUILDS")
  [ "$builds" -eq "$1" ] || { printf '%s: %d builds, not %d\n' "$2" "$builds" "$1" && bad=1; }
}
# changed WHAT: expects one build after the change, and none after that.
changed() {
  expect 1 "$1"
  expect 0 "a second call after: $1"
}
changed 'the first build'
echo x >>"$tree/Sources/a.swift" && changed 'a source'
echo x >>"$tree/Package.resolved" && changed 'Package.resolved'
echo x >>"$tree/.build/checkouts/dependency/b.swift" && changed 'a dependency'
mkdir -p "$tree/Packages/edited" && changed 'a dependency by swift package edit'
echo x >"$tree/Packages/edited/c.swift" && changed 'a file of an edited dependency'
rm -r "$tree/Packages" && changed 'an edit that was taken back'
mkdir "$work/elsewhere" "$tree/Packages" && ln -s "$work/elsewhere" "$tree/Packages/linked" && changed 'an edit elsewhere'
echo x >"$work/elsewhere/d.swift" && changed 'a file of an edit elsewhere'
echo '{}' >"$tree/.swiftpm/configuration/mirrors.json" && changed 'mirrors'
sed -i 's/-debug-info-format none/-debug-info-format dwarf/' "$tree/scripts/lib/install.sh" && changed 'a flag'
echo '# x' >>"$work/bin/swift" && changed 'a toolchain replaced in place'
export PKG_CONFIG_PATH="$work" && changed 'PKG_CONFIG_PATH'
export PATH="$work/other/bin:$PATH" && changed 'another toolchain'
exit "$bad"
