// The log of calls. Each entry is written by one call if the kernel accepts it at once, so that it is complete or
// missing whenever the process dies. An entry that does not fit on the disk is removed.
#define _GNU_SOURCE
#include "log.h"

#include "CStorageInstrument.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static int file = -1;
static uint64_t calls, bytes;
/// The length of the log.
static uint64_t whole;
static int error;

int ci_log_begin(const char *path) {
  ci_log_end();
  calls = bytes = whole = 0;
  error = 0;
  long opened = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_TRUNC | O_CLOEXEC, 0600);
  if (opened < 0) return errno;
  // The descriptor is moved to a high number, because some code expects the lowest numbers, or closes all that it does
  // not know.
  struct rlimit limit;
  long least = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur > 64 && limit.rlim_cur < 1 << 20
                   ? (long)limit.rlim_cur - 8
                   : 1000;
  long moved = syscall(SYS_fcntl, opened, F_DUPFD_CLOEXEC, least);
  if (moved >= 0) {
    syscall(SYS_close, opened);
    opened = moved;
  }
  file = (int)opened;
  return 0;
}

void ci_log_end(void) {
  if (file >= 0) syscall(SYS_close, file);
  file = -1;
}

void ci_log_cost(uint64_t *own_calls, uint64_t *own_bytes, int *first_error) {
  *own_calls = calls;
  *own_bytes = bytes;
  *first_error = error;
}

void ci_log_fail(int reason) {
  if (error == 0) error = reason;
}

/// Writes all parts. This takes more than one call only if there are very many or very large parts.
static int write_all(struct iovec *parts, int count) {
  while (count > 0) {
    long written = syscall(SYS_writev, file, parts, count < IOV_MAX ? count : IOV_MAX);
    calls++;
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return written < 0 ? errno : EIO;
    bytes += (uint64_t)written;
    for (; count > 0 && (uint64_t)written >= parts->iov_len; parts++, count--) written -= (long)parts->iov_len;
    if (count > 0) *parts = (struct iovec){(char *)parts->iov_base + written, parts->iov_len - (size_t)written};
  }
  return 0;
}

void ci_log(const struct ci_note *note) {
  // Kind 0 is a call that was not to be logged.
  if (file < 0 || note->call == 0 || error != 0) return;
  const char *name = note->name == NULL ? "" : note->name;
  const char *other_name = note->other_name == NULL ? "" : note->other_name;
  struct ci_entry entry = {
      .call = note->call,
      .flags = note->flags,
      .file = note->file,
      .other = note->other,
      .offset = note->offset,
      .length = note->length,
      .result = note->result,
      .began = note->began,
      .ended = note->ended,
      .name_length = (uint32_t)strlen(name),
      .other_name_length = (uint32_t)strlen(other_name),
      .data_length = note->parts == NULL ? 0 : note->done,
  };
  entry.size = sizeof entry + entry.name_length + entry.other_name_length + entry.data_length;
  struct iovec parts[IOV_MAX + 3];
  int count = 0;
  parts[count++] = (struct iovec){&entry, sizeof entry};
  if (entry.name_length > 0) parts[count++] = (struct iovec){(void *)name, entry.name_length};
  if (entry.other_name_length > 0) parts[count++] = (struct iovec){(void *)other_name, entry.other_name_length};
  const struct iovec *data = note->parts;
  for (uint64_t left = entry.data_length; left > 0; data++) {
    uint64_t length = data->iov_len < left ? data->iov_len : left;
    if (length == 0) continue;
    parts[count++] = (struct iovec){data->iov_base, length};
    left -= length;
  }
  ci_log_fail(write_all(parts, count));
  if (error == 0) whole += entry.size;
  else syscall(SYS_ftruncate, file, whole);
}
