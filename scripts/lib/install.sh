# shellcheck shell=sh
# Functions of all scripts: install what is missing, build what has changed, replace no files of others, leave nothing
# behind.
# Everything printed here goes to standard error, so that a script's standard output is that of its program.

root=$(dirname -- "$(dirname -- "$(readlink -f -- "$0")")")
name=scripts/$(basename -- "$0")

# The end of a script, for any reason: its processes are ended, its function `leave` is called, and a file that was not
# moved to its target and the directory of make_work are removed. A second signal kills processes that do not end.
work='' pending=''
leave() { :; }
# descendants PROCESS: prints its child processes and their descendants.
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
  # Split into words on purpose.
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
# The exit code of an interruption, regardless of the exit code of a build command.
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 141' PIPE
trap 'exit 143' TERM

# attend COMMAND...: runs a command. A signal to the script is handled at once, and ends the command as well.
attend() {
  "$@" &
  wait "$!"
}

# in_root COMMAND...: runs a command in the root of the checkout, through `attend`.
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

# make_work PARENT: creates $work, a directory that is removed when the script ends.
make_work() {
  work=$(mktemp -d -- "$1/${name##*[/ ]}.XXXXXX" 2>/dev/null) ||
    fail 74 "no directory can be made in $1; make it writable, free some space, or set TMPDIR to another"
  work=$(realpath -- "$work")
}

# standing PATH: prints the path, or its first existing parent directory.
standing() {
  path=$1
  while [ ! -e "$path" ] && [ ! -L "$path" ]; do path=$(dirname -- "$path"); done
  printf '%s\n' "$path"
}

# check_writable DIR: fails if nothing can be created in DIR, or in its first existing parent directory.
check_writable() {
  standing=$(standing "$1")
  [ -d "$standing" ] || fail 64 "$standing is no directory; give another path"
  probe=$(mktemp -d -- "$standing/.storage-bench.XXXXXX" 2>/dev/null) || fail 74 "$standing cannot be written; give another path"
  rmdir -- "$probe"
}

# check_name PATH: fails if an argument cannot be the path of an output.
check_name() {
  case $1 in
  '') fail 64 'a path is empty; give one' ;;
  -*) fail 64 "unknown option '$1'; a path that begins so is written ./$1" ;;
  *"
"*) fail 64 'a path has a line break; give another one' ;;
  esac
}

# check_new FILE: fails if FILE exists, even as a link, or cannot be created.
check_new() {
  check_name "$1"
  if [ -e "$1" ] || [ -L "$1" ]; then fail 64 "$1 is there already; move it away, or give another path"; fi
  case $1 in */) fail 64 "$1 is the path of a directory; give that of a file" ;; esac
  [ -d "$(dirname -- "$1")" ] || fail 74 "$(dirname -- "$1") is no directory; make it, or give another path"
  check_writable "$1"
}

# The file that marks a directory as created by a script: empty, or with the path of each file that the script has
# written there.
mark=.made-by-storage-bench

# check_own DIR: fails if DIR cannot be recreated. It must be missing, empty, or have only files of a script.
check_own() {
  check_name "$1"
  # With a slash at its end, a link would be taken for its target.
  path=$(realpath -ms -- "$1")
  [ ! -L "$path" ] || fail 64 "$1 is a link; give the directory itself"
  if [ -d "$path" ]; then
    foreign=$(foreign "$path" 2>/dev/null) || fail 74 "$1 cannot be read; give another directory"
    [ -z "$foreign" ] ||
      fail 64 "$1 holds what this script did not make there (${foreign#./}); move it away, or give another directory"
  fi
  check_writable "$path"
}
# foreign DIR: prints a file in DIR that no script has created.
foreign() {
  cd -- "$1" || return 1
  if [ ! -f "$mark" ] || [ -L "$mark" ]; then
    find . -mindepth 1 -print -quit
  elif [ -s "$mark" ]; then
    find . ! -type d ! -path "./$mark" | LC_ALL=C sort | LC_ALL=C comm -23 - "$mark" | head -n 1
  fi
}

# own DIR: creates a directory for the script, or uses the existing one.
own() {
  check_own "$1"
  { mkdir -p -- "$1" && : >>"$1/$mark"; } 2>/dev/null || fail 74 "cannot write $1; make it writable"
}

