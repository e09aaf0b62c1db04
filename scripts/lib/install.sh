# shellcheck shell=sh
# What all scripts share: install what is missing, build what has changed, replace nothing of others, leave nothing behind.
# Everything printed here goes to standard error, so that a script's standard output is that of its program.

root=$(dirname -- "$(dirname -- "$(readlink -f -- "$0")")")
name=scripts/$(basename -- "$0")

# Cleans up at every end of a script: its processes, its function `leave`, an unfinished file, and the directory of
# make_work. A second signal kills the processes that do not end.
work='' pending=''
leave() { :; }
# descendants PROCESS: what it has started, and what that has.
descendants() {
  children=$(cat "/proc/$1/task/$1/children" 2>/dev/null) || return 0
  for process in $children; do
    printf '%s ' "$process"
    descendants "$process"
  done
}
# Called by the trap.
# shellcheck disable=SC2317
clean_up() {
  set +e
  started=$(descendants $$)
  # Words, not one word.
  # shellcheck disable=SC2064,SC2086
  trap "kill -KILL $started 2>/dev/null" HUP INT TERM
  trap '' PIPE
  # shellcheck disable=SC2086
  kill -TERM $started 2>/dev/null
  wait
  leave
  [ -z "$pending" ] || rm -f -- "$pending"
  [ -z "$work" ] || rm -rf --one-file-system -- "$work"
}
trap clean_up EXIT
# An interruption stays one, even if a builder returns another exit code.
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 141' PIPE
trap 'exit 143' TERM

# attend COMMAND...: runs a command; a signal to the script is answered at once, and ends the command, too.
attend() {
  "$@" &
  wait "$!"
}

# in_root COMMAND...: to be attended.
in_root() { cd -- "$root" && exec "$@"; }

# fail STATUS SENTENCE: ends the script.
fail() {
  status=$1
  shift
  printf '%s: %s\n' "$name" "$*" >&2
  exit "$status"
}

# say FORMAT [WORD...]: printf to standard output, which may be full or closed.
say() {
  # shellcheck disable=SC2059
  printf "$@" 2>/dev/null || fail 74 'standard output cannot be written; free some space, or send it elsewhere'
}

# make_work PARENT: makes $work, a directory that goes with the script.
make_work() {
  work=$(mktemp -d -- "$1/${name##*[/ ]}.XXXXXX" 2>/dev/null) ||
    fail 74 "no directory can be made in $1; make it writable, free some space, or set TMPDIR to another"
  work=$(realpath -- "$work")
}

# standing PATH: the path, or the first directory above it that is there.
standing() {
  path=$1
  while [ ! -e "$path" ] && [ ! -L "$path" ]; do path=$(dirname -- "$path"); done
  printf '%s\n' "$path"
}

# check_writable DIR: whether something can be made in DIR, or in what is there of the way to it.
check_writable() {
  standing=$(standing "$1")
  [ -d "$standing" ] || fail 64 "$standing is no directory; give another path"
  probe=$(mktemp -d -- "$standing/.storage-bench.XXXXXX" 2>/dev/null) || fail 74 "$standing cannot be written; give another path"
  rmdir -- "$probe"
}

# check_name PATH: whether a path that was given can be that of something to write.
check_name() {
  case $1 in
  '') fail 64 'a path is empty; give one' ;;
  -*) fail 64 "unknown option '$1'; a path that begins so is written ./$1" ;;
  *"
"*) fail 64 'a path has a line break; give another one' ;;
  esac
}

# check_new FILE: whether FILE is not there, not as a link either, and can be made.
check_new() {
  check_name "$1"
  if [ -e "$1" ] || [ -L "$1" ]; then fail 64 "$1 is there already; move it away, or give another path"; fi
  case $1 in */) fail 64 "$1 is the path of a directory; give that of a file" ;; esac
  [ -d "$(dirname -- "$1")" ] || fail 74 "$(dirname -- "$1") is no directory; make it, or give another path"
  check_writable "$1"
}

# A directory that a script makes anew holds this file: empty, or with the path of each file that the script has put there.
mark=.made-by-storage-bench

