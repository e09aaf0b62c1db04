// The calls while watching: each queries the plan, makes the call, and writes the log.
#define _GNU_SOURCE
#include "watched.h"

#include "CStorageInstrument.h"
#include "counters.h"
#include "descriptors.h"
#include "faults.h"
#include "log.h"
#include "saves.h"
#include "schedule.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// One call at a time is made, logged and counted, so that the log has the order in which the calls took effect. The
// state that a call depends on, such as the end of a file that it appends to, is also read under the lock.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int logs_reads;

struct mapping {
  const char *address;
  size_t length;
  uint64_t file;
  uint64_t offset;
};
static struct mapping mappings[256];

// A forked process has one thread, which may not be the one that holds the lock. Its calls are not this process's, and
// its counters are not read.
static void before_fork(void) { pthread_mutex_lock(&lock); }
static void after_fork(void) { pthread_mutex_unlock(&lock); }
static void in_forked(void) {
  atomic_store(&ci_armed, 0);
  ci_log_end();
  pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void prepare(void) { pthread_atfork(before_fork, after_fork, in_forked); }

static int begin_log(const char *log) {
  if (log == NULL) {
    ci_log_end();
    return 0;
  }
  return ci_is_below_root(AT_FDCWD, log) ? EINVAL : ci_log_begin(log);
}

int ci_watch(const char *log, int reads) {
  if (!ci_is_armed()) return EINVAL;
  pthread_mutex_lock(&lock);
  int error = begin_log(log);
  if (error == 0) {
    logs_reads = reads;
    memset(mappings, 0, sizeof mappings);
    ci_faults_begin();
    atomic_fetch_or(&ci_armed, CI_WATCHING);
  }
  pthread_mutex_unlock(&lock);
  return error;
}

void ci_set_fault(const struct ci_fault *fault) {
  pthread_mutex_lock(&lock);
  ci_faults_plan(fault);
  pthread_mutex_unlock(&lock);
}

void ci_watch_end(void) {
  pthread_mutex_lock(&lock);
  ci_log_end();
  ci_drop_images(0);
  pthread_mutex_unlock(&lock);
}

void ci_read_watched(struct ci_watched *watched) {
  pthread_mutex_lock(&lock);
  uint64_t calls, bytes;
  ci_fault_cost(&watched->hits, &calls, &bytes);
  ci_log_cost(&watched->log_calls, &watched->log_bytes, &watched->log_error);
  watched->log_calls += calls;
  watched->log_bytes += bytes;
  pthread_mutex_unlock(&lock);
}

static void die(void) {
  syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
  for (;;) syscall(SYS_pause);
}

/// Converts the result of a system call to the form of the log.
static long told(long result) { return result < 0 ? -(long)errno : result; }

/// Converts a result of the log to the form for a caller.
static long tell(long result) {
  if (result >= 0) return result;
  errno = (int)-result;
  return -1;
}

static void wait_for(uint64_t nanoseconds) {
  struct timespec time = {(time_t)(nanoseconds / 1000000000), (long)(nanoseconds % 1000000000)};
  if (nanoseconds > 0) syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &time, NULL);
}

// A call in progress, from the plan's decision to its log entry.
struct watch {
  struct ci_note note;
  struct ci_decision decision;
  char name[PATH_MAX], other_name[PATH_MAX];
};

/// Queries the plan, with the lock held. The names are determined before, so that the times cover only the call.
static void begin(struct watch *watch, uint32_t call, uint32_t also, uint64_t file, uint64_t length, uint64_t growth) {
  watch->note = (struct ci_note){.call = call, .file = file, .length = length, .name = watch->name};
  ci_schedule_pass();
  // Watching may have ended while this thread waited for the lock.
  watch->decision = ci_decide(ci_is_watching() ? call | also : 0, file, length, growth);
  wait_for(watch->decision.delay);
  // A process that dies in a write has done a part of it first.
  if (watch->decision.dies && (call != CI_CALL_WRITE || watch->decision.limit == 0)) die();
  if (watch->decision.error != 0 || watch->decision.limit < length) watch->note.flags |= CI_ENTRY_FAULT;
  watch->note.began = ci_now();
}

/// Writes the log, and releases the lock. Returns the result for the caller.
static long end(struct watch *watch, long result) {
  watch->note.ended = ci_now();
  watch->note.result = result;
  ci_log(&watch->note);
  ci_schedule_record(&watch->note);
  if (watch->decision.dies) die();
  pthread_mutex_unlock(&lock);
  return tell(result);
}

