// LMDB, and its fork libmdbx. LMDB is linked. libmdbx is loaded at run time, because Debian has no package of it.
//
// Except for the first three, each function `storage_mdbx_...` does the same as LMDB's function `mdb_...`, and hides
// three differences of libmdbx:
// in MDBX_val, the address comes before the length; the map size is the maximum size of a file that grows as needed;
// and a copy is a single file, not a directory. In addition, `storage_mdbx_env_open` syncs a new file unless MDB_NOSYNC
// is set.

#ifndef STORAGE_LMDB_H
#define STORAGE_LMDB_H

#include <lmdb.h>

/// Loads libmdbx. Returns NULL, or the reason why it cannot be used. Must not run on two threads at a time.
const char *storage_mdbx_load(const char *path);

/// The version with the last part of the source's description, such as `0.13.12-15-ga729d19e`. The library must be loaded.
const char *storage_mdbx_version(void);
/// The compile options, separated by spaces.
const char *storage_mdbx_options(void);

char *storage_mdbx_strerror(int code);
int storage_mdbx_env_create(MDB_env **env);
int storage_mdbx_env_open(MDB_env *env, const char *path, unsigned int flags, mdb_mode_t mode);
void storage_mdbx_env_close(MDB_env *env);
int storage_mdbx_env_copy2(MDB_env *env, const char *path, unsigned int flags);
int storage_mdbx_env_stat(MDB_env *env, MDB_stat *stat);
int storage_mdbx_env_info(MDB_env *env, MDB_envinfo *info);
int storage_mdbx_env_get_flags(MDB_env *env, unsigned int *flags);
int storage_mdbx_env_set_mapsize(MDB_env *env, size_t size);
int storage_mdbx_env_set_maxreaders(MDB_env *env, unsigned int readers);
int storage_mdbx_env_set_maxdbs(MDB_env *env, MDB_dbi databases);
int storage_mdbx_reader_check(MDB_env *env, int *dead);
int storage_mdbx_txn_begin(MDB_env *env, MDB_txn *parent, unsigned int flags, MDB_txn **txn);
size_t storage_mdbx_txn_id(MDB_txn *txn);
int storage_mdbx_txn_commit(MDB_txn *txn);
void storage_mdbx_txn_abort(MDB_txn *txn);
void storage_mdbx_txn_reset(MDB_txn *txn);
int storage_mdbx_txn_renew(MDB_txn *txn);
int storage_mdbx_dbi_open(MDB_txn *txn, const char *name, unsigned int flags, MDB_dbi *dbi);
int storage_mdbx_dbi_flags(MDB_txn *txn, MDB_dbi dbi, unsigned int *flags);
int storage_mdbx_stat(MDB_txn *txn, MDB_dbi dbi, MDB_stat *stat);
int storage_mdbx_drop(MDB_txn *txn, MDB_dbi dbi, int del);
int storage_mdbx_get(MDB_txn *txn, MDB_dbi dbi, MDB_val *key, MDB_val *data);
int storage_mdbx_put(MDB_txn *txn, MDB_dbi dbi, MDB_val *key, MDB_val *data, unsigned int flags);
int storage_mdbx_del(MDB_txn *txn, MDB_dbi dbi, MDB_val *key, MDB_val *data);
int storage_mdbx_cursor_open(MDB_txn *txn, MDB_dbi dbi, MDB_cursor **cursor);
void storage_mdbx_cursor_close(MDB_cursor *cursor);
int storage_mdbx_cursor_renew(MDB_txn *txn, MDB_cursor *cursor);
int storage_mdbx_cursor_get(MDB_cursor *cursor, MDB_val *key, MDB_val *data, MDB_cursor_op op);
int storage_mdbx_cursor_del(MDB_cursor *cursor, unsigned int flags);

#endif
