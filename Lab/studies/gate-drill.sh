# shellcheck shell=sh disable=SC2154
# Tests that the gates fail when the code itself becomes more costly.
#
# Tests whether the gates fail if the code itself changes for the worse. A copy of the checkout is patched, built and
# judged. The checkout stays unchanged. Builds take minutes.
#
#   scripts/lab gate-drill counts [--each] [BACKEND...]   one more sync a save, then one more 4 KiB write: `check` must end
#                                                     with 2 and name the cells; with nothing changed, with 0. All
#                                                     backends are patched at once, or one after the other (--each)
#   scripts/lab gate-drill slow-read                      sqlite takes 20 % longer for a read: `paired` must end with 2
#   scripts/lab gate-drill rebuilds [TIMES]               the same source linked in another order (5): never 2
#
# Exit code: 0 if the gates did what they must, 1 if not, 64 or 74 if .build/gate-drill is in use or cannot be written.
drill=${1:-}
case $drill in
counts | slow-read | rebuilds) shift ;;
*) fail 64 "unknown drill '$drill'; give counts, slow-read or rebuilds" ;;
esac
each=no
case $drill,${1-none} in
counts,--each) each=yes && shift ;;
counts,* | slow-read,none) ;;
rebuilds,none | rebuilds,[1-9] | rebuilds,[1-9][0-9]) [ $# -le 1 ] || fail 64 'too many arguments; give a number of times' ;;
rebuilds,*) fail 64 "'$1' is no number of times; give one from 1 to 99" ;;
*) fail 64 "'$1' is too much: slow-read takes no argument" ;;
esac
made=$root/.build/gate-drill
tree=$made/tree
status=0

# Copies the current checkout, including uncommitted changes. Unchanged files keep their time, so that a second build
# has little to do.
fresh_copy() {
  mkdir -p -- "$tree"
  (cd -- "$root" && git ls-files -co --exclude-standard | while IFS= read -r file; do [ ! -e "$file" ] || echo "$file"; done) |
    rsync -a --checksum --delete-missing-args --files-from=- "$root/" "$tree/"
  # A file that the checkout no longer has, such as that of a patch, would be compiled with the others.
  (cd -- "$tree" && find Sources Tests -type f) | while IFS= read -r file; do
    [ -e "$root/$file" ] || rm -f -- "$tree/$file"
  done
}

# build NAME [ARGUMENTS]: builds the copy; the executable is $made/NAME.
build() {
  target=$1
  shift
  printf '%s: building %s\n' "$name" "$target" >&2
  attend swift build --package-path "$tree" -c release --product storage-bench "$@" </dev/null >"$made/build.log" 2>&1 ||
    fail 74 "the build of $target failed: see $made/build.log"
  cp -- "$tree/.build/release/storage-bench" "$made/$target"
  sync
}

# Prints the file of a backend, below Sources/Backends.
file() {
  case $1 in
  plist) echo WholeFile/PropertyList ;;
  archive) echo WholeFile/KeyedArchive ;;
  defaults) echo WholeFile/UserDefaults ;;
  sqlite) echo SQLite/SQLite ;;
  sqlite-queue) echo SQLiteQueue/SQLiteQueue ;;
  object-graph) echo ObjectGraph/ObjectGraph ;;
  lmdb) echo LMDB/LMDB ;;
  *) fail 64 "no patch for the backend '$1'; there are plist, archive, defaults, sqlite, sqlite-queue, object-graph, lmdb" ;;
  esac
}
if [ "$drill" = counts ]; then for backend; do file "$backend" >/dev/null; done; fi
# The copy and the builds stay, for the next time.
check_own "$made"
need_libraries
need jq=jq rsync=rsync
need_swift
own "$made"

# Adds the cost that a patch charges to a save: a kernel call on a separate file beside the store.
extra_cost() {
  case $1 in
  sync) call='fsync(file)' ;;
  write) call='pwrite(file, [UInt8](repeating: 0, count: 4_096), 4_096, 0)' ;;
  esac
  cat >"$tree/Sources/Backends/ExtraCost.swift" <<SWIFT
import Foundation

/// The additional cost of a save.
enum ExtraCost {
  private static let file = open(
    (ProcessInfo.processInfo.environment["XDG_CONFIG_HOME"] ?? ".") + "/extra", O_CREAT | O_RDWR | O_CLOEXEC, 0o600)

  static func pay() { _ = $call }

  static func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// Waits for a share of the time that has passed since a moment.
  static func prolong(since start: UInt64, by share: Double) {
    let due = now() + UInt64(Double(now() - start) * share)
    while now() < due {}
  }
}
SWIFT
}

