// The interposed file calls: enter the kernel, then count by what the descriptor is.
#define _GNU_SOURCE
// The fortified inline versions of these functions would stand in the way of defining them.
#undef _FORTIFY_SOURCE
#include "CStorageInstrument.h"
#include "counters.h"
#include "saves.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

// What a descriptor is. Found out at its first use and forgotten when it is closed or opened anew, so that
// descriptors made out of sight (mkstemp, fopen) are known all the same.
enum { UNKNOWN = 0, STORE_FILE = 1, STORE_DIRECTORY = 2, OTHER = 3, KIND = 3, SYNCHRONOUS = 4 };

#define DESCRIPTORS 65536
static _Atomic unsigned char kinds[DESCRIPTORS];
/// The files of descriptors whose kind is known.
static _Atomic uint64_t ids[DESCRIPTORS];

// The root as given and with links resolved: paths come in both forms.
static char roots[2][PATH_MAX];
static size_t root_lengths[2];

void ci_set_root(const char *root) {
  memset((void *)kinds, UNKNOWN, sizeof kinds);
  snprintf(roots[0], sizeof roots[0], "%s", root);
  if (realpath(root, roots[1]) == NULL) snprintf(roots[1], sizeof roots[1], "%s", root);
  for (int i = 0; i < 2; i++) {
    root_lengths[i] = strlen(roots[i]);
    while (root_lengths[i] > 1 && roots[i][root_lengths[i] - 1] == '/') roots[i][--root_lengths[i]] = 0;
  }
}

static int is_below_root(const char *path) {
  for (int i = 0; i < 2; i++)
    if (strncmp(path, roots[i], root_lengths[i]) == 0 && (path[root_lengths[i]] == '/' || path[root_lengths[i]] == 0))
      return 1;
  return 0;
}