/// Releases the lock for a call that does not concern the store.
static void leave(void) { pthread_mutex_unlock(&lock); }

/// Determines the kind of a descriptor anew. libc may have closed it and opened another one with the same number,
/// unseen.
static unsigned char look_at(int descriptor, uint64_t *id) {
  ci_forget_descriptor(descriptor);
  return ci_kind_and_id(descriptor, id);
}

static void name_descriptor(struct watch *watch, int descriptor) {
  if (!ci_name_of_descriptor(descriptor, watch->name, sizeof watch->name)) watch->name[0] = 0;
}

/// Returns the total number of bytes; lengths that no file can have stay too large.
static uint64_t total(const struct iovec *parts, int count) {
  uint64_t total = 0;
  for (int i = 0; i < count; i++) total = __builtin_add_overflow(total, parts[i].iov_len, &total) ? UINT64_MAX : total;
  return total;
}

/// Copies the first parts that hold the given number of bytes. Returns the number of parts.
static int cut(const struct iovec *parts, int count, uint64_t bytes, struct iovec *into) {
  int used = 0;
  for (int i = 0; i < count && bytes > 0; i++) {
    into[used] = parts[i];
    if (into[used].iov_len > bytes) into[used].iov_len = bytes;
    bytes -= into[used++].iov_len;
  }
  return used;
}

static off_t position(int descriptor, const struct stat *status) {
  long flags = syscall(SYS_fcntl, descriptor, F_GETFL);
  if (flags >= 0 && flags & O_APPEND) return status->st_size;
  long position = syscall(SYS_lseek, descriptor, 0, SEEK_CUR);
  return position < 0 ? 0 : position;
}

// The kernel does not count every failing call in the same way, so a single part is written with the call for one part.
static long write_parts(int descriptor, const struct iovec *parts, int count, off_t offset) {
  if (count == 1)
    return offset == CI_AT_POSITION ? syscall(SYS_write, descriptor, parts->iov_base, parts->iov_len)
                                    : syscall(SYS_pwrite64, descriptor, parts->iov_base, parts->iov_len, offset);
  return offset == CI_AT_POSITION ? syscall(SYS_writev, descriptor, parts, count)
                                  : syscall(SYS_pwritev, descriptor, parts, count, offset, 0);
}

/// Returns the additional space that a file needs. The range between its end and the offset stays a hole.
static uint64_t growth(uint64_t offset, uint64_t length, const struct stat *status) {
  uint64_t end = offset > UINT64_MAX - length ? UINT64_MAX : offset + length;
  uint64_t beyond = end > (uint64_t)status->st_size ? end - (uint64_t)status->st_size : 0;
  return beyond < length ? beyond : length;
}

/// Begins a write of any kind. Returns the offset at which it will write.
static off_t begin_write(
    struct watch *watch, int descriptor, uint64_t id, int is_synchronous, uint64_t length, off_t offset,
    struct stat *status) {
  syscall(SYS_fstat, descriptor, status);
  off_t at = offset == CI_AT_POSITION ? position(descriptor, status) : offset;
  name_descriptor(watch, descriptor);
  begin(
      watch, CI_CALL_WRITE, is_synchronous ? CI_CALL_SYNC : 0, id, length, growth((uint64_t)at, length, status));
  if (is_synchronous) watch->note.flags |= CI_ENTRY_SYNCHRONOUS;
  watch->note.offset = (uint64_t)at;
  return at;
}

long ci_watched_write(int descriptor, const struct iovec *parts, int count, off_t offset) {
  uint64_t id;
  unsigned char kind = look_at(descriptor, &id);
  if ((kind & CI_KIND) != CI_STORE_FILE || count < 0 || count > IOV_MAX || (offset < 0 && offset != CI_AT_POSITION))
    return ci_counted_write(descriptor, write_parts(descriptor, parts, count, offset), 1);
  struct watch watch;
  struct stat status;
  uint64_t length = total(parts, count);
  pthread_mutex_lock(&lock);
  off_t at = begin_write(&watch, descriptor, id, kind & CI_SYNCHRONOUS, length, offset, &status);
  struct ci_decision *decision = &watch.decision;
  if (decision->is_reverted) ci_revert(descriptor, id);
  if (!decision->is_made) return end(&watch, -decision->error);
  uint64_t bytes = length < decision->limit ? length : decision->limit;
  ci_keep_image(descriptor, id, (uint64_t)at, bytes, &status);
  struct iovec some[IOV_MAX];
  // An uncut write is passed on unchanged, including bad addresses and empty parts.
  int used = bytes < length ? cut(parts, count, bytes, some) : count;
  if (used == count && bytes == length) memcpy(some, parts, (size_t)count * sizeof *parts);
  long result =
      told(ci_counted_write(descriptor, write_parts(descriptor, some, used, offset), decision->error == 0));
  watch.note.parts = some;
  watch.note.done = result > 0 ? (uint64_t)result : 0;
  // Treated as a sync of the whole file, so that a failed sync is only blamed for data that is certainly lost.
  if (kind & CI_SYNCHRONOUS && result > 0 && decision->error == 0) ci_drop_images(id);
  return end(&watch, decision->error != 0 ? -decision->error : result);
}