# patch_save BACKEND: adds the cost to the backend's saves.
patch_save() {
  source=$tree/Sources/Backends/$(file "$1").swift
  if grep -q '^  func commit(_ changes: \[Change\]) throws {$' "$source"; then
    sed -i 's/^  func commit(_ changes: \[Change\]) throws {$/&\n    defer { ExtraCost.pay() }/' "$source"
  else
    # The saves of this backend are those of all whole-file stores, so it gets a separate method.
    sed -i 's/^  let store: ResidentFile$/&\n  func commit(_ changes: [Change]) throws {\n    try store.commit(changes)\n    ExtraCost.pay()\n  }/' "$source"
  fi
  [ "$(grep -c 'ExtraCost.pay()' "$source")" -eq 1 ] || fail 74 "the patch for $1 does not fit $source any more; fix this script"
}

# expect EXIT NAME [BACKEND...]: compares the verdict of `check` on an executable with the expected one.
expect() {
  wanted=$1
  build_name=$2
  shift 2
  code=0
  attend "$made/$build_name" check "$root/costs.csv" -w save-one >"$made/output" 2>"$made/errors" || code=$?
  verdict=ok
  [ "$code" -eq "$wanted" ] || verdict="WRONG, exit $code: $(cat -- "$made/errors")"
  for backend; do
    cells=$(sed -n "s/^save-one,\([0-9]*\),$backend,\([a-z]*\),.*/$backend\/save-one\/\1\/\2/p" "$root/costs.csv")
    for cell in $cells; do
      grep -q "^MORE  *$cell: " "$made/output" || verdict="WRONG: $cell is not named"
    done
  done
  # No other backend may be named.
  if [ $# -eq 1 ] && grep '^MORE ' "$made/output" | grep -qv "^MORE  *$1/"; then
    verdict='WRONG: another backend is named'
  fi
  [ "$verdict" = ok ] || status=1
  say '%-34s exit %s, %2s cells named: %s\n' "$build_name" "$code" "$(grep -c '^MORE ' "$made/output" || true)" "$verdict"
}

counts() {
  [ $# -gt 0 ] || set -- plist archive defaults sqlite sqlite-queue object-graph lmdb
  fresh_copy
  build unpatched
  expect 0 unpatched
  for kind in sync write; do
    if [ "$each" = yes ]; then
      for backend; do
        fresh_copy
        extra_cost "$kind"
        patch_save "$backend"
        build "$backend-$kind"
        expect 2 "$backend-$kind" "$backend"
      done
    else
      fresh_copy
      extra_cost "$kind"
      for backend; do patch_save "$backend"; done
      build "all-$kind"
      expect 2 "all-$kind" "$@"
    fi
  done
}

# judge NAME ARGUMENTS...: compares the base with a build; prints the exit code and the named cells.
judge() {
  build_name=$1
  shift
  code=0
  rm -rf -- "$made/pairs"
  attend "$made/base" paired --base "$made/base" --head "$made/$build_name" -n 1000 --trial-time 50ms \
    "$@" -o "$made/pairs" >"$made/output" 2>"$made/errors" || code=$?
  named=$(jq -r '[.judgements[] | select(.verdict == "slower") | .name] + [.method.unfit // empty] | join("; ")' \
    "$made/pairs/comparison.json" 2>/dev/null || tail -n 1 "$made/errors")
  say '%-20s exit %s  %s\n' "$build_name" "$code" "$named"
}

slow_read() {
  fresh_copy
  build base
  extra_cost sync
  source=$tree/Sources/Backends/$(file sqlite).swift
  # The single expression of the body needs a `return` after the patch.
  sed -i '/^  func read(_ key: Int64, in collection: CollectionID, _ body: .*) throws -> Bool {$/{
    s/$/\n    let begun = ExtraCost.now()\n    defer { ExtraCost.prolong(since: begun, by: 0.2) }/
    n
    s/^    try /    return try /
  }' "$source"
  [ "$(grep -c ExtraCost "$source")" -eq 2 ] || fail 74 "the patch does not fit $source any more; fix this script"
  build slow-read
  judge slow-read -b sqlite,lmdb,memory -w read-one
  [ "$code" -eq 2 ] && [ "$named" = sqlite/read-one/1000/- ] || status=1
}

rebuilds() {
  times=${1:-5}
  fresh_copy
  # Each function gets a separate section, so that the linker can shuffle them.
  sections='-Xswiftc -use-ld=lld -Xswiftc -Xfrontend -Xswiftc -function-sections'
  # shellcheck disable=SC2086
  build base $sections
  for time in $(seq "$times"); do
    # shellcheck disable=SC2086
    build "rebuild-$time" $sections -Xlinker "--shuffle-sections=.text*=$time"
    ! cmp -s "$made/base" "$made/rebuild-$time" || fail 74 'the linker has put nothing into another order'
    judge "rebuild-$time" -b sqlite,lmdb,plist,memory -w read-one,save-one
    [ "$code" -ne 2 ] || status=1
    [ "$code" -le 3 ] || fail 74 "paired ended with exit code $code: $(tail -n 1 "$made/errors")"
  done
}

case $drill in
counts) counts "$@" ;;
slow-read) slow_read ;;
rebuilds) rebuilds "$@" ;;
esac
exit "$status"
