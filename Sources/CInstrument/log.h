// The log of calls, for watched.c. Called only while watching, by one thread at a time.
#ifndef LOG_H
#define LOG_H

#include <stdint.h>
#include <sys/uio.h>

struct ci_note {
  uint32_t call;
  uint32_t flags;
  uint64_t file, other;
  uint64_t offset, length;
  /// What the caller is told: bytes, a descriptor, 0, or -errno.
  int64_t result;
  const char *name, *other_name;
  /// The data, as it was handed over, and how many bytes of it reached the file.
  const struct iovec *parts;
  uint64_t done;
  int64_t began, ended;
};

/// Opens the log. Returns 0, or an errno.
int ci_log_begin(const char *path);
void ci_log_end(void);
void ci_log(const struct ci_note *note);
/// Notes why the log is not whole, if it is the first reason: nothing is written to it from there on.
void ci_log_fail(int error);
/// What the log itself has written, and why it is not whole, an errno or 0.
void ci_log_cost(uint64_t *calls, uint64_t *bytes, int *error);

#endif
