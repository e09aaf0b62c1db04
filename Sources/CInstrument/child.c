// Actions of a process that is started for a special task. They run before main, while it has one thread and no open
// store.
#define _GNU_SOURCE
#include "CStorageInstrument.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

// Weak, because most programs that link this library have no such function.
__attribute__((weak)) extern void ci_main_of_child(const char *request);

static int write_text(const char *path, const char *text);

__attribute__((constructor)) static void begin(void) {
  const char *group = getenv("CI_MEMORY_GROUP");
  if (group != NULL) {
    int error = ci_join_group(group);
    if (error != 0) {
      // Outside of its group, the process would measure a machine with unlimited memory.
      dprintf(2, "cannot join the control group %s: %s\n", group, strerror(error));
      _exit(71);
    }
  }
  const char *request = getenv("CI_CHILD_REQUEST");
  if (request != NULL && ci_main_of_child != NULL) ci_main_of_child(request);
}

static int write_text(const char *path, const char *text) {
  int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CLOEXEC, 0);
  if (file < 0) return errno;
  long written = syscall(SYS_write, file, text, strlen(text));
  int error = written == (long)strlen(text) ? 0 : errno;
  syscall(SYS_close, file);
  return error;
}

// "0" means the process that writes it.
int ci_join_group(const char *processes) { return write_text(processes, "0"); }

// Without root rights, the process becomes root of a new user namespace, if the system permits one.
static int enter_namespace(void) {
  if (unshare(CLONE_NEWNS) == 0) return 0;
  if (errno != EPERM) return errno;
  char users[64], groups[64];
  snprintf(users, sizeof users, "0 %u 1", (unsigned)geteuid());
  snprintf(groups, sizeof groups, "0 %u 1", (unsigned)getegid());
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return errno;
  int error = write_text("/proc/self/setgroups", "deny");
  if (error == 0) error = write_text("/proc/self/uid_map", users);
  if (error == 0) error = write_text("/proc/self/gid_map", groups);
  return error;
}

int ci_mount_private(const char *directory, uint64_t size) {
  int error = enter_namespace();
  if (error != 0) return error;
  // Later mounts are not visible outside of this namespace.
  if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) return errno;
  char options[64];
  snprintf(options, sizeof options, "size=%llu,mode=755", (unsigned long long)size);
  return mount("storage-bench", directory, "tmpfs", MS_NOSUID | MS_NODEV, options) == 0 ? 0 : errno;
}

int ci_make_read_only(const char *directory, int is_read_only) {
  unsigned long flags = MS_REMOUNT | MS_NOSUID | MS_NODEV | (is_read_only ? MS_RDONLY : 0);
  return mount("storage-bench", directory, "tmpfs", flags, NULL) == 0 ? 0 : errno;
}
