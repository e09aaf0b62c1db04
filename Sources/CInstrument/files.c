// The interposed calls on descriptors. They enter the kernel, then count by the kind of the descriptor. While calls are
// watched, watched.c enters the kernel for them.
#define _GNU_SOURCE
// The fortified inline versions of these functions would conflict with the definitions.
#undef _FORTIFY_SOURCE
#include "counters.h"
#include "descriptors.h"
#include "saves.h"
#include "watched.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static unsigned char kind_of(int descriptor) {
  uint64_t id;
  return ci_kind_and_id(descriptor, &id);
}

long ci_counted_write(int descriptor, long result, int is_acknowledged) {
  if (!ci_is_armed()) return result;
  KEEPING_ERRNO({
    // The kernel counts a call that fails because of a full disk or a bad address, but not one with another bad
    // argument.
    int counts = result >= 0 || (errno != EBADF && errno != EINVAL);
    uint64_t bytes = result > 0 ? (uint64_t)result : 0;
    uint64_t id;
    unsigned char kind = ci_kind_and_id(descriptor, &id);
    if ((kind & CI_KIND) == CI_STORE_FILE) {
      if (counts) ci_add(CI_WRITE_CALLS, 1);
      ci_add(CI_BYTES_WRITTEN, bytes);
      if (bytes > 0) {
        if (kind & CI_SYNCHRONOUS) ci_add(CI_SYNCS, 1);
        // A write whose failure is reported has brought nothing to the disk.
        ci_saves_written(id, kind & CI_SYNCHRONOUS && is_acknowledged);
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
    if ((kind_of(descriptor) & CI_KIND) == CI_STORE_FILE) {
      ci_add(CI_READ_CALLS, 1);
      if (result > 0) ci_add(CI_BYTES_READ, (uint64_t)result);
    }
  });
  return result;
}

static int counted_sync(int descriptor, long result, int is_of_all) {
  if (ci_is_armed()) KEEPING_ERRNO({
    uint64_t id;
    unsigned char kind = ci_kind_and_id(descriptor, &id) & CI_KIND;
    if (kind == CI_STORE_FILE || kind == CI_STORE_DIRECTORY) {
      ci_add(CI_SYNCS, 1);
      // A failed sync has brought nothing to the disk.
      if (result == 0) {
        if (is_of_all) ci_saves_all_synced();
        else if (kind == CI_STORE_FILE) ci_saves_synced(id);
        else ci_saves_directory_synced(id);
      }
    }
  });
  return (int)result;
}

static int counted_open(long result, int flags) {
  if (result >= 0 && ci_is_armed()) KEEPING_ERRNO({
    ci_forget_descriptor((int)result);
    if ((kind_of((int)result) & CI_KIND) == CI_STORE_FILE) {
      ci_add(CI_OPENS, 1);
    } else if ((flags & O_ACCMODE) != O_RDONLY) {
      struct stat status;
      if (syscall(SYS_fstat, (int)result, &status) == 0 && S_ISREG(status.st_mode)) ci_add(CI_OTHER_OPENS, 1);
    }
  });
  return (int)result;
}

// Writing

// Each function covers both modes: while calls are watched, all calls of a kind use one function.
#define PART(b, n) (&(struct iovec){(void *)(b), (n)})
#define WRITE(d, parts, count, at, call) \
  return ci_is_watching() ? WATCHED(ci_watched_write(d, parts, count, at)) : ci_counted_write(d, call, 1)

ssize_t write(int d, const void *b, size_t n) { WRITE(d, PART(b, n), 1, CI_AT_POSITION, syscall(SYS_write, d, b, n)); }
ssize_t pwrite(int d, const void *b, size_t n, off_t o) { WRITE(d, PART(b, n), 1, o, syscall(SYS_pwrite64, d, b, n, o)); }
ssize_t pwrite64(int d, const void *b, size_t n, off64_t o) { return pwrite(d, b, n, o); }
ssize_t writev(int d, const struct iovec *v, int n) { WRITE(d, v, n, CI_AT_POSITION, syscall(SYS_writev, d, v, n)); }
// The kernel takes the offset in two halves. On 64-bit machines the low half contains all of it.
ssize_t pwritev(int d, const struct iovec *v, int n, off_t o) { WRITE(d, v, n, o, syscall(SYS_pwritev, d, v, n, o, 0)); }
ssize_t pwritev64(int d, const struct iovec *v, int n, off64_t o) { return pwritev(d, v, n, o); }

// Queues and run loops wake their threads with it, and glibc's own function would write without being counted.
int eventfd_write(int d, eventfd_t value) { return write(d, &value, sizeof value) == sizeof value ? 0 : -1; }

struct copy {
  int from, to;
  off64_t *from_offset, *to_offset;
  unsigned flags;
};

static long send_bytes(void *context, size_t length) {
  struct copy *copy = context;
  return syscall(SYS_sendfile, copy->to, copy->from, copy->from_offset, length);
}

static long copy_bytes(void *context, size_t length) {
  struct copy *copy = context;
  return syscall(
      SYS_copy_file_range, copy->from, copy->from_offset, copy->to, copy->to_offset, length, copy->flags);
}

ssize_t sendfile(int to, int from, off_t *o, size_t n) {
  struct copy copy = {.from = from, .to = to, .from_offset = o};
  return ci_is_watching() ? WATCHED(ci_watched_copy(to, CI_AT_POSITION, n, send_bytes, &copy))
                          : ci_counted_write(to, send_bytes(&copy, n), 1);
}
ssize_t sendfile64(int to, int from, off64_t *o, size_t n) { return sendfile(to, from, o, n); }
ssize_t copy_file_range(int from, off64_t *fo, int to, off64_t *o, size_t n, unsigned flags) {
  struct copy copy = {.from = from, .to = to, .from_offset = fo, .to_offset = o, .flags = flags};
  return ci_is_watching() ? WATCHED(ci_watched_copy(to, o == NULL ? CI_AT_POSITION : *o, n, copy_bytes, &copy))
                          : ci_counted_write(to, copy_bytes(&copy, n), 1);
}

// Reading

#define READ(d, parts, count, at, call) \
  return counted_read(d, ci_is_watching() ? WATCHED(ci_watched_read(d, parts, count, at)) : (call))

ssize_t read(int d, void *b, size_t n) { READ(d, PART(b, n), 1, CI_AT_POSITION, syscall(SYS_read, d, b, n)); }
ssize_t pread(int d, void *b, size_t n, off_t o) { READ(d, PART(b, n), 1, o, syscall(SYS_pread64, d, b, n, o)); }
ssize_t pread64(int d, void *b, size_t n, off64_t o) { return pread(d, b, n, o); }
ssize_t readv(int d, const struct iovec *v, int n) { READ(d, v, n, CI_AT_POSITION, syscall(SYS_readv, d, v, n)); }
ssize_t preadv(int d, const struct iovec *v, int n, off_t o) { READ(d, v, n, o, syscall(SYS_preadv, d, v, n, o, 0)); }
ssize_t preadv64(int d, const struct iovec *v, int n, off64_t o) { return preadv(d, v, n, o); }
// A library compiled with _FORTIFY_SOURCE calls these if it knows the size of the buffer.
ssize_t __read_chk(int d, void *b, size_t n, size_t size) { return n > size ? (abort(), -1) : read(d, b, n); }
ssize_t __pread_chk(int d, void *b, size_t n, off_t o, size_t size) { return n > size ? (abort(), -1) : pread(d, b, n, o); }
ssize_t __pread64_chk(int d, void *b, size_t n, off64_t o, size_t size) { return n > size ? (abort(), -1) : pread64(d, b, n, o); }

// Syncing

static long sync_descriptor(int d, long number) {
  if (ci_skips_syncs()) return 0;
  return ci_is_watching() ? WATCHED(ci_watched_sync(d, number)) : syscall(number, d);
}

int fsync(int d) { return counted_sync(d, sync_descriptor(d, SYS_fsync), 0); }
int fdatasync(int d) { return counted_sync(d, sync_descriptor(d, SYS_fdatasync), 0); }
int syncfs(int d) { return counted_sync(d, sync_descriptor(d, SYS_syncfs), 1); }
void sync(void) {
  if (ci_skips_syncs()) return;
  if (!ci_is_armed()) {
    syscall(SYS_sync);
    return;
  }
  int kept = errno;
  long result = ci_is_watching() ? ci_watched_sync_all() : syscall(SYS_sync);
  errno = kept;
  ci_add(CI_SYNCS, 1);
  if (result == 0) ci_saves_all_synced();
}

// Lengths

static int truncate_file(int d, off64_t length) {
  return (int)(ci_is_watching() ? WATCHED(ci_watched_truncate(d, (uint64_t)length)) : syscall(SYS_ftruncate, d, length));
}

int ftruncate(int d, off_t length) { return truncate_file(d, length); }
int ftruncate64(int d, off64_t length) { return truncate_file(d, length); }
int truncate(const char *path, off_t length) {
  if (!ci_is_watching() || !ci_is_below_root(AT_FDCWD, path)) return (int)syscall(SYS_truncate, path, length);
  int d = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CLOEXEC, 0);
  if (d < 0) return -1;
  ci_forget_descriptor(d);
  int result = truncate_file(d, length);
  KEEPING_ERRNO(syscall(SYS_close, d); ci_forget_descriptor(d));
  return result;
}
int truncate64(const char *path, off64_t length) { return truncate(path, length); }

int fallocate(int d, int mode, off_t offset, off_t length) {
  return (int)(ci_is_watching() ? WATCHED(ci_watched_allocate(d, mode, (uint64_t)offset, (uint64_t)length))
                                : syscall(SYS_fallocate, d, mode, offset, length));
}
int fallocate64(int d, int mode, off64_t offset, off64_t length) { return fallocate(d, mode, offset, length); }

// Opening and closing

static mode_t mode_argument(int flags, va_list arguments) {
  return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? (mode_t)va_arg(arguments, unsigned) : 0;
}

static int open_file(int directory, const char *path, int flags, mode_t mode) {
  flags |= O_LARGEFILE;
  // O_SYNC contains O_DSYNC.
  if (ci_skips_syncing_writes()) flags &= ~O_SYNC;
  return counted_open(
      ci_is_watching() ? WATCHED(ci_watched_open(directory, path, flags, mode))
                       : syscall(SYS_openat, directory, path, flags, mode),
      flags);
}

#define DEFINE_OPEN(name)                                                              \
  int name(const char *path, int flags, ...) {                                         \
    va_list arguments;                                                                 \
    va_start(arguments, flags);                                                        \
    mode_t mode = mode_argument(flags, arguments);                                     \
    va_end(arguments);                                                                 \
    return open_file(AT_FDCWD, path, flags, mode);                                     \
  }
#define DEFINE_OPENAT(name)                                                            \
  int name(int directory, const char *path, int flags, ...) {                          \
    va_list arguments;                                                                 \
    va_start(arguments, flags);                                                        \
    mode_t mode = mode_argument(flags, arguments);                                     \
    va_end(arguments);                                                                 \
    return open_file(directory, path, flags, mode);                                    \
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
  ci_forget_descriptor(d);
  return (int)syscall(SYS_close, d);
}
int dup(int d) {
  int copy = (int)syscall(SYS_dup, d);
  ci_forget_descriptor(copy);
  return copy;
}
int dup2(int d, int to) {
  if (d != to) ci_forget_descriptor(to);
  // Some architectures have no SYS_dup2. SYS_dup3 refuses equal descriptors, for which dup2 only checks the descriptor.
  return d == to ? (syscall(SYS_fcntl, d, F_GETFD) < 0 ? -1 : d) : (int)syscall(SYS_dup3, d, to, 0);
}
int dup3(int d, int to, int flags) {
  ci_forget_descriptor(to);
  return (int)syscall(SYS_dup3, d, to, flags);
}
