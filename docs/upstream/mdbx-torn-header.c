// libmdbx: a new file that lost one of its three meta pages in a power cut. cc mdbx-torn-header.c -ldl
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static void *library;
#define MDBX(name) ((int (*)())dlsym(library, "mdbx_" #name))

// Opens the environment in the working directory, and puts a record if `saves`.
static int use(int saves) {
  unsigned database = 0;
  void *environment, *transaction, *key[2] = {"key", (void *)3}, *value[2] = {"value", (void *)5};
  MDBX(env_create)(&environment);
  int code = MDBX(env_open)(environment, ".", 0, 0600);
  if (!code && saves && !(code = MDBX(txn_begin_ex)(environment, NULL, 0, &transaction, NULL)))
    code = MDBX(dbi_open)(transaction, NULL, 0, &database) || MDBX(put)(transaction, database, key, value, 0) ||
           MDBX(txn_commit_ex)(transaction, NULL);
  return MDBX(env_close_ex)(environment, 0), code;
}
int main(void) {
  char directory[] = "/tmp/mdbx-torn-header-XXXXXX", zeros[4096] = "";
  if (!(library = dlopen("libmdbx.so", RTLD_NOW)) || !mkdtemp(directory) || chdir(directory) || use(0))
    return puts("not tried: libmdbx.so is not found, or /tmp cannot be written"), 2;
  int file = open("mdbx.dat", O_WRONLY), lost = pwrite(file, zeros, 4096, 4096) == 4096 && close(file) == 0;
  int saved = use(1), later = use(0);
  unlink("mdbx.dat"), unlink("mdbx.lck"), rmdir(directory);
  printf("expected: an error at once, or a record that stays\nobserved: commit %d, later opening %d\n", saved, later);
  return !lost ? 2 : !saved && later ? 1 : 0;
}
