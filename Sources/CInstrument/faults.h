// The decision of the fault plan about a call that is about to be made. Used only while watching, by one thread at a
// time.
#ifndef FAULTS_H
#define FAULTS_H

#include "CStorageInstrument.h"

#include <stdint.h>
#include <sys/stat.h>

struct ci_decision {
  /// The error that the caller gets instead of success, or 0.
  int error;
  /// Whether the call is made in spite of an error.
  int is_made;
  /// Whether the changes to the file since its last sync are undone.
  int is_reverted;
  /// Whether the process dies after the call, or after the part of it that `limit` allows.
  int dies;
  /// The greatest number of bytes of a write that are done.
  uint64_t limit;
  /// The nanoseconds to wait before the call.
  uint64_t delay;
};

/// Sets the plan, or removes it with NULL.
void ci_faults_plan(const struct ci_fault *fault);
/// Decides on a call that matches any of the kinds in `calls`. It would write `length` bytes and make its file longer
/// by `growth` bytes.
struct ci_decision ci_decide(uint32_t calls, uint64_t file, uint64_t length, uint64_t growth);

/// Returns whether a failed sync will restore the earlier content of files.
int ci_keeps_images(void);
/// Saves the data that a write or truncation is about to replace, if a failed sync would restore it.
void ci_keep_image(int descriptor, uint64_t file, uint64_t offset, uint64_t length, const struct stat *before);
/// Discards the saved data of a file, or with 0 of all files, because a sync has succeeded.
void ci_drop_images(uint64_t file);
/// Restores the file's content at its last sync.
void ci_revert(int descriptor, uint64_t file);
/// Discards all saved data, and resets its cost.
void ci_faults_begin(void);
/// Reports the number of calls that the plan has hit, and the writes that restored files, which the kernel counts, too.
void ci_fault_cost(uint64_t *hits, uint64_t *calls, uint64_t *bytes);

#endif