# check_own DIR: whether DIR can be made anew: it is not there, or is empty, or is a script's own with nothing else in it.
check_own() {
  check_name "$1"
  # With a slash at its end a link would pass for what it leads to.
  path=$(realpath -ms -- "$1")
  [ ! -L "$path" ] || fail 64 "$1 is a link; give the directory itself"
  if [ -d "$path" ]; then
    foreign=$(foreign "$path" 2>/dev/null) || fail 74 "$1 cannot be read; give another directory"
    [ -z "$foreign" ] ||
      fail 64 "$1 holds what this script did not make there (${foreign#./}); move it away, or give another directory"
  fi
  check_writable "$path"
}
# foreign DIR: something in DIR that is no script's own.
foreign() {
  cd -- "$1" || return 1
  if [ ! -f "$mark" ] || [ -L "$mark" ]; then
    find . -mindepth 1 -print -quit
  elif [ -s "$mark" ]; then
    find . ! -type d ! -path "./$mark" | LC_ALL=C sort | LC_ALL=C comm -23 - "$mark" | head -n 1
  fi
}

# own DIR: makes a directory of the script's own, or takes the one that is there.
own() {
  check_own "$1"
  { mkdir -p -- "$1" && : >>"$1/$mark"; } 2>/dev/null || fail 74 "cannot write $1; make it writable"
}

# renew DIR: the same, without what was in it.
renew() {
  check_own "$1"
  rm -rf --one-file-system -- "$1" || fail 74 "cannot remove $1; make it writable"
  own "$1"
}

# replace FILE TARGET [MODE]: puts a copy in the place of a file that is the script's to replace, by way of a new name beside
# it: no planted link is followed, at that name or at the place itself, and nothing is half written. Fails if it cannot.
replace() {
  {
    pending=$(mktemp -- "$2.XXXXXXXXXX") && cp -- "$1" "$pending" && chmod "${3:-644}" -- "$pending" &&
      mv -fT -- "$pending" "$2" && pending=
  } 2>/dev/null
}

# has WITNESS: whether a command, a header (*.h) or a file (/...) is there. Cheaper than asking the package
# manager, and right on a machine where somebody installed the library by other means.
has() {
  case $1 in
  /*) [ -e "$1" ] ;;
  *.h) [ -e "/usr/include/$1" ] || [ -e "/usr/local/include/$1" ] ;;
  *) command -v "$1" >/dev/null 2>&1 ;;
  esac
}

# need PACKAGE=WITNESS...: installs the packages whose witness is missing, by apt, as root or through sudo.
need() {
  packages=
  for pair; do
    has "${pair#*=}" || packages="$packages ${pair%%=*}"
  done
  [ -n "$packages" ] || return 0
  line="apt-get update && apt-get install -y --no-install-recommends$packages"
  if [ "$(id -u)" -eq 0 ]; then
    as_root=
  elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    as_root='sudo -n '
    line="sudo apt-get update && sudo apt-get install -y --no-install-recommends$packages"
  else
    fail 69 "missing:$packages; as root run: $line"
  fi
  command -v apt-get >/dev/null 2>&1 ||
    fail 69 "missing:$packages, and this system has no apt-get; install them in its own way (the names are Debian's)"
  printf '%s: %s\n' "$name" "$line" >&2
  # Unquoted on purpose: words, not one word.
  # shellcheck disable=SC2086
  {
    ${as_root}apt-get update -qq && ${as_root}env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y -qq -o Dpkg::Use-Pty=0 --no-install-recommends $packages
  } </dev/null >&2 || fail 69 "could not install$packages; run it by hand to see why: $line"
}

# want PACKAGE=WITNESS...: the same for optional packages; a warning names those that cannot be installed.
want() {
  for pair; do
    # In a subshell, which may fail.
    (need "$pair") || printf '%s: goes on without %s\n' "$name" "${pair%%=*}" >&2
  done
}

# The libraries that the package is built against, and what finds them.
need_libraries() {
  need libsqlite3-dev=sqlite3.h liblmdb-dev=lmdb.h pkg-config=pkg-config
}

# Swift does not come by apt: it is named, not installed.
need_swift() {
  command -v swift >/dev/null 2>&1 ||
    fail 69 "Swift is missing; install 6.2 or later from https://www.swift.org/install/linux and put it on PATH"
  version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\)\.\([0-9]*\).*/\1 \2/p' | head -n 1)
  # shellcheck disable=SC2086
  set -- ${version:-0 0}
  [ "$1" -gt 6 ] || { [ "$1" -eq 6 ] && [ "$2" -ge 2 ]; } ||
    fail 69 "Swift $1.$2 is too old; install 6.2 or later from https://www.swift.org/install/linux"
}

# Flags of every release build of these scripts, the same ones: others would compile everything again. Lines for a debugger
# are a tenth of the compiler's work and two thirds of what it writes, and change nothing of what is run.
release='-c release -debug-info-format none'

executable=$root/.build/release/storage-bench
stamp=$root/.build/scripts-release.stamp

