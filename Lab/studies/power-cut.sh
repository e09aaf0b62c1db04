# shellcheck shell=sh disable=SC2154
# Compares the disk models of `crashtest --fault power` with the states that real file systems leave.
#
# Compares the models of `crashtest --fault power` with real file systems: loop mounts of ext4 with and without a
# journal, xfs and btrfs. The image is copied after each acknowledged save, which keeps every block that the file
# system has written and loses the rest. The copy is checked, mounted and opened. For each state the study prints the
# missing changes by each model. States of ext4 must be allowed by its own model, those of xfs and btrfs by any.
#
#   scripts/lab power-cut                 50 cuts of each backend and level on each file system: about twenty minutes
#   scripts/lab power-cut CUTS [FS]       this many cuts; with FS only on that of ext4, ext4-no-journal, xfs or btrfs
#
# It needs root and the permission to mount. Exit code: 1 if a state is outside of the models or a promise is broken, 3
# if nothing can be mounted here.
[ "$(id -u)" -eq 0 ] || fail 3 "only root can mount the images; run it as root"
# The study runs in a private mount namespace. When its last process ends, even by KILL, the kernel removes mounts and
# loop devices.
if [ "${POWER_CUT_MOUNTS:-}" != "$(readlink /proc/self/ns/mnt)" ]; then
  # shellcheck disable=SC2016
  unshare -m --propagation private true 2>/dev/null &&
    exec unshare -m --propagation private sh -c 'POWER_CUT_MOUNTS=$(readlink /proc/self/ns/mnt) exec "$0" power-cut "$@"' "$0" "$@"
  fail 3 "nothing can be mounted here: run it as root, outside of a container that forbids it"
fi
need_libraries
need e2fsprogs=mkfs.ext4 e2fsprogs=e2fsck xfsprogs=mkfs.xfs btrfs-progs=mkfs.btrfs mount=mount
need_swift
build_lab
# Images are in memory if possible, since copying them is most of the work.
parent=${TMPDIR:-/tmp}
[ ! -w /dev/shm ] || parent=/dev/shm
# Remove the directories of killed calls: those with this script's name, owned by this user, with a lock that no
# process holds.
for left in "$parent"/power-cut.??????; do
  if [ -d "$left" ] && [ ! -L "$left" ] && [ -O "$left" ] && [ -f "$left/power-cut.lock" ] && [ ! -L "$left/power-cut.lock" ]; then
    flock -n "$left/power-cut.lock" rm -rf --one-file-system -- "$left" || true
  fi
done
work=$(mktemp -d "$parent/power-cut.XXXXXX") || fail 74 "cannot make a directory in $parent"
exec 9>"$work/power-cut.lock"
flock 9
child=
# This function is called by the trap.
# shellcheck disable=SC2317
cleanup() {
  [ -z "$child" ] || kill -KILL "$child" 2>/dev/null || true
  [ -z "$child" ] || wait "$child" 2>/dev/null || true
  for directory in "$work"/*/; do umount -l "$directory" 2>/dev/null || true; done
  rm -rf --one-file-system -- "$work"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
truncate -s 8M "$work/image"
mkfs.ext4 -Fq "$work/image"
mkdir "$work/mount"
mount -o loop "$work/image" "$work/mount" 2>/dev/null ||
  fail 3 "nothing can be mounted here: run it as root, outside of a container that forbids it"
umount "$work/mount"
# The program runs in the background, so that a signal is handled at once. The kernel ends it if this script is killed.
setpriv --pdeathsig KILL -- "$built/release/lab" power-cut "$work" "$@" 9>&- &
child=$!
status=0
wait "$child" || status=$?
child=
exit "$status"
