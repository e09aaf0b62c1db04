# shellcheck shell=sh disable=SC2154
# Compares the disk models of `crashtest --fault power` with what real file systems leave.
#
# The models of `crashtest --fault power` against real file systems: on loop mounts of ext4 with and without a journal, xfs
# and btrfs the image is copied after each acknowledged save, which keeps every block that the file system has sent and loses the rest, and the
# copy is checked, mounted and opened. For what is found, the changes that are missing by each model. What ext4 leaves must
# be allowed by its own model, what xfs and btrfs leave by any.
#
#   scripts/lab power-cut                 50 cuts of each backend and level on each file system: about twenty minutes
#   scripts/lab power-cut CUTS [FS]       so many, on ext4, ext4-no-journal, xfs or btrfs alone
#
# It needs to be root and to be allowed to mount. Exit code: 1 if something is outside of the models or a promise is
# broken, 3 if nothing can be mounted here.
[ "$(id -u)" -eq 0 ] || fail 3 "only root can mount the images; run it as root"
# In a mount namespace of its own: when its last process ends, even by KILL, the kernel removes mounts and loop devices.
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
# In memory where there is some: copying images is most of the work.
parent=${TMPDIR:-/tmp}
[ ! -w /dev/shm ] || parent=/dev/shm
# Remove the directories of killed calls: of this script's name and of this user, with a lock that nobody holds.
for left in "$parent"/power-cut.??????; do
  if [ -d "$left" ] && [ ! -L "$left" ] && [ -O "$left" ] && [ -f "$left/power-cut.lock" ] && [ ! -L "$left/power-cut.lock" ]; then
    flock -n "$left/power-cut.lock" rm -rf --one-file-system -- "$left" || true
  fi
done
work=$(mktemp -d "$parent/power-cut.XXXXXX") || fail 74 "cannot make a directory in $parent"
exec 9>"$work/power-cut.lock"
flock 9
child=
# Called by the trap.
# shellcheck disable=SC2317
cleanup() {
  [ -z "$child" ] || kill -KILL "$child" 2>/dev/null || true
  [ -z "$child" ] || wait "$child" 2>/dev/null || true
  for place in "$work"/*/; do umount -l "$place" 2>/dev/null || true; done
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
# Waited for, so that a signal is answered at once; ended by the kernel when this script is killed.
setpriv --pdeathsig KILL -- "$root/.build/release/lab" power-cut "$work" "$@" 9>&- &
child=$!
status=0
wait "$child" || status=$?
child=
exit "$status"
