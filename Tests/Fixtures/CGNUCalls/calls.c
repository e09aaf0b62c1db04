#define _GNU_SOURCE
#include "CGNUCalls.h"

#include <unistd.h>

int64_t gnu_copy_file_range(int from, int64_t *from_offset, int to, uint64_t count) {
  off64_t offset = *from_offset;
  ssize_t copied = copy_file_range(from, &offset, to, NULL, count, 0);
  *from_offset = offset;
  return copied;
}

int gnu_dup3(int descriptor, int to, int flags) { return dup3(descriptor, to, flags); }

int gnu_syncfs(int descriptor) { return syncfs(descriptor); }
