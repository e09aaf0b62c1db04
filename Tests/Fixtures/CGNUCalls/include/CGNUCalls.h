// Calls that glibc declares only for _GNU_SOURCE, which Swift's Glibc module is built without.
#ifndef CGNUCALLS_H
#define CGNUCALLS_H

#include <stdint.h>

int64_t gnu_copy_file_range(int from, int64_t *from_offset, int to, uint64_t count);
int gnu_dup3(int descriptor, int to, int flags);
int gnu_syncfs(int descriptor);

#endif
