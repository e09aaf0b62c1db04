// Which files hold data that no sync has followed, and what of it was so when a save was acknowledged.
//
// Files are known by their inode: a descriptor that syncs what another one wrote is as good as the same, a file stays
// unsynced when it is closed, and one that is renamed takes its state along. What is written through a mapping is not
// seen. Nothing is allocated, since allocations are counted, and nothing is done unless counting is on.
#include "saves.h"

#include "CStorageInstrument.h"
#include "counters.h"
#include "watched.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>

struct file {
  uint64_t id;
  /// The save in which it was last written, from 1; 0 for an empty place.
  uint64_t save;
  /// The directory that has to be synced for the file's new name to stay, or 0.
  uint64_t directory;
  /// Whether data was written that no sync has followed.
  int is_dirty;
};

// A file is in one of the places of its row. Rows are short, so that looking is, and stores have few files at a time.
enum { ROWS = 128, PLACES = 8 };
static struct file files[ROWS][PLACES];

// The save that is under way.
static uint64_t save;
static int has_written, has_synced, has_forgotten, has_unlinked;
// The directory that has to be synced for a name that was removed last to stay away, or 0.
static uint64_t unlinked_in;

static struct ci_saves totals;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define LOCKED(statement) do { pthread_mutex_lock(&lock); statement; pthread_mutex_unlock(&lock); } while (0)
#define EACH_FILE(name) (struct file *name = &files[0][0]; name < &files[0][0] + ROWS * PLACES; name++)

static void begin_save(void) {
  save++;
  has_written = has_synced = has_forgotten = has_unlinked = 0;
  unlinked_in = 0;
}

void ci_saves_begin(void) {
  LOCKED({
    // Pages that are not used yet would count as memory of what is measured.
    if (save > 0) memset(files, 0, sizeof files);
    memset(&totals, 0, sizeof totals);
    save = 0;
    begin_save();
  });
}

static struct file *row_of(uint64_t id) { return files[(id ^ (id >> 32)) % ROWS]; }

static struct file *find(uint64_t id) {
  struct file *row = row_of(id);
  for (int i = 0; i < PLACES; i++)
    if (row[i].save != 0 && row[i].id == id) return &row[i];
  return NULL;
}

// Where a row is full, the file goes that was written longest ago. Should it be one of this save, the save is not
// judged: nobody is accused for what was forgotten here.
static struct file *make(uint64_t id) {
  struct file *row = row_of(id);
  struct file *place = row;
  for (int i = 1; i < PLACES; i++)
    if (row[i].save < place->save) place = &row[i];
  if (place->save == save) has_forgotten = 1;
  *place = (struct file){.id = id};
  return place;
}

void ci_saves_written(uint64_t id, int is_synchronous) {
  LOCKED({
    struct file *file = find(id);
    if (file == NULL) file = make(id);
    if (file->save != save) file->directory = 0;
    file->save = save;
    // A synchronous write takes along what it writes, and not what another descriptor wrote before.
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
    // One that was not written since counting began is as its last owner left it.
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
    // The save has written all the same.
    if (file != NULL) *file = (struct file){0};
  });
}

void ci_saves_unlinked(uint64_t directory) {
  LOCKED({
    has_unlinked = 1;
    unlinked_in = directory;
  });
}

// The best that any file written by this save has come to: 0 not synced, 1 synced under a name that may be lost, 2 safe.
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
    // A record that is a file goes by losing its name.
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
