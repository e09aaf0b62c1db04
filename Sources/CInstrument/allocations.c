// The interposed allocator. It counts and calls glibc's own functions. free is not counted.
#include "CStorageInstrument.h"
#include "counters.h"

#include <errno.h>
#include <stddef.h>

#ifdef CI_SANITIZED
// The sanitizers provide an allocator. A second one in front of it kills the process before main.
int ci_counts_allocations(void) { return 0; }
#else
int ci_counts_allocations(void) { return 1; }

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static inline void count(size_t bytes) {
  if (ci_is_armed()) {
    ci_add(CI_ALLOCATIONS, 1);
    ci_add(CI_ALLOCATED_BYTES, bytes);
  }
}

void *malloc(size_t size) {
  count(size);
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  count(number * size);
  return __libc_calloc(number, size);
}

void *realloc(void *block, size_t size) {
  count(size);
  return __libc_realloc(block, size);
}

void *memalign(size_t alignment, size_t size) {
  count(size);
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  count(size);
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
  if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) return EINVAL;
  count(size);
  void *result = __libc_memalign(alignment, size);
  if (result == NULL) return ENOMEM;
  *block = result;
  return 0;
}
#endif
