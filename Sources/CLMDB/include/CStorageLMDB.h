// The C libraries that the backends call: LMDB and its fork libmdbx, SQLite, LevelDB, and libsecret with GLib.
//
// A table holds pointers to the functions of one library, so that the same code can use another library, and so that
// the package can be built without a library that is loaded at run time. A macro lists the functions of each table. A
// member has the name of its function, without the prefix `mdb_`, `sqlite3_` or `leveldb_`. Functions of
// libsecret and GLib keep their prefixes.
//
// The functions `storage_..._load` must not run on two threads at a time. Loaded libraries are never unloaded.

#ifndef STORAGE_LMDB_H
#define STORAGE_LMDB_H

#include <lmdb.h>
#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

// A pointer without _Nonnull or _Nullable is optional in Swift.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-completeness"

// Swift imports neither dladdr nor memfd_create.

/// Returns the path of the file from which a function was loaded, or NULL.
const char *storage_file_of(const void *function);
/// Creates a file in memory, and returns its descriptor or -1 on an error.
int storage_memory_file(const void *content, size_t size);

// LMDB and libmdbx.
//
// LMDB is linked. libmdbx is loaded at run time, because Debian has no package of it.
//
// In the table of libmdbx, each function does the same as LMDB's function `mdb_...`. It hides these differences of
// libmdbx: in MDBX_val, the address comes before the length; the map size is the maximum size of a file that grows as
// needed; a copy is a single file, not a directory; and some result codes differ. In addition, `env_open` syncs a new
// file unless MDB_NOSYNC is set.

#define STORAGE_MDB_FUNCTIONS(X) \
  /* Environments. */ \
  X(strerror) X(env_create) X(env_open) X(env_close) X(env_copy2) X(env_stat) X(env_info) X(env_get_flags) \
  X(env_set_mapsize) X(env_set_maxreaders) X(env_set_maxdbs) X(reader_check) \
  /* Transactions. */ \
  X(txn_begin) X(txn_id) X(txn_commit) X(txn_abort) X(txn_reset) X(txn_renew) \
  /* Databases. */ \
  X(dbi_open) X(dbi_flags) X(stat) X(drop) X(get) X(put) X(del) \
  /* Cursors. */ \
  X(cursor_open) X(cursor_close) X(cursor_renew) X(cursor_get) X(cursor_del)

/// The functions of LMDB or of libmdbx.
typedef struct {
#define X(name) __typeof__(mdb_##name) *_Nonnull name;
  STORAGE_MDB_FUNCTIONS(X)
#undef X
} MDBCalls;

/// Returns the functions of LMDB, which is linked.
const MDBCalls *_Nonnull storage_lmdb(void);
/// Returns the functions of libmdbx, which may be called only after the library has been loaded.
const MDBCalls *_Nonnull storage_mdbx(void);

/// Loads libmdbx. Returns NULL, or the reason why it cannot be used.
const char *storage_mdbx_load(const char *path);
/// The version with the last part of the source's description, such as `0.13.12-15-ga729d19e`. The library must be
/// loaded.
const char *_Nonnull storage_mdbx_version(void);
/// The compile options, separated by spaces.
const char *_Nonnull storage_mdbx_options(void);

// SQLite, which is linked. Other SQLite libraries can be loaded at run time.

#define STORAGE_SQLITE_FUNCTIONS(X) \
  /* The library. */ \
  X(libversion) X(libversion_number) X(sourceid) X(compileoption_get) X(compileoption_used) \
  /* Connections. */ \
  X(open_v2) X(close) X(close_v2) X(errmsg) X(extended_errcode) X(exec) X(changes) X(get_autocommit) X(db_mutex) \
  X(busy_timeout) X(trace_v2) \
  /* Statements. */ \
  X(prepare_v2) X(step) X(reset) X(finalize) X(stmt_busy) X(bind_int64) X(bind_double) X(bind_text) X(bind_text64) \
  X(bind_blob) X(bind_blob64) X(bind_zeroblob) X(column_count) X(column_int64) X(column_double) X(column_blob) \
  X(column_bytes) X(column_text) X(column_type) \
  /* Backups. */ \
  X(backup_init) X(backup_step) X(backup_finish) \
  /* Functions in SQL. */ \
  X(create_function_v2) X(user_data) X(value_int64) X(value_blob) X(value_bytes) X(result_int64) X(result_text) \
  X(result_blob) X(result_error)

