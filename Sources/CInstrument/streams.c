// stdio, mkstemp and similar functions call the kernel inside libc, where calls cannot be interposed. So a stream on a
// file of the store uses functions of this library while calls are watched, and when a store that will be counted is
// opened. A temporary file is opened by this library while calls are watched.
#define _GNU_SOURCE
#undef _FORTIFY_SOURCE
#include "counters.h"
#include "descriptors.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

// libc's own functions. They are looked up before main, so that their first call takes no longer than others.
static __typeof__(&fopen) libc_fopen;
static __typeof__(&fdopen) libc_fdopen;
static __typeof__(&mkostemps) libc_mkostemps;
static __typeof__(&mkdtemp) libc_mkdtemp;
static __typeof__(&posix_fallocate) libc_posix_fallocate;
static __typeof__(&vdprintf) libc_vdprintf;
static __typeof__(&pthread_setname_np) libc_pthread_setname_np;

// Whether streams on files of the store are interposed before counting begins: see ci_count_streams.
static atomic_int counts_streams;
static int makes_streams(void) { return ci_is_watching() || atomic_load(&counts_streams); }

void ci_count_streams(const char *root) {
  ci_set_root(root);
  atomic_store(&counts_streams, 1);
}

static void look_up(void) {
  libc_fopen = (__typeof__(&fopen))dlsym(RTLD_NEXT, "fopen");
  libc_fdopen = (__typeof__(&fdopen))dlsym(RTLD_NEXT, "fdopen");
  libc_mkostemps = (__typeof__(&mkostemps))dlsym(RTLD_NEXT, "mkostemps");
  libc_mkdtemp = (__typeof__(&mkdtemp))dlsym(RTLD_NEXT, "mkdtemp");
  libc_posix_fallocate = (__typeof__(&posix_fallocate))dlsym(RTLD_NEXT, "posix_fallocate");
  libc_vdprintf = (__typeof__(&vdprintf))dlsym(RTLD_NEXT, "vdprintf");
  libc_pthread_setname_np = (__typeof__(&pthread_setname_np))dlsym(RTLD_NEXT, "pthread_setname_np");
}

// A constructor of another library may already have called it.
__attribute__((constructor)) static void prepare(void) {
  if (libc_fopen == NULL) look_up();
}
#define ORIGINAL(name) (libc_##name == NULL ? look_up() : (void)0, libc_##name)

/// The data of an interposed stream.
struct stream {
  int descriptor;
  /// The buffer has the size of libc's, so that the stream makes the same writes as without interposition.
  char buffer[];
};

static ssize_t stream_read(void *cookie, char *bytes, size_t count) {
  return read(((struct stream *)cookie)->descriptor, bytes, count);
}

/// Writes as stdio does: the rest of a short write is written again, and an interrupted write is an error. Returns the
/// number of bytes written.
static size_t write_rest(int descriptor, const char *bytes, size_t count) {
  size_t done = 0;
  while (done < count) {
    ssize_t written = write(descriptor, bytes + done, count - done);
    if (written <= 0) break;
    done += (size_t)written;
  }
  return done;
}

static ssize_t stream_write(void *cookie, const char *bytes, size_t count) {
  return (ssize_t)write_rest(((struct stream *)cookie)->descriptor, bytes, count);
}

static int stream_seek(void *cookie, off64_t *offset, int whence) {
  off64_t position = lseek64(((struct stream *)cookie)->descriptor, *offset, whence);
  if (position < 0) return -1;
  *offset = position;
  return 0;
}

static int stream_close(void *cookie) {
  struct stream *stream = cookie;
  int result = close(stream->descriptor);
  // libc flushes before this call and no longer uses the buffer.
  KEEPING_ERRNO(free(stream));
  return result;
}

static FILE *make_stream(int descriptor, const char *mode) {
  struct stat status;
  size_t size = fstat(descriptor, &status) == 0 && status.st_blksize > 0 ? (size_t)status.st_blksize : BUFSIZ;
  struct stream *own = malloc(sizeof *own + size);
  if (own == NULL) return NULL;
  own->descriptor = descriptor;
  FILE *made = fopencookie(own, mode, (cookie_io_functions_t){stream_read, stream_write, stream_seek, stream_close});
  if (made == NULL) {
    KEEPING_ERRNO(free(own));
    return NULL;
  }
  setvbuf(made, own->buffer, _IOFBF, size);
  // Such a stream would have no descriptor for fileno, which some callers need to sync.
  made->_fileno = descriptor;
  return made;
}

static int flags_of(const char *mode) {
  int plus = strchr(mode, '+') != NULL;
  int flags = (strchr(mode, 'x') != NULL ? O_EXCL : 0) | (strchr(mode, 'e') != NULL ? O_CLOEXEC : 0);
  switch (mode[0]) {
    case 'r': return flags | (plus ? O_RDWR : O_RDONLY);
    case 'w': return flags | (plus ? O_RDWR : O_WRONLY) | O_CREAT | O_TRUNC;
    case 'a': return flags | (plus ? O_RDWR : O_WRONLY) | O_CREAT | O_APPEND;
    default: return -1;
  }
}

