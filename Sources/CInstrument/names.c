// The interposed calls on names.
#define _GNU_SOURCE
#undef _FORTIFY_SOURCE
#include "counters.h"
#include "descriptors.h"
#include "saves.h"
#include "watched.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int counted_path(enum ci_counter counter, int directory, const char *path, long result) {
  if (result == 0 && ci_is_armed()) KEEPING_ERRNO({
    if (ci_is_below_root(directory, path)) ci_add(counter, 1);
  });
  return (int)result;
}

/// Returns the file that is about to lose its last name, or 0.
static uint64_t losing_name(int directory, const char *path) {
  struct stat status;
  if (!ci_is_armed() || path == NULL || !ci_is_below_root(directory, path)) return 0;
  if (fstatat(directory, path, &status, AT_SYMLINK_NOFOLLOW) != 0 || status.st_nlink > 1) return 0;
  return ci_file_id(&status);
}

/// Returns the directory that contains a path's last name, or 0.
static uint64_t parent_of(int directory, const char *path) {
  char parent[PATH_MAX];
  const char *slash = strrchr(path, '/');
  size_t length = slash == NULL ? 0 : (size_t)(slash - path);
  if (length >= sizeof parent) return 0;
  // The parent of /name is the slash itself.
  memcpy(parent, path, length == 0 && slash != NULL ? (length = 1) : length);
  parent[length] = 0;
  struct stat status;
  return fstatat(directory, length == 0 ? "." : parent, &status, 0) == 0 ? ci_file_id(&status) : 0;
}

int renameat2(int fd, const char *from, int td, const char *to, unsigned flags) {
  int kept = errno;
  uint64_t replaced = losing_name(td, to);
  errno = kept;
  int result = counted_path(
      CI_RENAMES, td, to,
      ci_is_watching() ? WATCHED(ci_watched_rename(fd, from, td, to, flags))
                       : syscall(SYS_renameat2, fd, from, td, to, flags));
  if (result == 0 && ci_is_armed()) KEEPING_ERRNO({
    struct stat status;
    if (ci_is_below_root(td, to) && fstatat(td, to, &status, AT_SYMLINK_NOFOLLOW) == 0) {
      // If a file is renamed over itself, or two are exchanged, none is removed.
      if (replaced != 0 && replaced != ci_file_id(&status) && !(flags & RENAME_EXCHANGE)) ci_saves_removed(replaced);
      ci_saves_renamed(ci_file_id(&status), parent_of(td, to));
    }
  });
  return result;
}
int renameat(int fd, const char *from, int td, const char *to) { return renameat2(fd, from, td, to, 0); }
int rename(const char *from, const char *to) { return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0); }
int unlinkat(int d, const char *path, int flags) {
  int kept = errno;
  uint64_t removed = losing_name(d, path);
  errno = kept;
  int result = counted_path(
      CI_UNLINKS, d, path,
      ci_is_watching() ? WATCHED(ci_watched_unlink(d, path, flags)) : syscall(SYS_unlinkat, d, path, flags));
  if (result == 0 && removed != 0) KEEPING_ERRNO({
    ci_saves_removed(removed);
    ci_saves_unlinked(parent_of(d, path));
  });
  return result;
}
int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }
int remove(const char *path) {
  int kept = errno;
  if (unlink(path) == 0) return 0;
  if (errno != EISDIR && errno != EPERM) return -1;
  errno = kept;
  return rmdir(path);
}

int linkat(int fd, const char *from, int td, const char *to, int flags) {
  return (int)(ci_is_watching() ? WATCHED(ci_watched_link(fd, from, td, to, flags))
                                : syscall(SYS_linkat, fd, from, td, to, flags));
}
int link(const char *from, const char *to) { return linkat(AT_FDCWD, from, AT_FDCWD, to, 0); }

int mkdirat(int d, const char *path, mode_t mode) {
  return (int)(ci_is_watching() ? WATCHED(ci_watched_make_directory(d, path, mode))
                                : syscall(SYS_mkdirat, d, path, mode));
}
int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }
