// What the plan makes of a call that is about to be made. Called only while watching, by one thread at a time.
#ifndef FAULTS_H
#define FAULTS_H

#include "CStorageInstrument.h"

#include <stdint.h>
#include <sys/stat.h>

struct ci_decision {
  /// What the caller is told instead of success, or 0.
  int error;
  /// Whether the call is made all the same.
  int is_made;
  /// Whether what the file was given since its last sync is taken back.
  int is_reverted;
  /// Whether the process dies after the call, or after as much of it as `limit` allows.
  int dies;
  /// How many bytes of a write are done at most.
  uint64_t limit;
  /// Nanoseconds to wait before the call.
  uint64_t delay;
};

/// Sets the plan, or with NULL ends it.
void ci_faults_plan(const struct ci_fault *fault);
/// Decides on a call that matches any of the kinds in `calls`, would write so many bytes, and make its file longer by
/// so many.
struct ci_decision ci_decide(uint32_t calls, uint64_t file, uint64_t length, uint64_t growth);

/// Whether a failed sync will have to bring back what files held before.
int ci_keeps_images(void);
/// Keeps what a write or truncation is about to replace, if a failed sync will have to bring it back.
void ci_keep_image(int descriptor, uint64_t file, uint64_t offset, uint64_t length, const struct stat *before);
/// A sync has succeeded: what was kept of the file, or with 0 of all files, is not needed any more.
void ci_drop_images(uint64_t file);
/// Brings back what the file held at its last sync.
void ci_revert(int descriptor, uint64_t file);
/// Forgets all that was kept, and what that has cost.
void ci_faults_begin(void);
/// How many calls the plan has hit, and the writes that brought back what files held: the kernel counts them, too.
void ci_fault_cost(uint64_t *hits, uint64_t *calls, uint64_t *bytes);

#endif
