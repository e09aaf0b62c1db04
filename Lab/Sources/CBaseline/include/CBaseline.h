// The work of the lmdb and sqlite adapters as a C programmer would write it: the same engine calls without any layer
// around them. It is the baseline of the adapters.
#ifndef CBASELINE_H
#define CBASELINE_H

#include <stddef.h>
#include <stdint.h>

/// A record in C: numbers, and bytes owned by the code that created it.
struct cb_record {
  int64_t id;
  double score;
  double modified;
  const void *name;
  size_t name_size;
  const void *group;
  size_t group_size;
  const void *payload;
  size_t payload_size;
};

struct cb_store;

/// Opens a store with the same settings as the adapters: at level crash SQLite with WAL and synchronous OFF, LMDB with
/// NOSYNC; at level durable SQLite with WAL and synchronous FULL, LMDB with its defaults. Returns NULL on failure.
struct cb_store *cb_sqlite_open(const char *directory, int durable);
struct cb_store *cb_lmdb_open(const char *directory, int durable);
void cb_close(struct cb_store *store);

/// Reads every key and touches every byte. Returns the sum of all records' words, as ByteSum computes it, or 0 if a
/// key is missing.
uint64_t cb_read_bytes(struct cb_store *store, const int64_t *keys, size_t count);
/// Saves each record in a separate commit. Returns 0 on success.
int cb_save_each(struct cb_store *store, const struct cb_record *records, size_t count);
/// Saves all records in one commit. Returns 0 on success.
int cb_save_all(struct cb_store *store, const struct cb_record *records, size_t count);
/// Finds one record, which is valid until cb_done. Returns 0 on success.
int cb_get(struct cb_store *store, int64_t key, struct cb_record *record);
void cb_done(struct cb_store *store);

/// Returns the cost of one clock reading in nanoseconds, measured in a C loop.
double cb_clock_cost(void);

#endif
