#!/bin/sh
# Runs a command in a mount namespace in which only the named directories can be written: a write anywhere else fails.
#
#   sh scripts/lib/read_only.sh DIR... -- COMMAND...
#
# Devices, /proc and control groups stay writable. Exit code: that of the command; 3 if mounting is not possible here.
set -eu
if [ "${1:-}" != --mounted ]; then
  unshare -m mount -t tmpfs none /mnt 2>/dev/null || exit 3
  exec unshare -m sh "$0" --mounted "$@"
fi
shift
kept='
'
while [ "$1" != -- ]; do
  directory=$(readlink -f -- "$1")
  mount --bind -- "$directory" "$directory"
  kept="$kept$directory
"
  shift
done
shift
# The working directory may be one of the directories, which is another mount now.
cd -- "$(pwd -P)"
while read -r _ place type _; do
  case $type in proc | sysfs | cgroup* | dev* | mqueue | bpf | tracefs | debugfs | securityfs | fuse*) continue ;; esac
  case $kept in *"
$place
"*) continue ;; esac
  mount -o remount,bind,ro -- "$place" 2>/dev/null || true
done </proc/self/mounts
! touch -- /usr/storage-bench-probe 2>/dev/null || { rm -f -- /usr/storage-bench-probe; exit 3; }
exec "$@"
