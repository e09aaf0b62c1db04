// The calls while watching: each queries the plan, makes the call, and writes the log. Each returns the result of the
// system call, or -1 with errno if it fails.
#ifndef WATCHED_H
#define WATCHED_H

#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

/// An offset for reads and writes at the descriptor's position. It is a value that no caller passes, even by mistake.
#define CI_AT_POSITION INT64_MIN

/// Makes a write. This function and the next one also count it as the kernel sees it, which with a fault differs from
/// the caller's result.
long ci_watched_write(int descriptor, const struct iovec *parts, int count, off_t offset);
/// Makes a write whose data is not visible here: sendfile or copy_file_range. `copy` makes the call, with the permitted
/// number of bytes.
long ci_watched_copy(
    int to, off_t offset, size_t length, long (*copy)(void *context, size_t length), void *context);
long ci_watched_read(int descriptor, const struct iovec *parts, int count, off_t offset);
/// Makes an fsync, fdatasync or syncfs, by the number of the system call.
long ci_watched_sync(int descriptor, long number);
/// Makes a sync of all file systems. Returns 0, or -1 if the plan has prevented it.
long ci_watched_sync_all(void);
long ci_watched_open(int directory, const char *path, int flags, unsigned mode);
long ci_watched_truncate(int descriptor, uint64_t length);
long ci_watched_allocate(int descriptor, int mode, uint64_t offset, uint64_t length);
long ci_watched_rename(int from_directory, const char *from, int to_directory, const char *to, unsigned flags);
long ci_watched_link(int from_directory, const char *from, int to_directory, const char *to, int flags);
long ci_watched_unlink(int directory, const char *path, int flags);
long ci_watched_make_directory(int directory, const char *path, unsigned mode);
/// Records that a shared mapping of a file may be written through from now on.
void ci_watched_map(int descriptor, const void *address, size_t length, off_t offset);
void ci_watched_unmap(const void *address, size_t length);
long ci_watched_sync_map(void *address, size_t length, int flags);
void ci_watched_acknowledge(int is_change);
/// Ends the log, and discards the saved data of files.
void ci_watch_end(void);

#endif