/// The functions of one SQLite library, at a fixed address, so that a call costs two loads and no reference counting.
typedef struct {
#define X(name) __typeof__(sqlite3_##name) *_Nonnull name;
  STORAGE_SQLITE_FUNCTIONS(X)
#undef X
  /// The function `sqlite3_prepare_v3`, or NULL in libraries older than SQLite 3.20.
  __typeof__(sqlite3_prepare_v3) *_Nullable prepare_v3;
} SQLiteCalls;

/// Returns the functions of the linked SQLite library.
const SQLiteCalls *_Nonnull storage_sqlite(void);
/// Fills a table with the functions of an SQLite library that `dlopen` has loaded. Returns NULL, or the first function
/// that the library lacks, such as `sqlite3_step`. The table is then unusable.
const char *storage_sqlite_find(SQLiteCalls *table, void *library);

// LevelDB. The header of its C interface is not needed.

typedef struct leveldb_t leveldb_t;
typedef struct leveldb_cache_t leveldb_cache_t;
typedef struct leveldb_filterpolicy_t leveldb_filterpolicy_t;
typedef struct leveldb_iterator_t leveldb_iterator_t;
typedef struct leveldb_options_t leveldb_options_t;
typedef struct leveldb_readoptions_t leveldb_readoptions_t;
typedef struct leveldb_writebatch_t leveldb_writebatch_t;
typedef struct leveldb_writeoptions_t leveldb_writeoptions_t;

#define STORAGE_LEVELDB_FUNCTIONS(X) \
  X(int, major_version, (void)) \
  X(int, minor_version, (void)) \
  X(leveldb_t *, open, (const leveldb_options_t *, const char *, char **)) \
  X(void, close, (leveldb_t *)) \
  X(void, write, (leveldb_t *, const leveldb_writeoptions_t *, leveldb_writebatch_t *, char **)) \
  X(void *, get, (leveldb_t *, const leveldb_readoptions_t *, const void *, size_t, size_t *, char **)) \
  X(void, free, (void *)) \
  X(void, compact_range, (leveldb_t *, const void *, size_t, const void *, size_t)) \
  X(char *, property_value, (leveldb_t *, const char *)) \
  X(leveldb_iterator_t *_Nonnull, create_iterator, (leveldb_t *, const leveldb_readoptions_t *)) \
  X(void, iter_seek, (leveldb_iterator_t *, const void *, size_t)) \
  X(uint8_t, iter_valid, (const leveldb_iterator_t *)) \
  X(void, iter_next, (leveldb_iterator_t *)) \
  X(const void *, iter_key, (const leveldb_iterator_t *, size_t *)) \
  X(const void *, iter_value, (const leveldb_iterator_t *, size_t *)) \
  X(void, iter_get_error, (const leveldb_iterator_t *, char **)) \
  X(void, iter_destroy, (leveldb_iterator_t *)) \
  X(leveldb_writebatch_t *_Nonnull, writebatch_create, (void)) \
  X(void, writebatch_put, (leveldb_writebatch_t *, const void *, size_t, const void *, size_t)) \
  X(void, writebatch_delete, (leveldb_writebatch_t *, const void *, size_t)) \
  X(void, writebatch_clear, (leveldb_writebatch_t *)) \
  X(void, writebatch_destroy, (leveldb_writebatch_t *)) \
  X(leveldb_options_t *_Nonnull, options_create, (void)) \
  X(void, options_set_create_if_missing, (leveldb_options_t *, uint8_t)) \
  X(void, options_set_compression, (leveldb_options_t *, int)) \
  X(void, options_set_filter_policy, (leveldb_options_t *, leveldb_filterpolicy_t *)) \
  X(void, options_set_cache, (leveldb_options_t *, leveldb_cache_t *)) \
  X(void, options_destroy, (leveldb_options_t *)) \
  X(leveldb_filterpolicy_t *_Nonnull, filterpolicy_create_bloom, (int bits_per_key)) \
  X(void, filterpolicy_destroy, (leveldb_filterpolicy_t *)) \
  X(leveldb_cache_t *_Nonnull, cache_create_lru, (size_t bytes)) \
  X(void, cache_destroy, (leveldb_cache_t *)) \
  X(leveldb_readoptions_t *_Nonnull, readoptions_create, (void)) \
  X(void, readoptions_set_verify_checksums, (leveldb_readoptions_t *, uint8_t)) \
  X(void, readoptions_destroy, (leveldb_readoptions_t *)) \
  X(leveldb_writeoptions_t *_Nonnull, writeoptions_create, (void)) \
  X(void, writeoptions_set_sync, (leveldb_writeoptions_t *, uint8_t)) \
  X(void, writeoptions_destroy, (leveldb_writeoptions_t *))