# renew DIR: does the same, and removes the former contents.
renew() {
  check_own "$1"
  rm -rf --one-file-system -- "$1" || fail 74 "cannot remove $1; make it writable"
  own "$1"
}

# replace FILE TARGET [MODE]: replaces TARGET, which the script owns, by a copy, through a new name beside it. It
# follows no planted link at either name, and leaves no partial file. Fails if it cannot.
replace() {
  {
    pending=$(mktemp -- "$2.XXXXXXXXXX") && cp -- "$1" "$pending" && chmod "${3:-644}" -- "$pending" &&
      mv -fT -- "$pending" "$2" && pending=
  } 2>/dev/null
}

# has WITNESS: whether a command, a header (*.h), a shared library (*.so.*) or a file (/...) exists. Cheaper than a
# query of the package manager, and also right if the library was installed by other means.
has() {
  case $1 in
  /*) [ -e "$1" ] ;;
  *.so.*) PATH="$PATH:/usr/sbin:/sbin" ldconfig -p 2>/dev/null | grep -q "^[[:space:]]*$1 " ;;
  *.h) [ -e "/usr/include/$1" ] || [ -e "/usr/local/include/$1" ] ;;
  *) command -v "$1" >/dev/null 2>&1 ;;
  esac
}

# need PACKAGE=WITNESS...: installs the packages whose witness is missing, with apt, as root or through sudo.
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
  # Split into words on purpose.
  # shellcheck disable=SC2086
  {
    ${as_root}apt-get update -qq && ${as_root}env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y -qq -o Dpkg::Use-Pty=0 --no-install-recommends $packages
  } </dev/null >&2 || fail 69 "could not install$packages; run it by hand to see why: $line"
}

# want PACKAGE=WITNESS...: does the same for optional packages. Prints a message if one cannot be installed.
want() {
  for pair; do
    # In a subshell, because it may fail.
    (need "$pair") || printf '%s: goes on without %s\n' "$name" "${pair%%=*}" >&2
  done
}

# The libraries that the package is built against, and pkg-config, which finds them.
need_libraries() {
  need libsqlite3-dev=sqlite3.h liblmdb-dev=lmdb.h pkg-config=pkg-config
}

# Swift is not available from apt, so a missing one is reported, not installed.
need_swift() {
  command -v swift >/dev/null 2>&1 ||
    fail 69 "Swift is missing; install 6.2 or later from https://www.swift.org/install/linux and put it on PATH"
  version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\)\.\([0-9]*\).*/\1 \2/p' | head -n 1)
  # shellcheck disable=SC2086
  set -- ${version:-0 0}
  [ "$1" -gt 6 ] || { [ "$1" -eq 6 ] && [ "$2" -ge 2 ]; } ||
    fail 69 "Swift $1.$2 is too old; install 6.2 or later from https://www.swift.org/install/linux"
}

# Flags of every release build of these scripts. They are the same because others would compile everything again. Debug
# information takes a tenth of the compiler's work and two thirds of its output, and does not change the program.
release='-c release -debug-info-format none'
built=$root/.build
# scripts/test sets this variable. All scripts that it calls then use its build, which lets tests use internal declarations
# and checks the queues of contexts. Such a build has its own directory, because other flags compile everything again. The
# example and Lab are built there, too, and SwiftPM must not take the build plan of one package for that of another.
if [ -n "${STORAGE_BENCH_TESTS:-}" ]; then
  release="$release -Xswiftc -enable-testing -Xswiftc -DCHECKS_QUEUES --disable-build-manifest-caching"
  built=$root/.build/tests
fi

executable=$built/release/storage-bench
stamp=$built/scripts-release.stamp