/// Maps the data that a copy has written, for the log, and sets the address of its first byte. Returns the mapping's
/// length, or 0.
static uint64_t map_written(int descriptor, off_t at, uint64_t length, void **mapping, const char **first) {
  // Some descriptors can be written but not read.
  char path[40];
  snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
  long again = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
  off_t page = at - at % sysconf(_SC_PAGESIZE);
  uint64_t size = (uint64_t)(at - page) + length;
  long address = syscall(SYS_mmap, NULL, size, PROT_READ, MAP_SHARED, again >= 0 ? again : descriptor, page);
  if (again >= 0) KEEPING_ERRNO(syscall(SYS_close, again));
  if (address == -1) return 0;
  *mapping = (void *)address;
  *first = (const char *)address + (at - page);
  return size;
}

long ci_watched_copy(
    int to, off_t offset, size_t length, long (*copy)(void *context, size_t length), void *context) {
  uint64_t id;
  unsigned char kind = look_at(to, &id);
  if ((kind & CI_KIND) != CI_STORE_FILE || (offset < 0 && offset != CI_AT_POSITION))
    return ci_counted_write(to, copy(context, length), 1);
  struct watch watch;
  struct stat status;
  pthread_mutex_lock(&lock);
  off_t at = begin_write(&watch, to, id, kind & CI_SYNCHRONOUS, length, offset, &status);
  if (watch.decision.is_reverted) ci_revert(to, id);
  if (!watch.decision.is_made) return end(&watch, -watch.decision.error);
  uint64_t bytes = length < watch.decision.limit ? length : watch.decision.limit;
  ci_keep_image(to, id, (uint64_t)at, bytes, &status);
  long result = told(ci_counted_write(to, copy(context, bytes), watch.decision.error == 0));
  void *mapping = NULL;
  const char *first = NULL;
  uint64_t mapped = result > 0 ? map_written(to, at, (uint64_t)result, &mapping, &first) : 0;
  struct iovec part = {(void *)first, result > 0 ? (size_t)result : 0};
  if (mapped > 0) {
    watch.note.parts = &part;
    watch.note.done = (uint64_t)result;
  } else if (result > 0) {
    ci_log_fail(errno);
  }
  result = end(&watch, watch.decision.error != 0 ? -watch.decision.error : result);
  if (mapped > 0) KEEPING_ERRNO(syscall(SYS_munmap, mapping, mapped));
  return result;
}

static long read_parts(int descriptor, const struct iovec *parts, int count, off_t offset) {
  if (count == 1)
    return offset == CI_AT_POSITION ? syscall(SYS_read, descriptor, parts->iov_base, parts->iov_len)
                                    : syscall(SYS_pread64, descriptor, parts->iov_base, parts->iov_len, offset);
  return offset == CI_AT_POSITION ? syscall(SYS_readv, descriptor, parts, count)
                                  : syscall(SYS_preadv, descriptor, parts, count, offset, 0);
}

