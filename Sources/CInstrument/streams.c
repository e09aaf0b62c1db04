// stdio and mkstemp call the kernel inside libc, where nothing can be put between. While calls are watched, a stream of
// a store's file is therefore made of functions of our own, and a temporary file by an open of our own.
#define _GNU_SOURCE
#undef _FORTIFY_SOURCE
#include "counters.h"
#include "descriptors.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

// libc's own functions. Looked up before main, so that no call of these costs more than another.
static __typeof__(&fopen) libc_fopen;
static __typeof__(&fdopen) libc_fdopen;
static __typeof__(&mkostemps) libc_mkostemps;
static __typeof__(&vdprintf) libc_vdprintf;

static void look_up(void) {
  libc_fopen = (__typeof__(&fopen))dlsym(RTLD_NEXT, "fopen");
  libc_fdopen = (__typeof__(&fdopen))dlsym(RTLD_NEXT, "fdopen");
  libc_mkostemps = (__typeof__(&mkostemps))dlsym(RTLD_NEXT, "mkostemps");
  libc_vdprintf = (__typeof__(&vdprintf))dlsym(RTLD_NEXT, "vdprintf");
}

// Another library's constructor may have come first.
__attribute__((constructor)) static void prepare(void) {
  if (libc_fopen == NULL) look_up();
}
#define ORIGINAL(name) (libc_##name == NULL ? look_up() : (void)0, libc_##name)

static ssize_t stream_read(void *cookie, char *bytes, size_t count) { return read((int)(intptr_t)cookie, bytes, count); }

// As stdio does it: what is left of a short write is written again, and an interrupted one is an error.
static ssize_t stream_write(void *cookie, const char *bytes, size_t count) {
  size_t done = 0;
  while (done < count) {
    ssize_t written = write((int)(intptr_t)cookie, bytes + done, count - done);
    if (written <= 0) break;
    done += (size_t)written;
  }
  return (ssize_t)done;
}

static int stream_seek(void *cookie, off64_t *offset, int whence) {
  off64_t place = lseek64((int)(intptr_t)cookie, *offset, whence);
  if (place < 0) return -1;
  *offset = place;
  return 0;
}

static int stream_close(void *cookie) { return close((int)(intptr_t)cookie); }

static FILE *stream(int descriptor, const char *mode) {
  cookie_io_functions_t functions = {stream_read, stream_write, stream_seek, stream_close};
  FILE *stream = fopencookie((void *)(intptr_t)descriptor, mode, functions);
  // Such a stream has no descriptor to tell; some callers sync by it.
  if (stream != NULL) stream->_fileno = descriptor;
  return stream;
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
  if (!ci_is_watching() || flags < 0 || !ci_is_below_root(AT_FDCWD, path)) return ORIGINAL(fopen)(path, mode);
  int descriptor = open(path, flags, 0666);
  if (descriptor < 0) return NULL;
  FILE *made = stream(descriptor, mode);
  if (made == NULL) close(descriptor);
  return made;
}
FILE *fopen64(const char *path, const char *mode) { return fopen(path, mode); }

FILE *fdopen(int descriptor, const char *mode) {
  uint64_t id;
  if (!ci_is_watching() || (ci_kind_and_id(descriptor, &id) & CI_KIND) != CI_STORE_FILE) return ORIGINAL(fdopen)(descriptor, mode);
  return stream(descriptor, mode);
}

// Written at once, as libc does it.
int vdprintf(int descriptor, const char *format, va_list arguments) {
  if (!ci_is_watching()) return ORIGINAL(vdprintf)(descriptor, format, arguments);
  char *text = NULL;
  int length = vasprintf(&text, format, arguments);
  if (length < 0) return -1;
  int is_written = stream_write((void *)(intptr_t)descriptor, text, (size_t)length) == length;
  free(text);
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

static int make_temporary(char *template, int suffix, int flags) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  size_t length = strlen(template);
  if (suffix < 0 || length < 6 + (size_t)suffix || memcmp(template + length - suffix - 6, "XXXXXX", 6) != 0) {
    errno = EINVAL;
    return -1;
  }
  char *place = template + length - suffix - 6;
  for (int attempt = 0; attempt < 1000; attempt++) {
    unsigned char dice[6];
    if (getrandom(dice, sizeof dice, 0) != sizeof dice) return -1;
    for (int i = 0; i < 6; i++) place[i] = letters[dice[i] % (sizeof letters - 1)];
    int descriptor = open(template, (flags & ~O_ACCMODE) | O_RDWR | O_CREAT | O_EXCL, 0600);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
  errno = EEXIST;
  return -1;
}

int mkostemps(char *template, int suffix, int flags) {
  // Where calls are only counted, libc's own open stays unseen: counts are what they always were.
  return ci_is_watching() ? make_temporary(template, suffix, flags) : ORIGINAL(mkostemps)(template, suffix, flags);
}
int mkostemps64(char *template, int suffix, int flags) { return mkostemps(template, suffix, flags); }
int mkostemp(char *template, int flags) { return mkostemps(template, 0, flags); }
int mkostemp64(char *template, int flags) { return mkostemps(template, 0, flags); }
int mkstemps(char *template, int suffix) { return mkostemps(template, suffix, 0); }
int mkstemps64(char *template, int suffix) { return mkostemps(template, suffix, 0); }
int mkstemp(char *template) { return mkostemps(template, 0, 0); }
int mkstemp64(char *template) { return mkostemps(template, 0, 0); }
