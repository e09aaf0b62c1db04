// The interposed allocator. It counts and calls glibc's own functions, or lets a library run out of memory. free is not
// counted.
#define _GNU_SOURCE
#include "CStorageInstrument.h"
#include "counters.h"

#include <errno.h>
#include <link.h>
#include <stddef.h>
#include <string.h>

#ifdef CI_SANITIZED
// The sanitizers provide an allocator. A second one in front of it kills the process before main.
int ci_counts_allocations(void) { return 0; }
int ci_starve(const char *library, uint64_t first, int lasts) { return library == NULL ? 0 : ENOTSUP; }
void ci_read_starved(uint64_t *allocations, uint64_t *failures) { *allocations = *failures = 0; }
#else
int ci_counts_allocations(void) { return 1; }

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

// The machine code of the library whose allocations fail: an allocation is the library's if its caller is in there.
static struct { uintptr_t start, end; } code[4];
static int codes, fails_on;
static uint64_t first_failure;
static atomic_uint_fast64_t allocations, failures;

static int find_code(struct dl_phdr_info *object, size_t size, void *name) {
  (void)size;
  const char *slash = strrchr(object->dlpi_name, '/');
  if (strncmp(slash == NULL ? object->dlpi_name : slash + 1, name, strlen(name)) != 0) return 0;
  for (int i = 0; i < object->dlpi_phnum && codes < 4; i++) {
    if (object->dlpi_phdr[i].p_type != PT_LOAD || !(object->dlpi_phdr[i].p_flags & PF_X)) continue;
    code[codes].start = object->dlpi_addr + object->dlpi_phdr[i].p_vaddr;
    code[codes].end = code[codes].start + object->dlpi_phdr[i].p_memsz;
    codes++;
  }
  return 1;
}

int ci_starve(const char *library, uint64_t first, int lasts) {
  if (!ci_is_armed()) return EINVAL;
  atomic_fetch_and(&ci_armed, ~CI_STARVING);
  if (library == NULL) return 0;
  codes = 0;
  dl_iterate_phdr(find_code, (void *)library);
  if (codes == 0) return ENOENT;
  first_failure = first;
  fails_on = lasts;
  atomic_store(&allocations, 0);
  atomic_store(&failures, 0);
  atomic_fetch_or(&ci_armed, CI_STARVING);
  return 0;
}

void ci_read_starved(uint64_t *number, uint64_t *failed) {
  *number = atomic_load(&allocations);
  *failed = atomic_load(&failures);
}

__attribute__((noinline)) static int is_starved(uintptr_t caller) {
  for (int i = 0; i < codes; i++) {
    if (caller < code[i].start || caller >= code[i].end) continue;
    uint64_t number = atomic_fetch_add(&allocations, 1) + 1;
    if (first_failure == 0 || (fails_on ? number < first_failure : number != first_failure)) return 0;
    atomic_fetch_add(&failures, 1);
    errno = ENOMEM;
    return 1;
  }
  return 0;
}

// Counts an allocation. Returns whether it fails.
static inline int count(size_t bytes, const void *caller) {
  int armed = ci_is_armed();
  if (!armed) return 0;
  ci_add(CI_ALLOCATIONS, 1);
  ci_add(CI_ALLOCATED_BYTES, bytes);
  return armed & CI_STARVING && is_starved((uintptr_t)caller);
}

#define FAILS(bytes) count(bytes, __builtin_return_address(0))

void *malloc(size_t size) { return FAILS(size) ? NULL : __libc_malloc(size); }

void *calloc(size_t number, size_t size) { return FAILS(number * size) ? NULL : __libc_calloc(number, size); }

void *realloc(void *block, size_t size) { return FAILS(size) ? NULL : __libc_realloc(block, size); }

void *memalign(size_t alignment, size_t size) { return FAILS(size) ? NULL : __libc_memalign(alignment, size); }

void *aligned_alloc(size_t alignment, size_t size) { return FAILS(size) ? NULL : __libc_memalign(alignment, size); }

int posix_memalign(void **block, size_t alignment, size_t size) {
  if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) return EINVAL;
  if (FAILS(size)) return ENOMEM;
  void *result = __libc_memalign(alignment, size);
  if (result == NULL) return ENOMEM;
  *block = result;
  return 0;
}
#endif