long ci_watched_read(int descriptor, const struct iovec *parts, int count, off_t offset) {
  uint64_t id;
  unsigned char kind = look_at(descriptor, &id);
  if ((kind & CI_KIND) != CI_STORE_FILE || count < 0 || count > IOV_MAX || (offset < 0 && offset != CI_AT_POSITION))
    return read_parts(descriptor, parts, count, offset);
  struct watch watch;
  struct stat status;
  pthread_mutex_lock(&lock);
  syscall(SYS_fstat, descriptor, &status);
  off_t at = offset == CI_AT_POSITION ? position(descriptor, &status) : offset;
  uint64_t length = total(parts, count);
  watch.name[0] = 0;
  if (logs_reads) name_descriptor(&watch, descriptor);
  begin(&watch, CI_CALL_READ, 0, id, length, 0);
  watch.note.offset = (uint64_t)at;
  if (!logs_reads) watch.note.call = 0;
  if (!watch.decision.is_made) return end(&watch, -watch.decision.error);
  if (length <= watch.decision.limit) return end(&watch, told(read_parts(descriptor, parts, count, offset)));
  struct iovec some[IOV_MAX];
  int used = cut(parts, count, watch.decision.limit, some);
  return end(&watch, told(read_parts(descriptor, some, used, offset)));
}

long ci_watched_sync(int descriptor, long number) {
  uint64_t id;
  unsigned char kind = look_at(descriptor, &id) & CI_KIND;
  if (kind != CI_STORE_FILE && kind != CI_STORE_DIRECTORY) return syscall(number, descriptor);
  struct watch watch;
  pthread_mutex_lock(&lock);
  uint32_t call = number == SYS_syncfs ? CI_CALL_SYNC_ALL
                  : kind == CI_STORE_FILE ? CI_CALL_SYNC
                                          : CI_CALL_SYNC_DIRECTORY;
  name_descriptor(&watch, descriptor);
  begin(&watch, call, 0, id, 0, 0);
  if (watch.decision.is_reverted) ci_revert(descriptor, id);
  if (watch.decision.error != 0) return end(&watch, -watch.decision.error);
  long result = told(syscall(number, descriptor));
  if (result == 0) ci_drop_images(call == CI_CALL_SYNC_ALL ? 0 : id);
  return end(&watch, result);
}

long ci_watched_sync_all(void) {
  struct watch watch;
  pthread_mutex_lock(&lock);
  watch.name[0] = 0;
  begin(&watch, CI_CALL_SYNC_ALL, 0, 0, 0, 0);
  // sync cannot report the error, but nothing is synced.
  if (!watch.decision.is_made) return end(&watch, -watch.decision.error);
  syscall(SYS_sync);
  ci_drop_images(0);
  return end(&watch, 0);
}

long ci_watched_open(int directory, const char *path, int flags, unsigned mode) {
  struct watch watch;
  // O_TMPFILE contains O_DIRECTORY: it makes a file without a name in the directory that the path leads to.
  int is_unnamed = (flags & O_TMPFILE) == O_TMPFILE;
  if (!ci_name_below_root(directory, path, watch.name, sizeof watch.name) || (flags & O_DIRECTORY && !is_unnamed))
    return syscall(SYS_openat, directory, path, flags, mode);
  struct stat status;
  pthread_mutex_lock(&lock);
  int is_there = !is_unnamed && fstatat(directory, path, &status, 0) == 0;
  if (is_there && !S_ISREG(status.st_mode)) {
    // Not under the lock, because the opening of a pipe waits for its other end.
    leave();
    return syscall(SYS_openat, directory, path, flags, mode);
  }
  int creates = is_unnamed || (!is_there && flags & O_CREAT);
  // A call that creates a file needs space for its name.
  begin(
      &watch, creates ? CI_CALL_CREATE : CI_CALL_OPEN, 0, is_there ? ci_file_id(&status) : 0, 0, creates ? 1 : 0);
  watch.note.offset = (uint64_t)flags;
  if ((flags & O_ACCMODE) == O_RDONLY) watch.note.flags |= CI_ENTRY_READS;
  if (is_unnamed) watch.note.flags |= CI_ENTRY_UNNAMED;
  // Opening a file only for reading can empty it as well.
  int truncates = is_there && flags & O_TRUNC;
  // Opening for reading is not a change, and is not to be logged.
  if (!creates && !truncates && !logs_reads && watch.note.flags & CI_ENTRY_READS) watch.note.call = 0;
  if (!watch.decision.is_made) return end(&watch, -watch.decision.error);
  if (truncates) {
    long before = ci_keeps_images() ? syscall(SYS_openat, directory, path, O_RDONLY | O_CLOEXEC, 0) : -1;
    if (before >= 0) {
      ci_keep_image((int)before, ci_file_id(&status), 0, UINT64_MAX, &status);
      syscall(SYS_close, before);
    }
  }
  long result = told(syscall(SYS_openat, directory, path, flags, mode));
  if (result >= 0 && syscall(SYS_fstat, result, &status) == 0) watch.note.file = ci_file_id(&status);
  if (result >= 0 && truncates) watch.note.flags |= CI_ENTRY_TRUNCATES;
  if (result >= 0 && is_unnamed) name_descriptor(&watch, (int)result);
  return end(&watch, result);
}