FILE *fopen(const char *path, const char *mode) {
  int flags = flags_of(mode);
  if (!makes_streams() || flags < 0 || !ci_is_below_root(AT_FDCWD, path)) return ORIGINAL(fopen)(path, mode);
  int descriptor = open(path, flags, 0666);
  if (descriptor < 0) return NULL;
  FILE *made = make_stream(descriptor, mode);
  if (made == NULL) KEEPING_ERRNO(close(descriptor));
  return made;
}
FILE *fopen64(const char *path, const char *mode) { return fopen(path, mode); }

FILE *fdopen(int descriptor, const char *mode) {
  uint64_t id;
  if (!makes_streams() || (ci_kind_and_id(descriptor, &id) & CI_KIND) != CI_STORE_FILE)
    return ORIGINAL(fdopen)(descriptor, mode);
  int flags = fcntl(descriptor, F_GETFL);
  if (flags >= 0 && mode[0] == 'a' && !(flags & O_APPEND)) fcntl(descriptor, F_SETFL, flags | O_APPEND);
  return make_stream(descriptor, mode);
}

// The text is written at once, as in libc.
int vdprintf(int descriptor, const char *format, va_list arguments) {
  if (!ci_is_watching()) return ORIGINAL(vdprintf)(descriptor, format, arguments);
  char *text = NULL;
  int length = vasprintf(&text, format, arguments);
  if (length < 0) return -1;
  int is_written = write_rest(descriptor, text, (size_t)length) == (size_t)length;
  KEEPING_ERRNO(free(text));
  return is_written ? length : -1;
}
int dprintf(int descriptor, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int length = vdprintf(descriptor, format, arguments);
  va_end(arguments);
  return length;
}
int __vdprintf_chk(int d, int level, const char *format, va_list arguments) {
  return level < 0 ? -1 : vdprintf(d, format, arguments);
}
int __dprintf_chk(int descriptor, int level, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int length = __vdprintf_chk(descriptor, level, format, arguments);
  va_end(arguments);
  return length;
}

// libc writes the name of another thread to a file in /proc with an internal call, which the kernel counts, too.
int pthread_setname_np(pthread_t thread, const char *name) {
  int error = ORIGINAL(pthread_setname_np)(thread, name);
  if (error == 0 && ci_is_armed() && !pthread_equal(thread, pthread_self())) {
    ci_add(CI_OTHER_WRITE_CALLS, 1);
    ci_add(CI_OTHER_BYTES_WRITTEN, strlen(name));
  }
  return error;
}

// Without these two, the internal calls of libc would not be seen.

/// Replaces the six X of a template by letters until `make`, which gets `flags`, finds the name unused.
static int make_temporary(char *template, int suffix, int flags, int (*make)(const char *path, int flags)) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  size_t length = strlen(template);
  if (suffix < 0 || length < 6 + (size_t)suffix || memcmp(template + length - suffix - 6, "XXXXXX", 6) != 0) {
    errno = EINVAL;
    return -1;
  }
  char *random_part = template + length - suffix - 6;
  for (int attempt = 0; attempt < 1000; attempt++) {
    unsigned char dice[6];
    if (getrandom(dice, sizeof dice, 0) != sizeof dice) return -1;
    for (int i = 0; i < 6; i++) random_part[i] = letters[dice[i] % (sizeof letters - 1)];
    int result = make(template, flags);
    if (result >= 0 || errno != EEXIST) return result;
  }
  errno = EEXIST;
  return -1;
}

static int make_file(const char *path, int flags) {
  return open(path, (flags & ~O_ACCMODE) | O_RDWR | O_CREAT | O_EXCL, 0600);
}

static int make_directory(const char *path, int flags) {
  (void)flags;
  return mkdir(path, 0700);
}

char *mkdtemp(char *template) {
  if (!ci_is_watching()) return ORIGINAL(mkdtemp)(template);
  return make_temporary(template, 0, 0, make_directory) == 0 ? template : NULL;
}

// If calls are only counted, libc's own open is not interposed, so that counts stay comparable.
int mkostemps(char *template, int suffix, int flags) {
  return ci_is_watching() ? make_temporary(template, suffix, flags, make_file)
                          : ORIGINAL(mkostemps)(template, suffix, flags);
}
int mkostemps64(char *template, int suffix, int flags) { return mkostemps(template, suffix, flags); }
int mkostemp(char *template, int flags) { return mkostemps(template, 0, flags); }
int mkostemp64(char *template, int flags) { return mkostemps(template, 0, flags); }
int mkstemps(char *template, int suffix) { return mkostemps(template, suffix, 0); }
int mkstemps64(char *template, int suffix) { return mkostemps(template, suffix, 0); }
int mkstemp(char *template) { return mkostemps(template, 0, 0); }
int mkstemp64(char *template) { return mkostemps(template, 0, 0); }

// Returns its error instead of setting errno. If the file system cannot allocate, libc writes zeros. While calls are
// watched, the caller gets the error instead, and acts as on a system without this call.
int posix_fallocate(int d, off_t offset, off_t length) {
  if (!ci_is_watching()) return ORIGINAL(posix_fallocate)(d, offset, length);
  int kept = errno;
  int error = fallocate(d, 0, offset, length) == 0 ? 0 : errno;
  errno = kept;
  return error;
}
int posix_fallocate64(int d, off64_t offset, off64_t length) { return posix_fallocate(d, offset, length); }
