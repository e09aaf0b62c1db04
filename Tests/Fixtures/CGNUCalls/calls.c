#define _GNU_SOURCE
#include "CGNUCalls.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int64_t gnu_copy_file_range(int from, int64_t *from_offset, int to, uint64_t count) {
  off64_t offset = *from_offset;
  ssize_t copied = copy_file_range(from, &offset, to, NULL, count, 0);
  *from_offset = offset;
  return copied;
}

int gnu_dup3(int descriptor, int to, int flags) { return dup3(descriptor, to, flags); }

int gnu_syncfs(int descriptor) { return syncfs(descriptor); }

int gnu_fallocate(int descriptor, int64_t offset, int64_t length) { return fallocate(descriptor, 0, offset, length); }

int gnu_open_unnamed(const char *directory) { return open(directory, O_TMPFILE | O_RDWR, 0600); }

int gnu_link_descriptor(int descriptor, const char *name) {
  char path[40];
  snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
  return linkat(AT_FDCWD, path, AT_FDCWD, name, AT_SYMLINK_FOLLOW);
}

int gnu_mkostemps(char *template, int suffix, int flags) { return mkostemps(template, suffix, flags); }

int gnu_dprintf(int descriptor, const char *text) { return dprintf(descriptor, "%s", text); }

int gnu_fprintf(FILE *file, const char *text) { return fprintf(file, "<%s>", text); }

int64_t gnu_raw_write(int descriptor, const void *bytes, uint64_t count) {
  return syscall(SYS_write, descriptor, bytes, count);
}

int gnu_write_in_fork(int descriptor, const void *bytes, uint64_t count) {
  pid_t process = fork();
  if (process == 0) {
    // Otherwise, a lock that is never released would wait forever.
    alarm(20);
    _exit(write(descriptor, bytes, count) == (ssize_t)count ? 0 : 1);
  }
  int status = -1;
  while (process > 0 && waitpid(process, &status, 0) < 0) {}
  return process < 0 || !WIFEXITED(status) ? -1 : WEXITSTATUS(status);
}
