#include "CStorageLMDB.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

// Declarations of mdbx.h, version 0.13. The flags, the operations of cursors and the codes of errors that the backend
// uses have the values of lmdb.h.

typedef struct {
  void *address;
  size_t length;
} Value;

typedef struct {
  uint32_t page_size, depth;
  uint64_t branch_pages, leaf_pages, overflow_pages, entries;
} Statistics;

typedef struct {
  uint64_t lower, upper, current, shrink, grow;
  uint64_t map_size, last_page, recent, latter_reader, own_latter_reader, meta[6];
  uint32_t most_readers, readers, page_size, system_page_size;
} Information;

typedef struct {
  uint16_t major, minor, patch, tweak;
  const char *prerelease;
  const char *date, *tree, *commit, *description;
} Version;

typedef struct {
  const char *date, *target, *options, *compiler, *flags, *metadata;
} Build;

// MDBX_BAD_VALSIZE.
static const int bad_size = -30781;

#define MDBX_FUNCTIONS(X) \
  X(const char *, strerror, (int)) \
  X(int, env_create, (MDB_env **)) \
  X(int, env_open, (MDB_env *, const char *, unsigned, mdb_mode_t)) \
  X(int, env_close, (MDB_env *)) \
  X(int, env_copy, (MDB_env *, const char *, unsigned)) \
  X(int, env_stat_ex, (const MDB_env *, const MDB_txn *, Statistics *, size_t)) \
  X(int, env_info_ex, (const MDB_env *, const MDB_txn *, Information *, size_t)) \
  X(int, env_get_flags, (const MDB_env *, unsigned *)) \
  X(int, env_get_fd, (const MDB_env *, int *)) \
  X(int, env_set_geometry, (MDB_env *, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t)) \
  X(int, env_set_maxreaders, (MDB_env *, unsigned)) \
  X(int, env_set_maxdbs, (MDB_env *, MDB_dbi)) \
  X(int, reader_check, (MDB_env *, int *)) \
  X(int, txn_begin_ex, (MDB_env *, MDB_txn *, unsigned, MDB_txn **, void *)) \
  X(uint64_t, txn_id, (const MDB_txn *)) \
  X(int, txn_commit_ex, (MDB_txn *, void *)) \
  X(int, txn_abort, (MDB_txn *)) \
  X(int, txn_reset, (MDB_txn *)) \
  X(int, txn_renew, (MDB_txn *)) \
  X(int, dbi_open, (MDB_txn *, const char *, unsigned, MDB_dbi *)) \
  X(int, dbi_flags_ex, (const MDB_txn *, MDB_dbi, unsigned *, unsigned *)) \
  X(int, dbi_stat, (const MDB_txn *, MDB_dbi, Statistics *, size_t)) \
  X(int, drop, (MDB_txn *, MDB_dbi, bool)) \
  X(int, get, (const MDB_txn *, MDB_dbi, const Value *, Value *)) \
  X(int, put, (MDB_txn *, MDB_dbi, const Value *, Value *, unsigned)) \
  X(int, del, (MDB_txn *, MDB_dbi, const Value *, const Value *)) \
  X(int, cursor_open, (MDB_txn *, MDB_dbi, MDB_cursor **)) \
  X(void, cursor_close, (MDB_cursor *)) \
  X(int, cursor_renew, (MDB_txn *, MDB_cursor *)) \
  X(int, cursor_get, (MDB_cursor *, Value *, Value *, MDB_cursor_op)) \
  X(int, cursor_del, (MDB_cursor *, unsigned))

static struct {
  const Version *version;
  const Build *build;
#define X(result, name, parameters) result(*name) parameters;
  MDBX_FUNCTIONS(X)
#undef X
} mdbx;

