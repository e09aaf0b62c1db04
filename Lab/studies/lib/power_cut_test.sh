#!/bin/sh
# Tests that scripts/lab power-cut leaves no mount, loop device or process after TERM and KILL, and no file after the
# next call. A substitute for the program mounts and waits. Exit code: 1 if something is left, 3 if nothing can be
# mounted here.
set -eu
here=$(dirname -- "$(readlink -f -- "$0")")
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
tree=$work/tree
mkdir -p "$tree/scripts/lib" "$tree/Lab/studies" "$tree/.build/release" "$work/bin"
cp "$here/../power-cut.sh" "$tree/Lab/studies/"
cp "$here/../../../scripts/lab" "$tree/scripts/"
cp "$here/../../../scripts/lib/install.sh" "$tree/scripts/lib/"
printf '#!/bin/sh\necho "Swift version 6.3"\n' >"$work/bin/swift"
cat >"$tree/.build/release/lab" <<END
#!/bin/sh
mount -o loop "\$2/image" "\$2/mount" && echo "\$\$ \$2" >"$work/mounted"
exec sleep 60
END
chmod +x "$work/bin/swift" "$tree/.build/release/lab"
export PATH="$work/bin:$PATH"
bad=0
for signal in KILL TERM; do
  rm -f "$work/mounted"
  "$tree/scripts/lab" power-cut >/dev/null 2>&1 &
  script=$!
  for _ in 1 2 3 4 5 6 7 8 9 10; do [ -s "$work/mounted" ] || sleep 1; done
  [ -s "$work/mounted" ] || { wait "$script" || exit $?; }
  read -r program directory <"$work/mounted"
  kill -s "$signal" "$script"
  wait "$script" 2>/dev/null || true
  sleep 1
  # A zombie process (Z) has ended, too.
  ! grep -q '^State:.[^ZX]' "/proc/$program/status" 2>/dev/null || { echo "$signal: a process is left" && bad=1; }
  ! losetup -a | grep -qF "$directory/" || { echo "$signal: a loop device is left" && bad=1; }
  ! grep -qF " $directory/" /proc/mounts || { echo "$signal: a mount is left" && bad=1; }
  [ "$signal" = TERM ] || killed=$directory
done
# The second call has removed the files of the first, and then its own.
for left in "$directory" "$killed"; do
  [ ! -e "$left" ] || { echo "files are left: $left" && bad=1; }
done
exit "$bad"
