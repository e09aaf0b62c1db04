// The fault plan: it selects the calls that fail, are cut short, wait, or kill the process.
#define _GNU_SOURCE
#include "faults.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct ci_fault plan;
/// The number of calls that match the plan, and of those that it has hit.
static uint64_t matched, hits;
/// The calls and bytes of writes that restored the content of files.
static uint64_t reverting_calls, reverting_bytes;
/// The number of bytes by which files may still grow, if the plan fills the disk.
static uint64_t room;
/// The file whose next sync fails, because the last one failed without an error.
static uint64_t late;

void ci_faults_plan(const struct ci_fault *fault) {
  matched = hits = late = 0;
  if (fault == NULL) memset(&plan, 0, sizeof plan);
  else plan = *fault;
  // A failure with error 0 would look like a success.
  if (plan.error == 0) plan.error = plan.action == CI_FILL ? ENOSPC : EIO;
  room = plan.bytes;
}

void ci_fault_cost(uint64_t *own_hits, uint64_t *calls, uint64_t *bytes) {
  *own_hits = hits;
  *calls = reverting_calls;
  *bytes = reverting_bytes;
}

static struct ci_decision let_go(void) { return (struct ci_decision){.is_made = 1, .limit = UINT64_MAX}; }

static struct ci_decision fail(int is_made) {
  hits++;
  return (struct ci_decision){.error = plan.error, .is_made = is_made, .limit = UINT64_MAX};
}

// Acts like a full disk, which writes the part that fits and refuses a call only if nothing fits.
static struct ci_decision fill(uint64_t length, uint64_t growth) {
  if (growth <= room) {
    room -= growth;
    return let_go();
  }
  uint64_t done = length > growth - room ? length - (growth - room) : 0;
  if (done == 0) return fail(0);
  room = 0;
  hits++;
  return (struct ci_decision){.is_made = 1, .limit = done};
}

static struct ci_decision fail_sync(uint64_t file) {
  switch (plan.aftermath) {
    case CI_REVERTED: {
      struct ci_decision decision = fail(0);
      decision.is_reverted = 1;
      return decision;
    }
    case CI_LATE:
      late = file;
      return let_go();
    default: return fail(1);
  }
}

struct ci_decision ci_decide(uint32_t calls, uint64_t file, uint64_t length, uint64_t growth) {
  if (plan.action == CI_NO_FAULT || (plan.calls & calls) == 0) return let_go();
  if (plan.action == CI_FILL) return fill(length, growth);
  matched++;
  int is_hit = matched >= plan.first && (plan.count == 0 || matched - plan.first < plan.count);
  if (late != 0 && late == file && calls & CI_CALL_SYNC) {
    // If this sync was to fail as well, the next one fails for it.
    late = is_hit ? file : 0;
    return fail(0);
  }
  if (!is_hit) return let_go();
  struct ci_decision decision = let_go();
  switch (plan.action) {
    case CI_FAIL: return plan.calls & calls & CI_CALL_SYNC ? fail_sync(file) : fail(0);
    // A read or write cannot be cut to 0 bytes, because that would mean the end of the file.
    case CI_SHORTEN:
      if (length < 2) return decision;
      decision.limit = plan.bytes > 0 && plan.bytes < length ? plan.bytes : length / 2;
      break;
    case CI_DELAY: decision.delay = plan.delay; break;
    case CI_KILL:
      decision.dies = 1;
      decision.limit = plan.bytes;
      break;
  }
  hits++;
  return decision;
}

// Restoring after failed syncs

// One range of a file before a call, in a separate mapping. Nothing is allocated, because allocations are counted and
// may be the subject of the measurement.
struct image {
  struct image *older;
  uint64_t file;
  /// The length of the mapping.
  uint64_t size;
  uint64_t file_length;
  uint64_t offset;
  uint64_t length;
  unsigned char bytes[];
};
static struct image *images;

static void unmap(struct image *image) { syscall(SYS_munmap, image, image->size); }

void ci_faults_begin(void) {
  reverting_calls = reverting_bytes = 0;
  ci_drop_images(0);
}

/// Opens another descriptor of the same file, because the given one may not permit both reading and writing.
static int again(int descriptor) {
  char path[40];
  snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
  return (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
}

int ci_keeps_images(void) { return plan.action == CI_FAIL && plan.aftermath == CI_REVERTED; }

void ci_keep_image(int descriptor, uint64_t file, uint64_t offset, uint64_t length, const struct stat *before) {
  if (!ci_keeps_images()) return;
  uint64_t end = (uint64_t)before->st_size;
  uint64_t kept = offset >= end ? 0 : (offset + length > end || length > UINT64_MAX - offset ? end - offset : length);
  uint64_t size = sizeof(struct image) + kept;
  long address = syscall(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address == -1) return;
  struct image *image = (struct image *)address;
  *image = (struct image){
      .older = images, .file = file, .size = size, .file_length = end, .offset = offset, .length = kept};
  int own = again(descriptor);
  uint64_t done = 0;
  while (done < kept) {
    long count = syscall(SYS_pread64, own, image->bytes + done, kept - done, offset + done);
    if (count <= 0) break;
    done += (uint64_t)count;
  }
  // A part that cannot be read must not be restored as zeros.
  image->length = done;
  syscall(SYS_close, own);
  images = image;
}

void ci_drop_images(uint64_t file) {
  for (struct image **pointer = &images; *pointer != NULL;) {
    struct image *image = *pointer;
    if (file == 0 || image->file == file) {
      *pointer = image->older;
      unmap(image);
    } else {
      pointer = &image->older;
    }
  }
}

void ci_revert(int descriptor, uint64_t file) {
  int own = again(descriptor);
  // The newest image is restored first.
  for (struct image *image = images; image != NULL; image = image->older) {
    if (image->file != file) continue;
    for (uint64_t done = 0; done < image->length;) {
      long count = syscall(SYS_pwrite64, own, image->bytes + done, image->length - done, image->offset + done);
      if (count <= 0) break;
      reverting_calls++;
      reverting_bytes += (uint64_t)count;
      done += (uint64_t)count;
    }
    syscall(SYS_ftruncate, own, image->file_length);
  }
  syscall(SYS_close, own);
  ci_drop_images(file);
}
