// LMDB: a new environment whose first write, of both meta pages, ended after one page. cc lmdb-first-write.c -llmdb
#include <lmdb.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

// Opens the environment in the working directory under a limit for the length of a file.
static int open_environment(rlim_t limit) {
  MDB_env *environment;
  setrlimit(RLIMIT_FSIZE, &(struct rlimit){limit, RLIM_INFINITY});
  mdb_env_create(&environment);
  mdb_env_set_maxreaders(environment, 1); // keeps lock.mdb below the limit
  int result = mdb_env_open(environment, ".", 0, 0600);
  mdb_env_close(environment);
  return result;
}

int main(void) {
  char directory[] = "/tmp/lmdb-first-write-XXXXXX";
  if (!mkdtemp(directory) || chdir(directory)) return puts("not tried: /tmp cannot be written"), 2;
  signal(SIGXFSZ, SIG_IGN);
  int full = open_environment(4096), later = open_environment(RLIM_INFINITY);
  unlink("data.mdb"), unlink("lock.mdb"), rmdir(directory);
  puts("expected: once there is space, the environment opens");
  printf("observed: with one page of space: %s; later: %s\n", mdb_strerror(full), mdb_strerror(later));
  return later ? 1 : 0;
}