long ci_watched_truncate(int descriptor, uint64_t length) {
  uint64_t id;
  struct stat status;
  if ((look_at(descriptor, &id) & CI_KIND) != CI_STORE_FILE) return syscall(SYS_ftruncate, descriptor, length);
  struct watch watch;
  pthread_mutex_lock(&lock);
  syscall(SYS_fstat, descriptor, &status);
  name_descriptor(&watch, descriptor);
  begin(&watch, CI_CALL_TRUNCATE, 0, id, 0, 0);
  watch.note.offset = length;
  if (!watch.decision.is_made) return end(&watch, -watch.decision.error);
  ci_keep_image(descriptor, id, length, UINT64_MAX, &status);
  return end(&watch, told(syscall(SYS_ftruncate, descriptor, length)));
}

long ci_watched_allocate(int descriptor, int mode, uint64_t offset, uint64_t length) {
  uint64_t id;
  struct stat status;
  if ((look_at(descriptor, &id) & CI_KIND) != CI_STORE_FILE)
    return syscall(SYS_fallocate, descriptor, mode, offset, length);
  struct watch watch;
  pthread_mutex_lock(&lock);
  syscall(SYS_fstat, descriptor, &status);
  name_descriptor(&watch, descriptor);
  // Other modes release space, or move data.
  int takes_room = (mode & ~FALLOC_FL_KEEP_SIZE) == 0;
  begin(&watch, CI_CALL_ALLOCATE, 0, id, 0, takes_room ? growth(offset, length, &status) : 0);
  // With KEEP_SIZE, blocks are reserved and the file does not become longer.
  watch.note.offset = mode & FALLOC_FL_KEEP_SIZE ? 0 : offset;
  watch.note.length = mode & FALLOC_FL_KEEP_SIZE ? 0 : length;
  if (!watch.decision.is_made) return end(&watch, -watch.decision.error);
  ci_keep_image(descriptor, id, offset, length, &status);
  return end(&watch, told(syscall(SYS_fallocate, descriptor, mode, offset, length)));
}

// Names

static uint64_t id_of(int directory, const char *path, int flags) {
  struct stat status;
  return fstatat(directory, path, &status, flags) == 0 ? ci_file_id(&status) : 0;
}

/// Begins a call with two names, and takes the lock. If neither name is below the root, it takes no lock and returns 0.
/// `flags` says how the first name finds its file.
static int begin_pair(
    struct watch *watch, uint32_t call, int from_directory, const char *from, int to_directory, const char *to,
    int flags) {
  int is_from = ci_name_below_root(from_directory, from, watch->name, sizeof watch->name);
  int is_to = ci_name_below_root(to_directory, to, watch->other_name, sizeof watch->other_name);
  if (!is_from && !is_to) return 0;
  if (!is_from) watch->name[0] = 0;
  if (!is_to) watch->other_name[0] = 0;
  pthread_mutex_lock(&lock);
  uint64_t replaced = call == CI_CALL_RENAME ? id_of(to_directory, to, AT_SYMLINK_NOFOLLOW) : 0;
  begin(watch, call, 0, id_of(from_directory, from, flags), 0, 0);
  watch->note.other_name = watch->other_name;
  watch->note.other = replaced;
  return 1;
}

long ci_watched_rename(int from_directory, const char *from, int to_directory, const char *to, unsigned flags) {
  struct watch watch;
  if (!begin_pair(&watch, CI_CALL_RENAME, from_directory, from, to_directory, to, AT_SYMLINK_NOFOLLOW))
    return syscall(SYS_renameat2, from_directory, from, to_directory, to, flags);
  watch.note.offset = flags;
  if (!watch.decision.is_made) return end(&watch, -watch.decision.error);
  return end(&watch, told(syscall(SYS_renameat2, from_directory, from, to_directory, to, flags)));
}

