// Events on files below the root, which the interposed file calls report to saves.c. Used only while counting.
#ifndef SAVES_H
#define SAVES_H

#include <stdint.h>
#include <sys/stat.h>

/// Returns the identity of a file or directory, which does not depend on its names and descriptors.
static inline uint64_t ci_file_id(const struct stat *status) {
  return (uint64_t)status->st_ino ^ ((uint64_t)status->st_dev * 0x9E3779B97F4A7C15u);
}

/// Resets everything.
void ci_saves_begin(void);
/// Records that bytes were written. `is_synchronous` says whether the call itself brought them to the disk.
void ci_saves_written(uint64_t file, int is_synchronous);
/// Records that a file was synced.
void ci_saves_synced(uint64_t file);
/// Records that a directory was synced.
void ci_saves_directory_synced(uint64_t directory);
/// Records that everything was synced.
void ci_saves_all_synced(void);
/// Records that a file got a name in a directory by renaming.
void ci_saves_renamed(uint64_t file, uint64_t directory);
/// Records that a file has lost its last name. Its identity may be used for another file later.
void ci_saves_removed(uint64_t file);
/// Records that a name in a directory was removed, which is a change by itself.
void ci_saves_unlinked(uint64_t directory);

#endif
