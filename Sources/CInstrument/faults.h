// What the plan makes of a call that is about to be made. Called only while watching, by one thread at a time.
#ifndef FAULTS_H
#define FAULTS_H

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

/// Decides on a call that matches any of the kinds in `calls`, would write so many bytes, and make its file longer by
/// so many.
struct ci_decision ci_decide(uint32_t calls, uint64_t file, uint64_t length, uint64_t growth);

/// Keeps what a write or truncation is about to replace, if a failed sync will have to bring it back.
void ci_keep_image(int descriptor, uint64_t file, uint64_t offset, uint64_t length, const struct stat *before);
/// A sync has succeeded: what was kept of the file is not needed any more.
void ci_drop_images(uint64_t file);
/// Brings back what the file held at its last sync.
void ci_revert(int descriptor, uint64_t file);
/// Forgets all that was kept.
void ci_faults_begin(void);
/// How many calls the plan has hit.
uint64_t ci_fault_hits(void);

#endif
