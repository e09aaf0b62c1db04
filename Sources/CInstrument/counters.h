// The counters behind the interposed calls.
#ifndef COUNTERS_H
#define COUNTERS_H

#include <stdatomic.h>
#include <stdint.h>

enum ci_counter {
  CI_WRITE_CALLS, CI_BYTES_WRITTEN, CI_SYNCS, CI_READ_CALLS, CI_BYTES_READ, CI_OPENS, CI_RENAMES, CI_UNLINKS,
  CI_OTHER_WRITE_CALLS, CI_OTHER_BYTES_WRITTEN, CI_OTHER_OPENS, CI_ALLOCATIONS, CI_ALLOCATED_BYTES, CI_COUNTERS
};

/// Flags for counting and watching of calls, and for allocations that fail. Every interposed call reads it, so a plain
/// load must be enough.
extern atomic_int ci_armed;
enum { CI_COUNTING = 1, CI_WATCHING = 2, CI_STARVING = 4 };

static inline int ci_is_armed(void) { return atomic_load_explicit(&ci_armed, memory_order_relaxed); }
static inline int ci_is_watching(void) { return ci_is_armed() & CI_WATCHING; }

/// Flags for syncs that return success without being made: see ci_skip_syncs and ci_defer_syncs.
extern atomic_int ci_unsynced;
enum { CI_DEFERRING = 1, CI_SKIPPING = 2 };

static inline int ci_skips_syncs(void) { return atomic_load_explicit(&ci_unsynced, memory_order_relaxed); }
static inline int ci_skips_syncing_writes(void) { return ci_skips_syncs() == CI_SKIPPING; }

// The caller may read errno after the call. So counting must not change it, and watching must not change it on success.
#define KEEPING_ERRNO(statement) do { int kept = errno; statement; errno = kept; } while (0)
#define WATCHED(call) ({ int kept = errno; long watched = (call); if (watched >= 0) errno = kept; watched; })

void ci_add(enum ci_counter counter, uint64_t amount);
/// Counts a write that has entered the kernel, by the kernel's result and errno. `is_acknowledged` says whether the
/// caller gets a success. Returns the result.
long ci_counted_write(int descriptor, long result, int is_acknowledged);
/// Forgets the kinds of all descriptors, and sets the directory below which files belong to the store.
void ci_set_root(const char *root);

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CI_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CI_SANITIZED 1
#endif
#endif
