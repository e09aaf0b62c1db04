# shellcheck shell=sh disable=SC2154
# Fetches other SQLite libraries for the option `library=`, and libmdbx for the backend `mdbx`, into a directory of their
# own. See scripts/install.

engines=${STORAGE_BENCH_ENGINES:-${XDG_CACHE_HOME:-${HOME:-/}/.cache}/storage-bench/engines}

# The wheels of SQLite3 Multiple Ciphers and of libmdbx, with the hash of each architecture's file. There is no wheel of
# libmdbx 0.3.2 for aarch64.
wheel_sqlite3mc='apsw-sqlite3mc==3.54.0.0
  --hash=sha256:814782d9ab6613eca93c7d7d8985baf472850f7d720ea16fe66dd48178ae9057
  --hash=sha256:e20b5cb36ed5e51f9cd7e81bb3e657bdad9a1765d3b8d0eab75b74b66bdc1485'

# keep FILE NAME ORIGIN: puts a library into the directory.
keep() {
  replace "$1" "$engines/$2" || fail 74 "cannot write $engines/$2; make the directory writable"
  say '%s: %s\n' "$engines/$2" "$3"
}

wheel_mdbx='libmdbx==0.3.2
  --hash=sha256:e9e72d535806136b8f735e22c9bf990b9c07e5f8d269ee470dd3e708de0ea423'

# unpack_wheel NAME REQUIREMENT PLATFORM: unpacks a wheel into $work/NAME. PLATFORM lacks the
# architecture.
unpack_wheel() {
  python3 -m pip --version >/dev/null 2>&1 || (need python3-pip=pip3) || return 1
  printf '%s\n' "$2" | tr -s '\n ' ' ' >"$work/$1.txt"
  attend python3 -m pip download -qqq --disable-pip-version-check --retries 1 --timeout 15 --require-hashes --no-deps \
    --only-binary :all: \
    --implementation cp --python-version 3.11 --abi cp311 --platform "$3_$(uname -m)" \
    --dest "$work/$1-wheel" --requirement "$work/$1.txt" </dev/null >"$work/pip" 2>&1 &&
    python3 -m zipfile -e "$work/$1-wheel"/*.whl "$work/$1"
}

# The wheel also has SQLite's extensions, such as cksumvfs for the option `checksums=yes`.
fetch_sqlite3mc() {
  unpack_wheel sqlite3mc "$wheel_sqlite3mc" manylinux_2_28 || return 1
  libraries=$work/sqlite3mc/apsw/sqlite_extra_binaries
  keep "$libraries/libsqlite3_tool.so" libsqlite3mc.so "apsw-sqlite3mc 3.54.0.0 of PyPI"
  keep "$libraries/cksumvfs.so" cksumvfs.so "apsw-sqlite3mc 3.54.0.0 of PyPI"
}

fetch_mdbx() {
  unpack_wheel mdbx "$wheel_mdbx" manylinux2014 &&
    keep "$work/mdbx/mdbx/lib/libmdbx.so" libmdbx.so "libmdbx 0.3.2 of PyPI"
}

# Debian's package is only unpacked, so that nothing else changes. Its name ends in the version of the interface.
fetch_sqlcipher() {
  command -v apt-get >/dev/null 2>&1 && command -v dpkg-deb >/dev/null 2>&1 || return 1
  for package in libsqlcipher1 libsqlcipher0; do
    mkdir -p -- "$work/$package" && chmod 755 -- "$work" "$work/$package"
    (cd -- "$work/$package" && apt-get download -qq "$package") </dev/null >/dev/null 2>&1 || continue
    dpkg-deb -x "$work/$package"/*.deb "$work/$package" || return 1
    file=$(find "$work/$package" -type f -name 'libsqlcipher.so.*')
    keep "$file" libsqlcipher.so "$package $(dpkg-deb -f "$work/$package"/*.deb Version) of $(distribution)"
    return 0
  done
  return 1
}
distribution() { sed -n 's/^PRETTY_NAME="\{0,1\}\([^"]*\)"\{0,1\}$/\1/p' /etc/os-release; }

fetch_engines() {
  own "$engines"
  make_work "${TMPDIR:-/tmp}"
  lacking=
  for engine in sqlite3mc sqlcipher mdbx; do
    "fetch_$engine" || lacking="$lacking $engine"
  done
  reason=$(tail -n 1 -- "$work/pip" 2>/dev/null) || reason=
  [ -z "$reason" ] || reason=" ($reason)"
  case $lacking in
  '') ;;
  ' sqlite3mc sqlcipher mdbx') fail 69 "cannot fetch$lacking$reason; $needed" ;;
  *) printf '%s: goes on without%s; %s\n' "$name" "$lacking$reason" "$needed" >&2 ;;
  esac
}
needed='a network, python3 with pip, and apt-get after apt-get update are needed'