# Prints everything but the sources that the executable depends on: the checkout's place, the flags, the toolchain (which
# can be replaced in place), the versions and places of dependencies, variables that change a build, system libraries.
build_identity() {
  compiler=$(readlink -f -- "$(command -v swift || echo none)")
  tools=${compiler%/*}
  printf '%s\n' "$root" "$release" "$compiler"
  for variable in CC CXX CPATH C_INCLUDE_PATH LIBRARY_PATH PKG_CONFIG_PATH PKG_CONFIG_LIBDIR SDKROOT SWIFT_EXEC TOOLCHAINS; do
    eval "printf '%s=%s\n' $variable \"\${$variable-}\""
  done
  # A file that comes or goes changes the output.
  cat -- "$root/Package.resolved" "$root"/.swiftpm/configuration/*.json "${HOME:-/}"/.swiftpm/configuration/*.json \
    2>/dev/null || true
  stat -L -c '%n %i %s %z' -- "$compiler" "$tools/swift-frontend" "$tools/swift-build" "$tools/clang" \
    "${tools%/*}/lib/swift/linux/libswiftCore.so" "$root"/Packages/* \
    /usr/include/sqlite3.h /usr/local/include/sqlite3.h /usr/include/lmdb.h /usr/local/include/lmdb.h \
    /usr/lib/*/libsqlite3.so /usr/local/lib/libsqlite3.so /usr/lib/*/liblmdb.so /usr/local/lib/liblmdb.so 2>/dev/null || true
}

# compiled FIND-ARGUMENTS: looks in the sources, the fetched dependencies and those of `swift package edit`.
compiled() {
  for place in "$root/Package.swift" "$root/Sources" "$root/.build/checkouts" "$root/Packages"; do
    [ ! -e "$place" ] || find -L "$place" -name .git -prune -o "$@"
  done
}

# Whether the executable holds every change: nothing that is compiled was written, moved in or removed since the
# last build began. The time of the inode's change is compared, not that of the content, which `tar` and
# `cp -p` set back. This takes milliseconds; asking SwiftPM takes half a second.
is_built() {
  [ -x "$executable" ] && [ -f "$stamp" ] && [ "$(cat -- "$stamp")" = "$(build_identity)" ] &&
    [ -z "$(compiled -cnewer "$stamp" -print -quit)" ]
}

# Compiled modules contain the path of the checkout: after a move the compiler refuses them.
discard_moved_build() {
  place=$root/.build/scripts-place
  if [ -f "$place" ] && [ "$(cat -- "$place")" != "$root" ]; then
    printf '%s: the checkout was moved here; it is built anew\n' "$name" >&2
    rm -rf -- "$root"/.build/*-linux-gnu "$root"/.build/debug "$root"/.build/release "$stamp"
  fi
  mkdir -p -- "$root/.build" 2>/dev/null || fail 74 "cannot write $root/.build; make the checkout writable"
  rm -f -- "$place"
  printf '%s\n' "$root" >"$place" || fail 74 "cannot write $place"
}

# Builds the release executable unless it is there and up to date.
build_release() {
  is_built && return 0
  need_swift
  discard_moved_build
  # Fetching and compiling fail for different reasons: the network, or the sources.
  attend in_root swift package resolve </dev/null >&2 ||
    fail 69 "the Swift packages could not be fetched (see above); the first build needs a network"
  # Made before the build begins: what is edited while it runs is newer.
  rm -f -- "$stamp.new"
  build_identity >"$stamp.new" || fail 74 "cannot write $stamp.new"
  printf '%s: swift build %s --product storage-bench (the first time about 4 minutes on two cores)\n' "$name" "$release" >&2
  # Words, not one word.
  # shellcheck disable=SC2086
  attend in_root swift build $release --product storage-bench </dev/null >&2 ||
    fail 74 "the release build failed (see above)"
  mv -fT -- "$stamp.new" "$stamp"
  # Writes back the files of the build now, and not while something is measured.
  sync
}

# build_product NAME: builds another executable of this package, in release, too.
build_product() {
  # shellcheck disable=SC2086
  attend swift build --package-path "$root" $release --product "$1" </dev/null >&2 ||
    fail 74 "the build failed; the errors are above"
}

# build_lab: builds the studies that are programs, in the same place, so that nothing is compiled twice.
build_lab() {
  # shellcheck disable=SC2086
  attend swift build --package-path "$root/Lab" --scratch-path "$root/.build" $release --product lab </dev/null >&2 ||
    fail 74 "the build failed; the errors are above"
}
