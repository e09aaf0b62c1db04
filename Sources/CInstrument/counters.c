// Per-thread counters. A shared atomic would cost 14 ns for each malloc and free, 45 ns with two threads.
//
// A thread takes a slot at its first count and returns it when it ends. The counts stay in the slot, so they outlive
// the thread. If there are more threads than slots, the others share slot 0.
#include "CStorageInstrument.h"
#include "counters.h"
#include "saves.h"
#include "watched.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>

#define SLOTS 256

struct slot {
  _Atomic uint64_t totals[CI_COUNTERS];
  atomic_int taken;
} __attribute__((aligned(64)));

static struct slot slots[SLOTS];
static pthread_key_t slot_key;
static atomic_int key_ready;
static _Thread_local struct slot *own __attribute__((tls_model("initial-exec")));

atomic_int ci_armed;
atomic_int ci_unsynced;

void ci_skip_syncs(int skips) { atomic_store(&ci_unsynced, skips ? CI_SKIPPING : 0); }
void ci_defer_syncs(int defers) { atomic_store(&ci_unsynced, defers ? CI_DEFERRING : 0); }

static void release(void *slot) {
  // Later destructors of this thread may still allocate, so they count in the shared slot.
  own = &slots[0];
  atomic_store(&((struct slot *)slot)->taken, 0);
}

__attribute__((constructor)) static void prepare(void) {
  if (pthread_key_create(&slot_key, release) == 0) atomic_store(&key_ready, 1);
}

static struct slot *take(void) {
  own = &slots[0];
  if (!atomic_load(&key_ready)) return own;
  for (size_t i = 1; i < SLOTS; i++) {
    int expected = 0;
    if (atomic_compare_exchange_strong(&slots[i].taken, &expected, 1)) {
      own = &slots[i];
      pthread_setspecific(slot_key, own);
      break;
    }
  }
  return own;
}

void ci_add(enum ci_counter counter, uint64_t amount) {
  struct slot *slot = own;
  if (slot == NULL) slot = take();
  _Atomic uint64_t *total = &slot->totals[counter];
  if (slot == &slots[0]) {
    atomic_fetch_add_explicit(total, amount, memory_order_relaxed);
  } else {
    // Only this thread writes here, so no locked instruction is needed.
    uint64_t old = atomic_load_explicit(total, memory_order_relaxed);
    atomic_store_explicit(total, old + amount, memory_order_relaxed);
  }
}

static uint64_t sum(enum ci_counter counter) {
  uint64_t total = 0;
  for (size_t i = 0; i < SLOTS; i++) total += atomic_load_explicit(&slots[i].totals[counter], memory_order_relaxed);
  return total;
}

void ci_begin(const char *root) {
  ci_end();
  ci_set_root(root);
  ci_saves_begin();
  for (size_t i = 0; i < SLOTS; i++)
    for (int c = 0; c < CI_COUNTERS; c++) atomic_store_explicit(&slots[i].totals[c], 0, memory_order_relaxed);
  atomic_store(&ci_armed, CI_COUNTING);
}

void ci_end(void) {
  atomic_store(&ci_armed, 0);
  ci_watch_end();
}

void ci_read(struct ci_counts *counts) {
  counts->write_calls = sum(CI_WRITE_CALLS);
  counts->bytes_written = sum(CI_BYTES_WRITTEN);
  counts->syncs = sum(CI_SYNCS);
  counts->read_calls = sum(CI_READ_CALLS);
  counts->bytes_read = sum(CI_BYTES_READ);
  counts->opens = sum(CI_OPENS);
  counts->renames = sum(CI_RENAMES);
  counts->unlinks = sum(CI_UNLINKS);
  counts->other_write_calls = sum(CI_OTHER_WRITE_CALLS);
  counts->other_bytes_written = sum(CI_OTHER_BYTES_WRITTEN);
  counts->other_opens = sum(CI_OTHER_OPENS);
  counts->allocations = sum(CI_ALLOCATIONS);
  counts->allocated_bytes = sum(CI_ALLOCATED_BYTES);
}
