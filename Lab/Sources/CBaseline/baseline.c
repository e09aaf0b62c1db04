#include "CBaseline.h"

#include <lmdb.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { READ, PUT, BEGIN, COMMIT, STATEMENTS };

struct cb_store {
  sqlite3 *sqlite;
  sqlite3_stmt *statements[STATEMENTS];
  MDB_env *environment;
  MDB_dbi database;
  MDB_txn *reader;
};

static uint64_t sum_bytes(const void *bytes, size_t count) {
  const unsigned char *next = bytes;
  uint64_t sum = 0;
  for (; count >= 8; count -= 8, next += 8) {
    uint64_t word;
    memcpy(&word, next, 8);
    sum += word;
  }
  for (; count > 0; count--, next++) sum += *next;
  return sum;
}

static inline uint64_t sum_record(const struct cb_record *record) {
  uint64_t score, modified;
  memcpy(&score, &record->score, 8);
  memcpy(&modified, &record->modified, 8);
  return (uint64_t)record->id + score + modified + sum_bytes(record->name, record->name_size) +
         sum_bytes(record->group, record->group_size) + sum_bytes(record->payload, record->payload_size);
}

// SQLite

struct cb_store *cb_sqlite_open(const char *directory, int durable) {
  static const char *const sql[STATEMENTS] = {
    "SELECT id, name, \"group\", score, modified, payload FROM \"records\" WHERE id = ?1",
    "INSERT OR REPLACE INTO \"records\" (id, name, \"group\", score, modified, payload) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    "BEGIN IMMEDIATE", "COMMIT",
  };
  struct cb_store *store = calloc(1, sizeof *store);
  char path[4096];
  snprintf(path, sizeof path, "%s/store.sqlite", directory);
  if (sqlite3_open(path, &store->sqlite) != SQLITE_OK) return NULL;
  if (sqlite3_exec(store->sqlite,
        durable ? "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL" : "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF",
        NULL, NULL, NULL) != SQLITE_OK ||
      sqlite3_exec(store->sqlite,
        "CREATE TABLE IF NOT EXISTS \"records\" (id INTEGER PRIMARY KEY, name TEXT, \"group\" TEXT, score REAL,"
        " modified REAL, payload BLOB)", NULL, NULL, NULL) != SQLITE_OK) return NULL;
  for (int i = 0; i < STATEMENTS; i++)
    if (sqlite3_prepare_v3(store->sqlite, sql[i], -1, SQLITE_PREPARE_PERSISTENT, &store->statements[i], NULL) != SQLITE_OK)
      return NULL;
  return store;
}

static int sqlite_get(struct cb_store *store, int64_t key, struct cb_record *record) {
  sqlite3_stmt *statement = store->statements[READ];
  sqlite3_bind_int64(statement, 1, key);
  if (sqlite3_step(statement) != SQLITE_ROW) return 1;
  record->id = key;
  record->score = sqlite3_column_double(statement, 3);
  record->modified = sqlite3_column_double(statement, 4);
  record->name = sqlite3_column_blob(statement, 1);
  record->name_size = (size_t)sqlite3_column_bytes(statement, 1);
  record->group = sqlite3_column_blob(statement, 2);
  record->group_size = (size_t)sqlite3_column_bytes(statement, 2);
  record->payload = sqlite3_column_blob(statement, 5);
  record->payload_size = (size_t)sqlite3_column_bytes(statement, 5);
  return 0;
}

static int sqlite_put(struct cb_store *store, const struct cb_record *record) {
  sqlite3_stmt *statement = store->statements[PUT];
  sqlite3_bind_int64(statement, 1, record->id);
  sqlite3_bind_text64(statement, 2, record->name, record->name_size, SQLITE_STATIC, SQLITE_UTF8);
  sqlite3_bind_text64(statement, 3, record->group, record->group_size, SQLITE_STATIC, SQLITE_UTF8);
  sqlite3_bind_double(statement, 4, record->score);
  sqlite3_bind_double(statement, 5, record->modified);
  sqlite3_bind_blob64(statement, 6, record->payload, record->payload_size, SQLITE_STATIC);
  int done = sqlite3_step(statement) == SQLITE_DONE;
  sqlite3_reset(statement);
  return done ? 0 : 1;
}

static int sqlite_run(struct cb_store *store, int statement) {
  int done = sqlite3_step(store->statements[statement]) == SQLITE_DONE;
  sqlite3_reset(store->statements[statement]);
  return done ? 0 : 1;
}

// LMDB: keys with the sign bit flipped, values as a 24-byte header, name, group, payload.

struct cb_store *cb_lmdb_open(const char *directory, int durable) {
  struct cb_store *store = calloc(1, sizeof *store);
  MDB_txn *transaction;
  if (mdb_env_create(&store->environment) || mdb_env_set_mapsize(store->environment, (size_t)64 << 20) ||
      mdb_env_set_maxdbs(store->environment, 1) ||
      mdb_env_open(store->environment, directory, MDB_NOTLS | (durable ? 0 : MDB_NOSYNC), 0644) ||
      mdb_txn_begin(store->environment, NULL, 0, &transaction) ||
      mdb_dbi_open(transaction, "records", MDB_CREATE | MDB_INTEGERKEY, &store->database) ||
      mdb_txn_commit(transaction) || mdb_txn_begin(store->environment, NULL, MDB_RDONLY, &store->reader))
    return NULL;
  mdb_txn_reset(store->reader);
  return store;
}