const char *storage_mdbx_load(const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) return dlerror();
#define X(result, name, parameters) \
  if (!(*(void **)&mdbx.name = dlsym(library, "mdbx_" #name))) return "it lacks mdbx_" #name;
  X(, version, ) X(, build, ) MDBX_FUNCTIONS(X)
#undef X
  // Other versions have other structures.
  if (mdbx.version->major != 0 || mdbx.version->minor != 13) return "its version is not 0.13";
  return NULL;
}

const char *storage_mdbx_version(void) { return mdbx.version->description; }
const char *storage_mdbx_options(void) { return mdbx.build->options; }
static char *storage_mdbx_strerror(int code) { return (char *)mdbx.strerror(code); }

// Environments.

static int storage_mdbx_env_create(MDB_env **env) { return mdbx.env_create(env); }

// Writes the path of the data file into a buffer of 4096 bytes. Returns 0, or ENAMETOOLONG.
static int find_file(char *file, const char *directory) {
  return snprintf(file, 4096, "%s/mdbx.dat", directory) < 4096 ? 0 : ENAMETOOLONG;
}

static int storage_mdbx_env_open(MDB_env *env, const char *path, unsigned int flags, mdb_mode_t mode) {
  char file[4096];
  int code = find_file(file, path);
  if (code != 0) return code;
  struct stat status;
  int is_new = stat(file, &status) != 0 || status.st_size == 0;
  code = mdbx.env_open(env, path, flags, mode);
  if (code != 0 || !is_new || flags & MDB_NOSYNC) return code;
  // libmdbx writes three meta pages into a new file without a sync. A small commit syncs only its own pages, by
  // O_DSYNC, so a power cut after it could keep one meta page of three, which a later opening calls corrupted.
  int descriptor;
  code = mdbx.env_get_fd(env, &descriptor);
  if (code != 0) return code;
  return fdatasync(descriptor) == 0 ? 0 : errno;
}

static void storage_mdbx_env_close(MDB_env *env) { mdbx.env_close(env); }

static int storage_mdbx_env_copy2(MDB_env *env, const char *path, unsigned int flags) {
  char file[4096];
  int code = find_file(file, path);
  return code == 0 ? mdbx.env_copy(env, file, flags) : code;
}

static int fill(MDB_stat *stat, int code, const Statistics *found) {
  if (code == 0) {
    *stat = (MDB_stat){.ms_psize = found->page_size,
                       .ms_depth = found->depth,
                       .ms_branch_pages = found->branch_pages,
                       .ms_leaf_pages = found->leaf_pages,
                       .ms_overflow_pages = found->overflow_pages,
                       .ms_entries = found->entries};
  }
  return code;
}

static int storage_mdbx_env_stat(MDB_env *env, MDB_stat *stat) {
  Statistics found;
  return fill(stat, mdbx.env_stat_ex(env, NULL, &found, sizeof found), &found);
}

static int storage_mdbx_env_info(MDB_env *env, MDB_envinfo *info) {
  Information found;
  int code = mdbx.env_info_ex(env, NULL, &found, sizeof found);
  if (code == 0) *info = (MDB_envinfo){.me_mapsize = found.upper, .me_last_pgno = found.last_page};
  return code;
}

static int storage_mdbx_env_get_flags(MDB_env *env, unsigned int *flags) { return mdbx.env_get_flags(env, flags); }

static int storage_mdbx_env_set_mapsize(MDB_env *env, size_t size) {
  // -1 leaves a default or an earlier value.
  return mdbx.env_set_geometry(env, -1, -1, (intptr_t)size, -1, -1, -1);
}

static int storage_mdbx_env_set_maxreaders(MDB_env *env, unsigned int readers) {
  return mdbx.env_set_maxreaders(env, readers);
}

static int storage_mdbx_env_set_maxdbs(MDB_env *env, MDB_dbi databases) { return mdbx.env_set_maxdbs(env, databases); }

static int storage_mdbx_reader_check(MDB_env *env, int *dead) {
  int code = mdbx.reader_check(env, dead);
  // MDBX_RESULT_TRUE: a process has died, and its readers were removed.
  return code == -1 ? 0 : code;
}

// Transactions.

static int storage_mdbx_txn_begin(MDB_env *env, MDB_txn *parent, unsigned int flags, MDB_txn **txn) {
  return mdbx.txn_begin_ex(env, parent, flags, txn, NULL);
}

static size_t storage_mdbx_txn_id(MDB_txn *txn) { return mdbx.txn_id(txn); }

static int storage_mdbx_txn_commit(MDB_txn *txn) {
  int code = mdbx.txn_commit_ex(txn, NULL);
  // MDBX_RESULT_TRUE: the transaction was aborted because of an earlier error.
  return code == -1 ? MDB_BAD_TXN : code;
}

static void storage_mdbx_txn_abort(MDB_txn *txn) { mdbx.txn_abort(txn); }
static void storage_mdbx_txn_reset(MDB_txn *txn) { mdbx.txn_reset(txn); }
static int storage_mdbx_txn_renew(MDB_txn *txn) { return mdbx.txn_renew(txn); }

// Databases.

static int storage_mdbx_dbi_open(MDB_txn *txn, const char *name, unsigned int flags, MDB_dbi *dbi) {
  int code = mdbx.dbi_open(txn, name, flags, dbi);
  // A main database of integer keys cannot have a name as a key. LMDB then finds no such database.
  if (code != bad_size) return code;
  return flags & MDB_CREATE ? MDB_INCOMPATIBLE : MDB_NOTFOUND;
}

static int storage_mdbx_dbi_flags(MDB_txn *txn, MDB_dbi dbi, unsigned int *flags) {
  unsigned state;
  return mdbx.dbi_flags_ex(txn, dbi, flags, &state);
}

static int storage_mdbx_stat(MDB_txn *txn, MDB_dbi dbi, MDB_stat *stat) {
  Statistics found;
  return fill(stat, mdbx.dbi_stat(txn, dbi, &found, sizeof found), &found);
}

static int storage_mdbx_drop(MDB_txn *txn, MDB_dbi dbi, int del) { return mdbx.drop(txn, dbi, del != 0); }

static Value value(const MDB_val *from) { return (Value){from->mv_data, from->mv_size}; }
static void put_back(MDB_val *to, Value from) { *to = (MDB_val){from.length, from.address}; }

static int storage_mdbx_get(MDB_txn *txn, MDB_dbi dbi, MDB_val *key, MDB_val *data) {
  Value found_key = value(key), found;
  int code = mdbx.get(txn, dbi, &found_key, &found);
  if (code == 0) put_back(data, found);
  return code;
}

static int storage_mdbx_put(MDB_txn *txn, MDB_dbi dbi, MDB_val *key, MDB_val *data, unsigned int flags) {
  Value new_key = value(key), new_data = value(data);
  int code = mdbx.put(txn, dbi, &new_key, &new_data, flags);
  if (code == 0) put_back(data, new_data);
  return code;
}

static int storage_mdbx_del(MDB_txn *txn, MDB_dbi dbi, MDB_val *key, MDB_val *data) {
  Value gone_key = value(key), gone_data;
  if (data) gone_data = value(data);
  return mdbx.del(txn, dbi, &gone_key, data ? &gone_data : NULL);
}

// Cursors.

static int storage_mdbx_cursor_open(MDB_txn *txn, MDB_dbi dbi, MDB_cursor **cursor) {
  return mdbx.cursor_open(txn, dbi, cursor);
}

static void storage_mdbx_cursor_close(MDB_cursor *cursor) { mdbx.cursor_close(cursor); }
static int storage_mdbx_cursor_renew(MDB_txn *txn, MDB_cursor *cursor) { return mdbx.cursor_renew(txn, cursor); }

static int storage_mdbx_cursor_get(MDB_cursor *cursor, MDB_val *key, MDB_val *data, MDB_cursor_op op) {
  Value found_key = value(key), found = value(data);
  int code = mdbx.cursor_get(cursor, &found_key, &found, op);
  if (code != 0) return code;
  put_back(key, found_key);
  put_back(data, found);
  return 0;
}

static int storage_mdbx_cursor_del(MDB_cursor *cursor, unsigned int flags) { return mdbx.cursor_del(cursor, flags); }

const MDBCalls *storage_mdbx(void) {
  static const MDBCalls table = {
#define X(name) .name = storage_mdbx_##name,
      STORAGE_MDB_FUNCTIONS(X)
#undef X
  };
  return &table;
}
