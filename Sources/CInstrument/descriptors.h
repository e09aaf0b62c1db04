// The relation of descriptors and paths to the store.
#ifndef DESCRIPTORS_H
#define DESCRIPTORS_H

#include <stddef.h>
#include <stdint.h>

/// The kind of a descriptor: one of these. CI_SYNCHRONOUS is added to CI_STORE_FILE if it was opened with O_DSYNC or
/// O_SYNC.
enum { CI_UNKNOWN = 0, CI_STORE_FILE = 1, CI_STORE_DIRECTORY = 2, CI_OTHER = 3, CI_KIND = 3, CI_SYNCHRONOUS = 4 };

/// Returns the kind of a descriptor, and the identity of its file, which is 0 for files outside the store.
unsigned char ci_kind_and_id(int descriptor, uint64_t *id);
/// Forgets the kind of a descriptor, which now refers to another file.
void ci_forget_descriptor(int descriptor);

/// Returns whether a path, relative to a directory or AT_FDCWD, leads to the root or below it.
int ci_is_below_root(int directory, const char *path);
/// Writes the name of a path relative to the root, "" for the root itself. Returns 0 if the path leads elsewhere.
int ci_name_below_root(int directory, const char *path, char *name, size_t size);
/// Writes the name of a descriptor's file relative to the root. Returns 0 if it is elsewhere.
int ci_name_of_descriptor(int descriptor, char *name, size_t size);

#endif