/// The functions of LevelDB's C interface that the backend `leveldb` calls.
typedef struct {
#define X(result, name, parameters) result(*_Nonnull name) parameters;
  STORAGE_LEVELDB_FUNCTIONS(X)
#undef X
} __attribute__((swift_attr("@Sendable"))) LevelDBLibrary;

/// Loads LevelDB. Returns its functions, or NULL if it is not installed or lacks a function.
const LevelDBLibrary *storage_leveldb_load(void);

// libsecret and GLib. Their headers are not needed. Variadic functions are avoided, because Swift cannot call them.
// libsecret documents its functions for D-Bus paths as subject to change, but they are unchanged since 0.7 (2012).

/// An error of GLib (`GError`).
typedef struct {
  uint32_t domain;
  int code;
  char *message;
} SecretError;

#define STORAGE_SECRET_FUNCTIONS(X) \
  X(unsigned, g_str_hash, (const void *)) \
  X(int, g_str_equal, (const void *, const void *)) \
  X(void, g_free, (void *)) \
  X(char *_Nonnull, g_strdup, (const char *)) \
  X(void, g_strfreev, (char **)) \
  X(void *_Nonnull, g_hash_table_new_full, \
    (unsigned (*hash)(const void *), int (*equal)(const void *, const void *), \
     void (*free_key)(void *), void (*free_value)(void *))) \
  X(int, g_hash_table_insert, (void *, const void *, const void *)) \
  X(void *, g_hash_table_lookup, (void *, const void *)) \
  X(void, g_hash_table_unref, (void *)) \
  X(void *_Nonnull, g_object_ref, (void *)) \
  X(void, g_object_unref, (void *)) \
  X(void, g_error_free, (SecretError *)) \
  X(const char *, g_quark_to_string, (uint32_t)) \
  X(void *_Nonnull, g_main_context_new, (void)) \
  X(void, g_main_context_push_thread_default, (void *)) \
  X(void, g_main_context_pop_thread_default, (void *)) \
  X(int, g_main_context_iteration, (void *, int may_block)) \
  X(void *_Nonnull, g_dbus_proxy_get_connection, (void *)) \
  X(void, g_dbus_connection_set_exit_on_close, (void *, int)) \
  X(int, g_dbus_connection_close_sync, (void *, void *, SecretError **)) \
  X(size_t, secret_service_get_type, (void)) \
  X(void *, secret_service_open_sync, (size_t type, const char *, int flags, void *, SecretError **)) \
  X(const char *, secret_service_get_session_algorithms, (void *)) \
  X(void *_Nonnull, secret_schema_newv, (const char *, int flags, void *)) \
  X(void *_Nonnull, secret_value_new, (const void *, ptrdiff_t, const char *)) \
  X(const void *, secret_value_get, (void *, size_t *)) \
  X(void, secret_value_unref, (void *)) \
  X(int, secret_service_store_sync, \
    (void *, void *schema, void *attributes, const char *, const char *, void *, void *, SecretError **)) \
  X(int, secret_service_search_for_dbus_paths_sync, \
    (void *, void *schema, void *attributes, void *, char ***, char ***, SecretError **)) \
  X(void *, secret_service_get_secret_for_dbus_path_sync, (void *, const char *, void *, SecretError **)) \
  X(void *, secret_service_get_secrets_for_dbus_paths_sync, (void *, char **, void *, SecretError **)) \
  X(int, secret_service_delete_item_dbus_path_sync, (void *, const char *, void *, SecretError **)) \
  X(char *, secret_service_read_alias_dbus_path_sync, (void *, const char *, void *, SecretError **)) \
  X(void *, secret_collection_new_for_dbus_path_sync, (void *, const char *, int flags, void *, SecretError **)) \
  X(int, secret_collection_get_locked, (void *))

/// The functions of libsecret and GLib.
typedef struct {
#define X(result, name, parameters) result(*_Nonnull name) parameters;
  STORAGE_SECRET_FUNCTIONS(X)
#undef X
} __attribute__((swift_attr("@Sendable"))) SecretLibrary;

/// Loads libsecret, which loads GLib. Returns their functions, or NULL if one is not installed or lacks a function.
const SecretLibrary *storage_secret_load(void);

#pragma clang diagnostic pop

#endif
