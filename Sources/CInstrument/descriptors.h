// What descriptors and paths are, as far as the store is concerned.
#ifndef DESCRIPTORS_H
#define DESCRIPTORS_H

#include <stddef.h>
#include <stdint.h>

/// What a descriptor is: one of these, and CI_SYNCHRONOUS beside CI_STORE_FILE if it was opened with O_DSYNC or O_SYNC.
enum { CI_UNKNOWN = 0, CI_STORE_FILE = 1, CI_STORE_DIRECTORY = 2, CI_OTHER = 3, CI_KIND = 3, CI_SYNCHRONOUS = 4 };

/// What a descriptor is, and the number of its file, 0 for none of the store's.
unsigned char ci_kind_and_id(int descriptor, uint64_t *id);
/// The descriptor stands for something else from now on.
void ci_forget_descriptor(int descriptor);

/// Whether a path, seen from a directory or AT_FDCWD, leads below the root or to it.
int ci_is_below_root(int directory, const char *path);
/// Writes the name below the root to which a path leads, "" for the root itself. Returns 0 if it leads elsewhere.
int ci_name_below_root(int directory, const char *path, char *name, size_t size);
/// The same for what a descriptor stands for.
int ci_name_of_descriptor(int descriptor, char *name, size_t size);

#endif