long ci_watched_link(int from_directory, const char *from, int to_directory, const char *to, int flags) {
  struct watch watch;
  // A file without a name gets one through its descriptor, or through its link in /proc.
  int finding = (flags & AT_SYMLINK_FOLLOW ? 0 : AT_SYMLINK_NOFOLLOW) | (flags & AT_EMPTY_PATH);
  if (!begin_pair(&watch, CI_CALL_LINK, from_directory, from, to_directory, to, finding))
    return syscall(SYS_linkat, from_directory, from, to_directory, to, flags);
  if (!watch.decision.is_made) return end(&watch, -watch.decision.error);
  return end(&watch, told(syscall(SYS_linkat, from_directory, from, to_directory, to, flags)));
}

long ci_watched_unlink(int directory, const char *path, int flags) {
  struct watch watch;
  if (!ci_name_below_root(directory, path, watch.name, sizeof watch.name))
    return syscall(SYS_unlinkat, directory, path, flags);
  pthread_mutex_lock(&lock);
  begin(
      &watch, flags & AT_REMOVEDIR ? CI_CALL_REMOVE_DIRECTORY : CI_CALL_UNLINK, 0,
      id_of(directory, path, AT_SYMLINK_NOFOLLOW), 0, 0);
  if (!watch.decision.is_made) return end(&watch, -watch.decision.error);
  return end(&watch, told(syscall(SYS_unlinkat, directory, path, flags)));
}

long ci_watched_make_directory(int directory, const char *path, unsigned mode) {
  struct watch watch;
  if (!ci_name_below_root(directory, path, watch.name, sizeof watch.name))
    return syscall(SYS_mkdirat, directory, path, mode);
  pthread_mutex_lock(&lock);
  begin(&watch, CI_CALL_MAKE_DIRECTORY, 0, 0, 0, 1);
  if (!watch.decision.is_made) return end(&watch, -watch.decision.error);
  long result = told(syscall(SYS_mkdirat, directory, path, mode));
  if (result == 0) watch.note.file = id_of(directory, path, AT_SYMLINK_NOFOLLOW);
  return end(&watch, result);
}

// Mappings

void ci_watched_map(int descriptor, const void *address, size_t length, off_t offset) {
  uint64_t id;
  if ((look_at(descriptor, &id) & CI_KIND) != CI_STORE_FILE) return;
  struct watch watch;
  name_descriptor(&watch, descriptor);
  pthread_mutex_lock(&lock);
  watch.decision = (struct ci_decision){0};
  watch.note = (struct ci_note){
      .call = CI_CALL_MAP, .file = id, .offset = (uint64_t)offset, .length = length, .name = watch.name,
      .began = ci_now()};
  for (size_t i = 0; i < sizeof mappings / sizeof *mappings; i++) {
    if (mappings[i].length != 0) continue;
    mappings[i] = (struct mapping){address, length, id, (uint64_t)offset};
    break;
  }
  ci_schedule_map(watch.name, (void *)address, length, (uint64_t)offset);
  end(&watch, 0);
}

void ci_watched_unmap(const void *address, size_t length) {
  pthread_mutex_lock(&lock);
  ci_schedule_unmap(address, length);
  for (size_t i = 0; i < sizeof mappings / sizeof *mappings; i++)
    if (mappings[i].address == address && mappings[i].length <= length) mappings[i].length = 0;
  pthread_mutex_unlock(&lock);
}

long ci_watched_sync_map(void *address, size_t length, int flags) {
  if (!(flags & MS_SYNC)) return syscall(SYS_msync, address, length, flags);
  struct watch watch;
  watch.name[0] = 0;
  // If the mapping was made before calls were watched, its file is unknown, but its syncs count.
  struct mapping mapping = {.address = address};
  pthread_mutex_lock(&lock);
  for (size_t i = 0; i < sizeof mappings / sizeof *mappings; i++)
    if ((char *)address >= mappings[i].address && (char *)address < mappings[i].address + mappings[i].length)
      mapping = mappings[i];
  begin(&watch, CI_CALL_SYNC_MAP, 0, mapping.file, 0, 0);
  watch.note.offset = mapping.offset + (uint64_t)((char *)address - mapping.address);
  watch.note.length = length;
  if (!watch.decision.is_made) return end(&watch, -watch.decision.error);
  return end(&watch, told(syscall(SYS_msync, address, length, flags)));
}

void ci_watched_acknowledge(int is_change) {
  struct watch watch;
  pthread_mutex_lock(&lock);
  watch.decision = (struct ci_decision){0};
  watch.note =
      (struct ci_note){.call = CI_CALL_ACKNOWLEDGE, .offset = is_change ? 1 : 0, .began = ci_now()};
  end(&watch, 0);
}
