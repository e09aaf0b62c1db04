// Tracks the files with data that has not been synced, and their state when a save was acknowledged.
//
// Files are identified by their inode. So a sync through another descriptor counts, a file stays unsynced after it is
// closed, and a renamed file keeps its state. Writes through a mapping are not seen. Nothing is allocated, because
// allocations are counted, and nothing is done unless counting is on.
#include "saves.h"

#include "CStorageInstrument.h"
#include "counters.h"
#include "watched.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>

struct file {
  uint64_t id;
  /// The save in which it was last written, from 1; 0 for an empty slot.
  uint64_t save;
  /// The directory that must be synced to make the file's new name durable, or 0.
  uint64_t directory;
  /// Whether it has data that was written and not synced afterwards.
  int is_dirty;
};

// A file is in one of the slots of its row. Rows are short, so that a search is fast. Stores have few files at a time.
enum { ROWS = 128, SLOTS = 8 };
static struct file files[ROWS][SLOTS];

// The current save.
static uint64_t save;
static int has_written, has_synced, has_forgotten, has_unlinked;
// The directory that must be synced to make the last removal of a name durable, or 0.
static uint64_t unlinked_in;

static struct ci_saves totals;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define LOCKED(statement) do { pthread_mutex_lock(&lock); statement; pthread_mutex_unlock(&lock); } while (0)
#define EACH_FILE(name) (struct file *name = &files[0][0]; name < &files[0][0] + ROWS * SLOTS; name++)

static void begin_save(void) {
  save++;
  has_written = has_synced = has_forgotten = has_unlinked = 0;
  unlinked_in = 0;
}

void ci_saves_begin(void) {
  LOCKED({
    // Touching unused pages would count as memory of the measured process.
    if (save > 0) memset(files, 0, sizeof files);
    memset(&totals, 0, sizeof totals);
    save = 0;
    begin_save();
  });
}

static struct file *row_of(uint64_t id) { return files[(id ^ (id >> 32)) % ROWS]; }

static struct file *find(uint64_t id) {
  struct file *row = row_of(id);
  for (int i = 0; i < SLOTS; i++)
    if (row[i].save != 0 && row[i].id == id) return &row[i];
  return NULL;
}

// Makes an entry for a file. If the row is full, the file with the oldest write is dropped. If that was in this save,
// the save is not judged, so that it is not blamed for a dropped file.
static struct file *make(uint64_t id) {
  struct file *row = row_of(id);
  struct file *slot = row;
  for (int i = 1; i < SLOTS; i++)
    if (row[i].save < slot->save) slot = &row[i];
  if (slot->save == save) has_forgotten = 1;
  *slot = (struct file){.id = id};
  return slot;
}

void ci_saves_written(uint64_t id, int is_synchronous) {
  LOCKED({
    struct file *file = find(id);
    if (file == NULL) file = make(id);
    if (file->save != save) file->directory = 0;
    file->save = save;
    // A synchronous write brings its own data to the disk, but not earlier data of another descriptor.
    if (!is_synchronous) file->is_dirty = 1;
    has_written = 1;
    if (is_synchronous) has_synced = 1;
  });
}

void ci_saves_synced(uint64_t id) {
  LOCKED({
    struct file *file = find(id);
    if (file != NULL) file->is_dirty = 0;
    has_synced = 1;
  });
}

void ci_saves_directory_synced(uint64_t directory) {
  LOCKED({
    for EACH_FILE(file) if (file->directory == directory) file->directory = 0;
    if (unlinked_in == directory) unlinked_in = 0;
    has_synced = 1;
  });
}

void ci_saves_all_synced(void) {
  LOCKED({
    for EACH_FILE(file) {
      file->is_dirty = 0;
      file->directory = 0;
    }
    unlinked_in = 0;
    has_synced = 1;
  });
}

void ci_saves_renamed(uint64_t id, uint64_t directory) {
  LOCKED({
    struct file *file = find(id);
    // A file that was not written since counting began keeps its earlier state.
    if (file != NULL) {
      totals.renamed++;
      if (file->is_dirty) totals.renamed_unsynced++;
      if (file->save == save) file->directory = directory;
    }
  });
}

void ci_saves_removed(uint64_t id) {
  LOCKED({
    struct file *file = find(id);
    // The save counts as having written.
    if (file != NULL) *file = (struct file){0};
  });
}

void ci_saves_unlinked(uint64_t directory) {
  LOCKED({
    has_unlinked = 1;
    unlinked_in = directory;
  });
}

// Returns the best state of any file written by this save: 0 not synced, 1 synced under a name that may be lost, 2
// safe.
static int reached(void) {
  int best = 0;
  for EACH_FILE(file) {
    if (file->save != save || file->is_dirty) continue;
    int own = file->directory == 0 ? 2 : 1;
    if (own > best) best = own;
  }
  return best;
}

static void judge(void) {
  totals.acknowledged++;
  if (!has_written) {
    // If a record is a file, deleting it only removes its name.
    if (!has_unlinked) totals.unwritten++;
    else if (unlinked_in != 0) totals.unnamed++;
    return;
  }
  if (has_forgotten) return;
  switch (reached()) {
    case 0:
      totals.unsynced++;
      if (has_synced) totals.synced_elsewhere++;
      break;
    case 1: totals.unnamed++; break;
  }
}

void ci_acknowledge(int is_change) {
  if (!ci_is_armed()) return;
  if (ci_is_watching()) ci_watched_acknowledge(is_change);
  LOCKED({
    if (is_change) judge();
    begin_save();
  });
}

void ci_read_saves(struct ci_saves *saves) { LOCKED(*saves = totals); }
