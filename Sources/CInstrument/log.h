// The log of calls, for watched.c. Used only while watching, by one thread at a time.
#ifndef LOG_H
#define LOG_H

#include <stdint.h>
#include <sys/uio.h>

struct ci_note {
  uint32_t call;
  uint32_t flags;
  uint64_t file, other;
  uint64_t offset, length;
  /// The result for the caller: bytes, a descriptor, 0, or -errno.
  int64_t result;
  const char *name, *other_name;
  /// The data as the caller passed it, and the number of its bytes that reached the file.
  const struct iovec *parts;
  uint64_t done;
  int64_t began, ended;
};

/// Opens the log. Returns 0, or an errno.
int ci_log_begin(const char *path);
void ci_log_end(void);
void ci_log(const struct ci_note *note);
/// Records why the log is incomplete, if it is the first reason. Nothing is written to the log afterwards.
void ci_log_fail(int error);
/// Reports the log's own writes, and why it is incomplete: an errno or 0.
void ci_log_cost(uint64_t *calls, uint64_t *bytes, int *error);

#endif
