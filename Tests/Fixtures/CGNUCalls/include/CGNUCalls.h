// Calls that glibc declares only for _GNU_SOURCE, which Swift's Glibc module is built without, and calls that Swift
// cannot make: those with a variable number of arguments, and fork.
#ifndef CGNUCALLS_H
#define CGNUCALLS_H

#include <stdint.h>
#include <stdio.h>

int64_t gnu_copy_file_range(int from, int64_t *from_offset, int to, uint64_t count);
int gnu_dup3(int descriptor, int to, int flags);
int gnu_syncfs(int descriptor);
int gnu_fallocate(int descriptor, int64_t offset, int64_t length);
/// Opens a file without a name in a directory.
int gnu_open_unnamed(const char *directory);
/// Gives the file of a descriptor a name.
int gnu_link_descriptor(int descriptor, const char *name);
int gnu_mkostemps(char *template_, int suffix, int flags);
int gnu_dprintf(int descriptor, const char *text);
int gnu_fprintf(FILE *file, const char *text);
/// Calls write directly in the kernel, so that no layer between a program and the kernel can intercept it.
int64_t gnu_raw_write(int descriptor, const void *bytes, uint64_t count);
/// Writes in a forked process and waits for it. Returns its exit code: 0 if all was written.
int gnu_write_in_fork(int descriptor, const void *bytes, uint64_t count);

#endif