static int lmdb_get(struct cb_store *store, int64_t id, struct cb_record *record) {
  if (mdb_txn_renew(store->reader) != 0) return 1;
  uint64_t ordered = (uint64_t)id ^ ((uint64_t)1 << 63);
  MDB_val key = {8, &ordered}, value;
  if (mdb_get(store->reader, store->database, &key, &value) != 0 || value.mv_size < 24) return 1;
  const char *bytes = value.mv_data;
  uint32_t name, group;
  memcpy(&record->score, bytes, 8);
  memcpy(&record->modified, bytes + 8, 8);
  memcpy(&name, bytes + 16, 4);
  memcpy(&group, bytes + 20, 4);
  if (24 + (size_t)name + group > value.mv_size) return 1;
  record->id = id;
  record->name = bytes + 24;
  record->name_size = name;
  record->group = bytes + 24 + name;
  record->group_size = group;
  record->payload = bytes + 24 + name + group;
  record->payload_size = value.mv_size - 24 - name - group;
  return 0;
}

static int lmdb_put(struct cb_store *store, MDB_txn *transaction, const struct cb_record *record, unsigned flags) {
  uint64_t ordered = (uint64_t)record->id ^ ((uint64_t)1 << 63);
  MDB_val key = {8, &ordered};
  MDB_val value = {24 + record->name_size + record->group_size + record->payload_size, NULL};
  if (mdb_put(transaction, store->database, &key, &value, MDB_RESERVE | flags) != 0) return 1;
  char *bytes = value.mv_data;
  uint32_t name = (uint32_t)record->name_size, group = (uint32_t)record->group_size;
  memcpy(bytes, &record->score, 8);
  memcpy(bytes + 8, &record->modified, 8);
  memcpy(bytes + 16, &name, 4);
  memcpy(bytes + 20, &group, 4);
  memcpy(bytes + 24, record->name, record->name_size);
  memcpy(bytes + 24 + name, record->group, record->group_size);
  memcpy(bytes + 24 + name + group, record->payload, record->payload_size);
  return 0;
}

// Functions for both engines

void cb_close(struct cb_store *store) {
  if (store->sqlite != NULL) {
    for (int i = 0; i < STATEMENTS; i++) sqlite3_finalize(store->statements[i]);
    sqlite3_close(store->sqlite);
  } else {
    mdb_txn_abort(store->reader);
    mdb_env_close(store->environment);
  }
  free(store);
}

int cb_get(struct cb_store *store, int64_t key, struct cb_record *record) {
  return store->sqlite != NULL ? sqlite_get(store, key, record) : lmdb_get(store, key, record);
}

void cb_done(struct cb_store *store) {
  if (store->sqlite != NULL) sqlite3_reset(store->statements[READ]);
  else mdb_txn_reset(store->reader);
}

uint64_t cb_read_bytes(struct cb_store *store, const int64_t *keys, size_t count) {
  uint64_t sum = 0;
  struct cb_record record;
  for (size_t i = 0; i < count; i++) {
    if (cb_get(store, keys[i], &record) != 0) return 0;
    sum += sum_record(&record);
    cb_done(store);
  }
  return sum;
}

int cb_save_each(struct cb_store *store, const struct cb_record *records, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (store->sqlite != NULL) {
      if (sqlite_put(store, &records[i]) != 0) return 1;
      continue;
    }
    MDB_txn *transaction;
    if (mdb_txn_begin(store->environment, NULL, 0, &transaction) != 0) return 1;
    if (lmdb_put(store, transaction, &records[i], 0) != 0 || mdb_txn_commit(transaction) != 0) return 1;
  }
  return 0;
}

int cb_save_all(struct cb_store *store, const struct cb_record *records, size_t count) {
  if (store->sqlite != NULL) {
    if (sqlite_run(store, BEGIN) != 0) return 1;
    for (size_t i = 0; i < count; i++)
      if (sqlite_put(store, &records[i]) != 0) return 1;
    return sqlite_run(store, COMMIT);
  }
  MDB_txn *transaction;
  if (mdb_txn_begin(store->environment, NULL, 0, &transaction) != 0) return 1;
  // The database is empty and the keys ascend: all but the first are appended, as in the adapter.
  for (size_t i = 0; i < count; i++)
    if (lmdb_put(store, transaction, &records[i], i > 0 ? MDB_APPEND : 0) != 0) return 1;
  return mdb_txn_commit(transaction);
}

double cb_clock_cost(void) {
  double least = 1e9;
  for (int round = 0; round < 9; round++) {
    struct timespec first, last;
    clock_gettime(CLOCK_MONOTONIC, &first);
    for (int i = 0; i < 10000; i++) clock_gettime(CLOCK_MONOTONIC, &last);
    double cost = ((double)(last.tv_sec - first.tv_sec) * 1e9 + (double)(last.tv_nsec - first.tv_nsec)) / 10000;
    if (cost < least) least = cost;
  }
  return least;
}
