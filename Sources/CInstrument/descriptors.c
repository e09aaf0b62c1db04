// The relation of descriptors and paths to the store.
#define _GNU_SOURCE
#include "descriptors.h"

#include "counters.h"
#include "saves.h"

#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// The kind is determined at the first use of a descriptor, and forgotten when it is closed or opened again. So
// descriptors that were not created through these functions (by stdio, or inherited) are known, too.
#define DESCRIPTORS 65536
static _Atomic unsigned char kinds[DESCRIPTORS];
/// The file identities of descriptors whose kind is known.
static _Atomic uint64_t ids[DESCRIPTORS];

// The root as given, and with links resolved, because paths occur in both forms.
static char roots[2][PATH_MAX];
static size_t root_lengths[2];

void ci_set_root(const char *root) {
  memset((void *)kinds, CI_UNKNOWN, sizeof kinds);
  snprintf(roots[0], sizeof roots[0], "%s", root);
  if (realpath(root, roots[1]) == NULL) snprintf(roots[1], sizeof roots[1], "%s", root);
  for (int i = 0; i < 2; i++) {
    root_lengths[i] = strlen(roots[i]);
    while (root_lengths[i] > 1 && roots[i][root_lengths[i] - 1] == '/') roots[i][--root_lengths[i]] = 0;
  }
}

/// Returns the rest of a path after the root, or NULL.
static const char *after_root(const char *path) {
  for (int i = 0; i < 2; i++)
    if (strncmp(path, roots[i], root_lengths[i]) == 0 && (path[root_lengths[i]] == '/' || path[root_lengths[i]] == 0))
      return path + root_lengths[i];
  return NULL;
}

static int path_of_descriptor(int descriptor, char *path, size_t size) {
  char link[40];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  long length = syscall(SYS_readlinkat, AT_FDCWD, link, path, size - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return 1;
}

/// Returns the absolute path, in `buffer` if it has to be composed, or NULL.
static const char *full_path(int directory, const char *path, char buffer[2 * PATH_MAX]) {
  if (path == NULL) return NULL;
  if (path[0] == '/') return path;
  if (directory == AT_FDCWD) {
    if (syscall(SYS_getcwd, buffer, PATH_MAX) < 0) return NULL;
  } else if (!path_of_descriptor(directory, buffer, PATH_MAX)) {
    return NULL;
  }
  size_t length = strlen(buffer);
  snprintf(buffer + length, 2 * PATH_MAX - length, "/%s", path);
  return buffer;
}

int ci_is_below_root(int directory, const char *path) {
  char buffer[2 * PATH_MAX];
  const char *full = full_path(directory, path, buffer);
  return full != NULL && after_root(full) != NULL;
}

/// Copies a path without redundant slashes and dots. Returns 0 if its ".." parts lead above its start.
static int copy_name(const char *path, char *name, size_t size) {
  size_t length = 0;
  while (*path != 0) {
    size_t part = strcspn(path, "/");
    if (part == 2 && memcmp(path, "..", 2) == 0) {
      if (length == 0) return 0;
      while (length > 0 && name[--length] != '/') {}
    } else if (part > 0 && !(part == 1 && path[0] == '.') && length + part + 2 < size) {
      if (length > 0) name[length++] = '/';
      memcpy(name + length, path, part);
      length += part;
    }
    path += part;
    path += strspn(path, "/");
  }
  name[length] = 0;
  return 1;
}

int ci_name_below_root(int directory, const char *path, char *name, size_t size) {
  char buffer[2 * PATH_MAX];
  const char *full = full_path(directory, path, buffer);
  const char *rest = full == NULL ? NULL : after_root(full);
  return rest != NULL && copy_name(rest, name, size);
}

int ci_name_of_descriptor(int descriptor, char *name, size_t size) {
  char path[PATH_MAX];
  const char *rest = path_of_descriptor(descriptor, path, sizeof path) ? after_root(path) : NULL;
  if (rest == NULL || !copy_name(rest, name, size)) return 0;
  // The kernel appends this to a file that has lost the name by which it was opened, or never had one.
  static const char deleted[] = " (deleted)";
  size_t length = strlen(name), extra = sizeof deleted - 1;
  struct stat status;
  if (length > extra && strcmp(name + length - extra, deleted) == 0 && lstat(path, &status) != 0)
    name[length - extra] = 0;
  return 1;
}

static unsigned char find_kind(int descriptor, uint64_t *id) {
  char path[PATH_MAX];
  struct stat status;
  *id = 0;
  if (!path_of_descriptor(descriptor, path, sizeof path) || after_root(path) == NULL) return CI_OTHER;
  if (syscall(SYS_fstat, descriptor, &status) != 0) return CI_OTHER;
  *id = ci_file_id(&status);
  if (S_ISDIR(status.st_mode)) return CI_STORE_DIRECTORY;
  if (!S_ISREG(status.st_mode)) return CI_OTHER;
  long flags = syscall(SYS_fcntl, descriptor, F_GETFL);
  // O_SYNC contains O_DSYNC.
  return CI_STORE_FILE | (flags >= 0 && (flags & O_DSYNC) ? CI_SYNCHRONOUS : 0);
}

unsigned char ci_kind_and_id(int descriptor, uint64_t *id) {
  if (descriptor < 0) {
    *id = 0;
    return CI_OTHER;
  }
  if (descriptor >= DESCRIPTORS) return find_kind(descriptor, id);
  unsigned char kind = atomic_load_explicit(&kinds[descriptor], memory_order_acquire);
  if (kind == CI_UNKNOWN) {
    kind = find_kind(descriptor, id);
    atomic_store_explicit(&ids[descriptor], *id, memory_order_relaxed);
    atomic_store_explicit(&kinds[descriptor], kind, memory_order_release);
  } else {
    *id = atomic_load_explicit(&ids[descriptor], memory_order_relaxed);
  }
  return kind;
}

void ci_forget_descriptor(int descriptor) {
  if (descriptor >= 0 && descriptor < DESCRIPTORS)
    atomic_store_explicit(&kinds[descriptor], CI_UNKNOWN, memory_order_relaxed);
}