# Prints everything but the sources that the executable depends on: the path of the checkout, the flags, the toolchain
# (which can be replaced in place), the versions and paths of dependencies, variables that change a build, system
# libraries.
build_identity() {
  compiler=$(readlink -f -- "$(command -v swift || echo none)")
  tools=${compiler%/*}
  printf '%s\n' "$root" "$release" "$compiler"
  for variable in CC CXX CPATH C_INCLUDE_PATH LIBRARY_PATH PKG_CONFIG_PATH PKG_CONFIG_LIBDIR SDKROOT SWIFT_EXEC TOOLCHAINS; do
    eval "printf '%s=%s\n' $variable \"\${$variable-}\""
  done
  # The output also changes if a file is added or removed.
  cat -- "$root/Package.resolved" "$root"/.swiftpm/configuration/*.json "${HOME:-/}"/.swiftpm/configuration/*.json \
    2>/dev/null || true
  stat -L -c '%n %i %s %z' -- "$compiler" "$tools/swift-frontend" "$tools/swift-build" "$tools/clang" \
    "${tools%/*}/lib/swift/linux/libswiftCore.so" "$root"/Packages/* \
    /usr/include/sqlite3.h /usr/local/include/sqlite3.h /usr/include/lmdb.h /usr/local/include/lmdb.h \
    /usr/lib/*/libsqlite3.so /usr/local/lib/libsqlite3.so /usr/lib/*/liblmdb.so /usr/local/lib/liblmdb.so 2>/dev/null || true
}

# compiled FIND-ARGUMENTS: searches the sources, the fetched dependencies and those of `swift package edit`.
compiled() {
  for place in "$root/Package.swift" "$root/Sources" "$built/checkouts" "$root/Packages"; do
    [ ! -e "$place" ] || find -L "$place" -name .git -prune -o "$@"
  done
}

# Whether the executable is up to date: no compiled file was written, moved in or removed since the last build began.
# The inode's change time is compared, because `tar` and `cp -p` set back the modification time. This takes
# milliseconds; asking SwiftPM takes half a second.
is_built() {
  [ -x "$executable" ] && [ -f "$stamp" ] && [ "$(cat -- "$stamp")" = "$(build_identity)" ] &&
    [ -z "$(compiled -cnewer "$stamp" -print -quit)" ]
}

# Removes the build if the checkout was moved: compiled files contain its path, and the compiler rejects another one.
discard_moved_build() {
  place=$built/scripts-place
  if [ -f "$place" ] && [ "$(cat -- "$place")" != "$root" ]; then
    printf '%s: the checkout was moved here; it is built anew\n' "$name" >&2
    rm -rf -- "$built"/*-linux-gnu "$built"/debug "$built"/release "$stamp"
  fi
  mkdir -p -- "$built" 2>/dev/null || fail 74 "cannot write $built; make the checkout writable"
  rm -f -- "$place"
  printf '%s\n' "$root" >"$place" || fail 74 "cannot write $place"
}

# Builds the release executable unless it is up to date.
build_release() {
  is_built && return 0
  need_swift
  discard_moved_build
  # Fetching is separate from compiling: one failure needs a network, the other a fix in the sources.
  attend in_root swift package --scratch-path "$built" resolve </dev/null >&2 ||
    fail 69 "the Swift packages could not be fetched (see above); the first build needs a network"
  # Created before the build begins, so that files edited meanwhile are newer.
  rm -f -- "$stamp.new"
  build_identity >"$stamp.new" || fail 74 "cannot write $stamp.new"
  printf '%s: swift build %s --product storage-bench (the first time about 4 minutes on two cores)\n' "$name" "$release" >&2
  # Split into words on purpose.
  # shellcheck disable=SC2086
  attend in_root swift build $release --scratch-path "$built" --product storage-bench </dev/null >&2 ||
    fail 74 "the release build failed (see above)"
  mv -fT -- "$stamp.new" "$stamp"
  # The output of the build must not be written back during a measurement.
  sync
}

# build_product NAME: builds another executable of this package in release.
build_product() {
  # shellcheck disable=SC2086
  attend swift build --package-path "$root" $release --scratch-path "$built" --product "$1" </dev/null >&2 ||
    fail 74 "the build failed; the errors are above"
}

# build_lab: builds the studies that are programs, in the same directory, so that nothing is compiled twice.
build_lab() {
  # Without this option, SwiftPM may take the build plan of the root package, in the same directory, for that of Lab.
  # shellcheck disable=SC2086
  attend swift build --package-path "$root/Lab" --scratch-path "$built" $release --product lab \
    --disable-build-manifest-caching </dev/null >&2 || fail 74 "the build failed; the errors are above"
}
