// The calls as they are made while somebody watches: the plan is asked, the call made, and the log written. Each returns
// what the system call does, -1 with errno where it fails.
#ifndef WATCHED_H
#define WATCHED_H

#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

/// An offset for reads and writes at the descriptor's position: none that a caller would give, not even by mistake.
#define CI_AT_POSITION INT64_MIN

/// These two count what the kernel has seen of them, too: with a fault that is not what the caller is told.
long ci_watched_write(int descriptor, const struct iovec *parts, int count, off_t offset);
/// A write whose data never comes by: sendfile or copy_file_range, which `copy` calls with as many bytes as it may do.
long ci_watched_copy(
    int to, off_t offset, size_t length, long (*copy)(void *context, size_t length), void *context);
long ci_watched_read(int descriptor, const struct iovec *parts, int count, off_t offset);
/// fsync, fdatasync or syncfs, by the number of the system call.
long ci_watched_sync(int descriptor, long number);
/// Returns 0, or -1 where the plan has kept it from being made.
long ci_watched_sync_all(void);
long ci_watched_open(int directory, const char *path, int flags, unsigned mode);
long ci_watched_truncate(int descriptor, uint64_t length);
long ci_watched_allocate(int descriptor, int mode, uint64_t offset, uint64_t length);
long ci_watched_rename(int from_directory, const char *from, int to_directory, const char *to, unsigned flags);
long ci_watched_link(int from_directory, const char *from, int to_directory, const char *to, int flags);
long ci_watched_unlink(int directory, const char *path, int flags);
long ci_watched_make_directory(int directory, const char *path, unsigned mode);
/// Notes that a shared mapping of a file may be written through from here on.
void ci_watched_map(int descriptor, const void *address, size_t length, off_t offset);
void ci_watched_unmap(const void *address, size_t length);
long ci_watched_sync_map(void *address, size_t length, int flags);
void ci_watched_acknowledge(int is_change);
/// Ends the log and forgets what was kept of files.
void ci_watch_end(void);

#endif