static int path_of_descriptor(int descriptor, char *path, size_t size) {
  char link[40];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  long length = syscall(SYS_readlinkat, AT_FDCWD, link, path, size - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return 1;
}

static int path_is_below_root(int directory, const char *path) {
  if (path == NULL) return 0;
  if (path[0] == '/') return is_below_root(path);
  char full[2 * PATH_MAX];
  if (directory == AT_FDCWD) {
    if (syscall(SYS_getcwd, full, PATH_MAX) < 0) return 0;
  } else if (!path_of_descriptor(directory, full, PATH_MAX)) {
    return 0;
  }
  size_t length = strlen(full);
  snprintf(full + length, sizeof full - length, "/%s", path);
  return is_below_root(full);
}

static unsigned char find_kind(int descriptor, uint64_t *id) {
  char path[PATH_MAX];
  struct stat status;
  *id = 0;
  if (!path_of_descriptor(descriptor, path, sizeof path) || !is_below_root(path)) return OTHER;
  if (syscall(SYS_fstat, descriptor, &status) != 0) return OTHER;
  *id = ci_file_id(&status);
  if (S_ISDIR(status.st_mode)) return STORE_DIRECTORY;
  if (!S_ISREG(status.st_mode)) return OTHER;
  long flags = syscall(SYS_fcntl, descriptor, F_GETFL);
  // O_SYNC contains O_DSYNC.
  return STORE_FILE | (flags >= 0 && (flags & O_DSYNC) ? SYNCHRONOUS : 0);
}

static unsigned char kind_and_id(int descriptor, uint64_t *id) {
  if (descriptor < 0) return OTHER;
  if (descriptor >= DESCRIPTORS) return find_kind(descriptor, id);
  unsigned char kind = atomic_load_explicit(&kinds[descriptor], memory_order_acquire);
  if (kind == UNKNOWN) {
    kind = find_kind(descriptor, id);
    atomic_store_explicit(&ids[descriptor], *id, memory_order_relaxed);
    atomic_store_explicit(&kinds[descriptor], kind, memory_order_release);
  } else {
    *id = atomic_load_explicit(&ids[descriptor], memory_order_relaxed);
  }
  return kind;
}

static unsigned char kind_of(int descriptor) {
  uint64_t id;
  return kind_and_id(descriptor, &id);
}

static void forget(int descriptor) {
  if (descriptor >= 0 && descriptor < DESCRIPTORS)
    atomic_store_explicit(&kinds[descriptor], UNKNOWN, memory_order_relaxed);
}

// errno is the caller's to read after the call: counting must not change it.
#define KEEPING_ERRNO(statement) do { int kept = errno; statement; errno = kept; } while (0)

static long counted_write(int descriptor, long result) {
  if (!ci_is_armed()) return result;
  KEEPING_ERRNO({
    // The kernel counts a call that fails for want of space or at a bad address, but not one with another bad argument.
    int counts = result >= 0 || (errno != EBADF && errno != EINVAL);
    uint64_t bytes = result > 0 ? (uint64_t)result : 0;
    uint64_t id;
    unsigned char kind = kind_and_id(descriptor, &id);
    if ((kind & KIND) == STORE_FILE) {
      if (counts) ci_add(CI_WRITE_CALLS, 1);
      ci_add(CI_BYTES_WRITTEN, bytes);
      if (bytes > 0) {
        if (kind & SYNCHRONOUS) ci_add(CI_SYNCS, 1);
        ci_saves_written(id, kind & SYNCHRONOUS);
      }
    } else {
      if (counts) ci_add(CI_OTHER_WRITE_CALLS, 1);
      ci_add(CI_OTHER_BYTES_WRITTEN, bytes);
    }
  });
  return result;
}

static long counted_read(int descriptor, long result) {
  if (!ci_is_armed()) return result;
  KEEPING_ERRNO({
    if ((kind_of(descriptor) & KIND) == STORE_FILE) {
      ci_add(CI_READ_CALLS, 1);
      if (result > 0) ci_add(CI_BYTES_READ, (uint64_t)result);
    }
  });
  return result;
}

static int counted_sync(int descriptor, long result, int is_of_all) {
  if (ci_is_armed()) KEEPING_ERRNO({
    uint64_t id;
    unsigned char kind = kind_and_id(descriptor, &id) & KIND;
    if (kind == STORE_FILE || kind == STORE_DIRECTORY) {
      ci_add(CI_SYNCS, 1);
      // One that fails has taken nothing to the disk.
      if (result == 0) {
        if (is_of_all) ci_saves_all_synced();
        else if (kind == STORE_FILE) ci_saves_synced(id);
        else ci_saves_directory_synced(id);
      }
    }
  });
  return (int)result;
}

static int counted_open(long result, int flags) {
  if (result >= 0 && ci_is_armed()) KEEPING_ERRNO({
    forget((int)result);
    if ((kind_of((int)result) & KIND) == STORE_FILE) {
      ci_add(CI_OPENS, 1);
    } else if ((flags & O_ACCMODE) != O_RDONLY) {
      struct stat status;
      if (syscall(SYS_fstat, (int)result, &status) == 0 && S_ISREG(status.st_mode)) ci_add(CI_OTHER_OPENS, 1);
    }
  });
  return (int)result;
}

static int counted_path(enum ci_counter counter, int directory, const char *path, long result) {
  if (result == 0 && ci_is_armed()) KEEPING_ERRNO({
    if (path_is_below_root(directory, path)) ci_add(counter, 1);
  });
  return (int)result;
}

// Writing

ssize_t write(int d, const void *b, size_t n) { return counted_write(d, syscall(SYS_write, d, b, n)); }
ssize_t pwrite(int d, const void *b, size_t n, off_t o) { return counted_write(d, syscall(SYS_pwrite64, d, b, n, o)); }
ssize_t pwrite64(int d, const void *b, size_t n, off64_t o) { return counted_write(d, syscall(SYS_pwrite64, d, b, n, o)); }
ssize_t writev(int d, const struct iovec *v, int n) { return counted_write(d, syscall(SYS_writev, d, v, n)); }
// The kernel takes the offset in two halves; on 64-bit machines the low one holds all of it.
ssize_t pwritev(int d, const struct iovec *v, int n, off_t o) { return counted_write(d, syscall(SYS_pwritev, d, v, n, o, 0)); }
ssize_t pwritev64(int d, const struct iovec *v, int n, off64_t o) { return counted_write(d, syscall(SYS_pwritev, d, v, n, o, 0)); }
ssize_t sendfile(int to, int from, off_t *o, size_t n) { return counted_write(to, syscall(SYS_sendfile, to, from, o, n)); }
ssize_t sendfile64(int to, int from, off64_t *o, size_t n) { return counted_write(to, syscall(SYS_sendfile, to, from, o, n)); }
ssize_t copy_file_range(int from, off64_t *fo, int to, off64_t *o, size_t n, unsigned flags) {
  return counted_write(to, syscall(SYS_copy_file_range, from, fo, to, o, n, flags));
}

// Reading

ssize_t read(int d, void *b, size_t n) { return counted_read(d, syscall(SYS_read, d, b, n)); }
ssize_t pread(int d, void *b, size_t n, off_t o) { return counted_read(d, syscall(SYS_pread64, d, b, n, o)); }
ssize_t pread64(int d, void *b, size_t n, off64_t o) { return counted_read(d, syscall(SYS_pread64, d, b, n, o)); }
ssize_t readv(int d, const struct iovec *v, int n) { return counted_read(d, syscall(SYS_readv, d, v, n)); }
ssize_t preadv(int d, const struct iovec *v, int n, off_t o) { return counted_read(d, syscall(SYS_preadv, d, v, n, o, 0)); }
ssize_t preadv64(int d, const struct iovec *v, int n, off64_t o) { return counted_read(d, syscall(SYS_preadv, d, v, n, o, 0)); }
// What a library compiled with _FORTIFY_SOURCE calls instead where it knows the size of the buffer.
ssize_t __read_chk(int d, void *b, size_t n, size_t size) { return n > size ? (abort(), -1) : read(d, b, n); }
ssize_t __pread_chk(int d, void *b, size_t n, off_t o, size_t size) { return n > size ? (abort(), -1) : pread(d, b, n, o); }
ssize_t __pread64_chk(int d, void *b, size_t n, off64_t o, size_t size) { return n > size ? (abort(), -1) : pread64(d, b, n, o); }

// Syncing

int fsync(int d) { return counted_sync(d, syscall(SYS_fsync, d), 0); }
int fdatasync(int d) { return counted_sync(d, syscall(SYS_fdatasync, d), 0); }
int syncfs(int d) { return counted_sync(d, syscall(SYS_syncfs, d), 1); }
void sync(void) {
  syscall(SYS_sync);
  if (!ci_is_armed()) return;
  ci_add(CI_SYNCS, 1);
  ci_saves_all_synced();
}
int msync(void *address, size_t length, int flags) {
  long result = syscall(SYS_msync, address, length, flags);
  // A mapping has no descriptor any more. Nobody but the engine under test maps files for writing here.
  if (ci_is_armed() && flags & MS_SYNC) ci_add(CI_SYNCS, 1);
  return (int)result;
}

// Opening and closing

static mode_t mode_argument(int flags, va_list arguments) {
  return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? (mode_t)va_arg(arguments, unsigned) : 0;
}

#define DEFINE_OPEN(name)                                                              \
  int name(const char *path, int flags, ...) {                                         \
    va_list arguments;                                                                 \
    va_start(arguments, flags);                                                        \
    mode_t mode = mode_argument(flags, arguments);                                     \
    va_end(arguments);                                                                 \
    return counted_open(syscall(SYS_openat, AT_FDCWD, path, flags | O_LARGEFILE, mode), flags); \
  }
#define DEFINE_OPENAT(name)                                                            \
  int name(int directory, const char *path, int flags, ...) {                          \
    va_list arguments;                                                                 \
    va_start(arguments, flags);                                                        \
    mode_t mode = mode_argument(flags, arguments);                                     \
    va_end(arguments);                                                                 \
    return counted_open(syscall(SYS_openat, directory, path, flags | O_LARGEFILE, mode), flags); \
  }
DEFINE_OPEN(open)
DEFINE_OPEN(open64)
DEFINE_OPENAT(openat)
DEFINE_OPENAT(openat64)
int __open_2(const char *path, int flags) { return open(path, flags); }
int __open64_2(const char *path, int flags) { return open(path, flags); }
int __openat_2(int d, const char *path, int flags) { return openat(d, path, flags); }
int __openat64_2(int d, const char *path, int flags) { return openat(d, path, flags); }
int creat(const char *path, mode_t mode) { return open(path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int creat64(const char *path, mode_t mode) { return creat(path, mode); }

int close(int d) {
  forget(d);
  return (int)syscall(SYS_close, d);
}
int dup(int d) {
  int copy = (int)syscall(SYS_dup, d);
  forget(copy);
  return copy;
}
int dup2(int d, int to) {
  if (d != to) forget(to);
  // Not every architecture has SYS_dup2, and SYS_dup3 refuses equal descriptors, for which dup2 only checks.
  return d == to ? (syscall(SYS_fcntl, d, F_GETFD) < 0 ? -1 : d) : (int)syscall(SYS_dup3, d, to, 0);
}
int dup3(int d, int to, int flags) {
  forget(to);
  return (int)syscall(SYS_dup3, d, to, flags);
}

// Names

/// The file that is about to lose the last of its names, or 0.
static uint64_t losing_name(int directory, const char *path) {
  struct stat status;
  if (!ci_is_armed() || path == NULL || !path_is_below_root(directory, path)) return 0;
  if (fstatat(directory, path, &status, AT_SYMLINK_NOFOLLOW) != 0 || status.st_nlink > 1) return 0;
  return ci_file_id(&status);
}

/// The directory that a path's last name stands in, or 0.
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
  int result = counted_path(CI_RENAMES, td, to, syscall(SYS_renameat2, fd, from, td, to, flags));
  if (result == 0 && ci_is_armed()) KEEPING_ERRNO({
    struct stat status;
    if (path_is_below_root(td, to) && fstatat(td, to, &status, AT_SYMLINK_NOFOLLOW) == 0) {
      // Renamed over itself, or exchanged: nothing is gone.
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
  int result = counted_path(CI_UNLINKS, d, path, syscall(SYS_unlinkat, d, path, flags));
  if (result == 0 && removed != 0) ci_saves_removed(removed);
  return result;
}
int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
