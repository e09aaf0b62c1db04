// The interposed calls on mappings. Writes through a mapping are not seen, only the mapping itself and its syncs.
#define _GNU_SOURCE
#include "counters.h"
#include "watched.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

int msync(void *address, size_t length, int flags) {
  if (ci_skips_syncs()) return 0;
  long result =
      ci_is_watching() ? WATCHED(ci_watched_sync_map(address, length, flags)) : syscall(SYS_msync, address, length, flags);
  // A mapping no longer has a descriptor. Only the engine under test maps files for writing here.
  if (ci_is_armed() && flags & MS_SYNC) ci_add(CI_SYNCS, 1);
  return (int)result;
}

// The sanitizers define these themselves, and need to.
#ifndef CI_SANITIZED
void *mmap(void *address, size_t length, int protection, int flags, int d, off_t offset) {
  long result = syscall(SYS_mmap, address, length, protection, flags, d, offset);
  if (ci_is_watching() && result != -1 && d >= 0 && protection & PROT_WRITE && (flags & MAP_TYPE) != MAP_PRIVATE)
    KEEPING_ERRNO(ci_watched_map(d, (void *)result, length, offset));
  return (void *)result;
}
void *mmap64(void *address, size_t length, int protection, int flags, int d, off64_t offset) {
  return mmap(address, length, protection, flags, d, offset);
}
int munmap(void *address, size_t length) {
  if (ci_is_watching()) ci_watched_unmap(address, length);
  return (int)syscall(SYS_munmap, address, length);
}
#endif
