#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CStorageLMDB.h"

#include <dlfcn.h>
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

const char *storage_file_of(const void *function) {
  Dl_info found;
  return dladdr(function, &found) ? found.dli_fname : NULL;
}

int storage_memory_file(const void *content, size_t size) {
  int descriptor = memfd_create("sqlite-library", MFD_CLOEXEC);
  while (descriptor >= 0 && size > 0) {
    ssize_t count = write(descriptor, content, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      close(descriptor);
      return -1;
    }
    content = (const char *)content + count;
    size -= (size_t)count;
  }
  return descriptor;
}

const MDBCalls *storage_lmdb(void) {
  static const MDBCalls table = {
#define X(name) .name = mdb_##name,
      STORAGE_MDB_FUNCTIONS(X)
#undef X
  };
  return &table;
}

const SQLiteCalls *storage_sqlite(void) {
  static const SQLiteCalls table = {
#define X(name) .name = sqlite3_##name,
      STORAGE_SQLITE_FUNCTIONS(X) X(prepare_v3)
#undef X
  };
  return &table;
}

// Returns a function of a library, or NULL. dlsym also searches the library's dependencies, so a function of the linked
// SQLite is rejected.
static void *find(void *library, const char *name) {
  void *found = dlsym(library, name);
  return found == dlsym(RTLD_DEFAULT, name) ? NULL : found;
}

const char *storage_sqlite_find(SQLiteCalls *table, void *library) {
#define X(name) \
  if (!(*(void **)&table->name = find(library, "sqlite3_" #name))) return "sqlite3_" #name;
  STORAGE_SQLITE_FUNCTIONS(X)
#undef X
  *(void **)&table->prepare_v3 = find(library, "sqlite3_prepare_v3");
  return NULL;
}

const LevelDBLibrary *storage_leveldb_load(void) {
  static LevelDBLibrary table;
  void *library = dlopen("libleveldb.so.1d", RTLD_NOW | RTLD_LOCAL);
  if (!library) library = dlopen("libleveldb.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return NULL;
#define X(result, name, parameters) \
  if (!(*(void **)&table.name = dlsym(library, "leveldb_" #name))) return NULL;
  STORAGE_LEVELDB_FUNCTIONS(X)
#undef X
  return &table;
}

const SecretLibrary *storage_secret_load(void) {
  static SecretLibrary table;
  // dlsym also finds the functions of GLib, on which libsecret depends. GLib must not be unloaded, because its threads
  // never end.
  void *library = dlopen("libsecret-1.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!library) return NULL;
#define X(result, name, parameters) \
  if (!(*(void **)&table.name = dlsym(library, #name))) return NULL;
  STORAGE_SECRET_FUNCTIONS(X)
#undef X
  return &table;
}
