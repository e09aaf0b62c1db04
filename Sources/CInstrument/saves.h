// What the interposed file calls tell of files below the root, for saves.c. Called only while counting.
#ifndef SAVES_H
#define SAVES_H

#include <stdint.h>
#include <sys/stat.h>

/// A file or directory, whatever its names and however many descriptors it has.
static inline uint64_t ci_file_id(const struct stat *status) {
  return (uint64_t)status->st_ino ^ ((uint64_t)status->st_dev * 0x9E3779B97F4A7C15u);
}

/// Forgets everything.
void ci_saves_begin(void);
/// Bytes were written; `is_synchronous` where the call itself took them to the disk.
void ci_saves_written(uint64_t file, int is_synchronous);
/// A file was synced.
void ci_saves_synced(uint64_t file);
/// A directory was synced.
void ci_saves_directory_synced(uint64_t directory);
/// Everything was synced.
void ci_saves_all_synced(void);
/// A file got a name in a directory by renaming.
void ci_saves_renamed(uint64_t file, uint64_t directory);
/// A file has lost its last name; its number may come back as another's.
void ci_saves_removed(uint64_t file);
/// A name in a directory was removed, which is a change by itself.
void ci_saves_unlinked(uint64_t directory);

#endif
