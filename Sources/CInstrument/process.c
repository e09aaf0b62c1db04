// The kernel's information about this process and about files, read without allocations and without being counted.
#define _GNU_SOURCE
#include "CStorageInstrument.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

// Buffers are on the stack, because two threads may copy at once. They fit the stack of a thread in a pool.
#define BLOCK (1 << 15)

static int raw_open(const char *path, int flags) {
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, 0);
}

static void raw_close(int descriptor) {
  int kept = errno;
  syscall(SYS_close, descriptor);
  errno = kept;
}

static int read_text(const char *path, char *text, size_t size) {
  int file = raw_open(path, O_RDONLY);
  if (file < 0) return errno;
  size_t length = 0;
  while (length < size - 1) {
    long got = syscall(SYS_read, file, text + length, size - 1 - length);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    length += (size_t)got;
  }
  raw_close(file);
  text[length] = 0;
  return length > 0 ? 0 : EIO;
}

static uint64_t field(const char *text, const char *name) {
  const char *line = strstr(text, name);
  return line == NULL ? 0 : strtoull(line + strlen(name), NULL, 10);
}

int ci_read_memory(struct ci_memory *memory) {
  char text[4096];
  int error = read_text("/proc/self/status", text, sizeof text);
  if (error != 0) return error;
  memory->anonymous = 1024 * field(text, "RssAnon:");
  memory->file = 1024 * (field(text, "RssFile:") + field(text, "RssShmem:"));
  memory->peak = 1024 * field(text, "VmHWM:");
  return 0;
}

int ci_read_file_memory(uint64_t *file) {
  char text[128];
  int error = read_text("/proc/self/statm", text, sizeof text);
  if (error != 0) return error;
  // All pages, the resident ones, and the shared ones among those: see proc(5).
  char *rest = text;
  uint64_t pages = 0;
  for (int number = 0; number < 3; number++) pages = strtoull(rest, &rest, 10);
  *file = pages * (uint64_t)sysconf(_SC_PAGESIZE);
  return 0;
}

int ci_reset_peak(void) {
  malloc_trim(0);
  int file = raw_open("/proc/self/clear_refs", O_WRONLY);
  if (file < 0) return errno;
  // 5 resets the peak of the resident set: see proc(5).
  long written = syscall(SYS_write, file, "5", 1);
  int error = written == 1 ? 0 : errno;
  raw_close(file);
  return error;
}

uint64_t ci_heap_in_use(void) {
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

int ci_read_process_io(struct ci_process_io *io) {
  char text[1024];
  int error = read_text("/proc/self/io", text, sizeof text);
  if (error != 0) return error;
  io->bytes_written = field(text, "wchar:");
  io->write_calls = field(text, "syscw:");
  // Not rchar, which counts all requested bytes, from any source.
  io->disk_bytes_read = field(text, "\nread_bytes:");
  return 0;
}

int ci_read_interference(struct ci_interference *interference) {
  char text[1024];
  int error = read_text("/proc/thread-self/schedstat", text, sizeof text);
  if (error != 0) return error;
  char *rest = text;
  // Time on a processor, then time waiting for one.
  strtoull(rest, &rest, 10);
  interference->waited = strtoull(rest, &rest, 10);
  struct rusage usage;
  interference->preemptions = getrusage(RUSAGE_THREAD, &usage) == 0 ? (uint64_t)usage.ru_nivcsw : 0;
  struct timespec tick;
  interference->tick =
      clock_getres(CLOCK_MONOTONIC_COARSE, &tick) == 0 ? (uint64_t)tick.tv_sec * 1000000000 + (uint64_t)tick.tv_nsec : 0;
  interference->stolen = 0;
  if (read_text("/proc/stat", text, sizeof text) == 0) {
    rest = text + strcspn(text, " ");
    uint64_t ticks = 0;
    // user, nice, system, idle, iowait, irq, softirq, steal
    for (int column = 0; column < 8; column++) ticks = strtoull(rest, &rest, 10);
    interference->stolen = ticks * (1000000000 / (uint64_t)sysconf(_SC_CLK_TCK));
  }
  return 0;
}

static int ascending(const void *left, const void *right) {
  int64_t one = *(const int64_t *)left, other = *(const int64_t *)right;
  return one < other ? -1 : one > other;
}

int64_t ci_sync_time(const char *directory, int count) {
  static const char page[4096];
  int64_t times[16];
  int file = (int)syscall(SYS_openat, AT_FDCWD, directory, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (file < 0) return -1;
  int done = 0;
  while (done < count && done < 16) {
    int64_t start = ci_now();
    if (syscall(SYS_pwrite64, file, page, sizeof page, (off_t)0) != sizeof page || syscall(SYS_fsync, file) != 0) break;
    times[done++] = ci_now() - start;
  }
  raw_close(file);
  if (done == 0) return -1;
  qsort(times, (size_t)done, sizeof times[0], ascending);
  return times[done / 2];
}

uint64_t ci_major_faults(void) {
  struct rusage usage;
  return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_majflt : 0;
}

int ci_resident_pages(const char *path, uint64_t *pages, uint64_t *resident) {
  *pages = *resident = 0;
  int file = raw_open(path, O_RDONLY);
  if (file < 0) return errno;
  struct stat status;
  int error = 0;
  if (fstat(file, &status) != 0) {
    error = errno;
  } else if (status.st_size > 0) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t count = ((size_t)status.st_size + page - 1) / page;
    void *map = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_SHARED, file, 0);
    unsigned char *present = malloc(count);
    if (map == MAP_FAILED || present == NULL || mincore(map, (size_t)status.st_size, present) != 0) {
      error = errno;
    } else {
      *pages = count;
      for (size_t i = 0; i < count; i++) *resident += present[i] & 1;
    }
    free(present);
    if (map != MAP_FAILED) munmap(map, (size_t)status.st_size);
  }
  raw_close(file);
  return error;
}

int ci_drop_cache(const char *path) {
  int file = raw_open(path, O_RDONLY);
  if (file < 0) return errno;
  int error = posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
  raw_close(file);
  return error;
}

int ci_sync_filesystem(const char *path) {
  int file = raw_open(path, O_RDONLY);
  if (file < 0) return errno;
  int error = syscall(SYS_syncfs, file) == 0 ? 0 : errno;
  raw_close(file);
  return error;
}

uint64_t ci_filesystem_type(const char *path) {
  struct statfs status;
  return statfs(path, &status) == 0 ? (uint64_t)status.f_type : 0;
}

int ci_read_through(const char *path) {
  int file = raw_open(path, O_RDONLY);
  if (file < 0) return errno;
  char buffer[BLOCK];
  long got;
  while ((got = syscall(SYS_read, file, buffer, sizeof buffer)) > 0 || (got < 0 && errno == EINTR)) {}
  int error = got < 0 ? errno : 0;
  raw_close(file);
  return error;
}

int ci_file_size(const char *path, uint64_t *length, uint64_t *allocated) {
  struct stat status;
  if (stat(path, &status) != 0) return errno;
  *length = (uint64_t)status.st_size;
  // st_blocks is in units of 512 bytes on every file system: see stat(2).
  *allocated = (uint64_t)status.st_blocks * 512;
  return 0;
}

static int copy_range(int source, int target, off_t from, off_t to) {
  char buffer[BLOCK];
  while (from < to) {
    size_t wanted = (uint64_t)(to - from) < sizeof buffer ? (size_t)(to - from) : sizeof buffer;
    long got = syscall(SYS_pread64, source, buffer, wanted, from);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) return EIO;
    for (long done = 0; done < got;) {
      long written = syscall(SYS_pwrite64, target, buffer + done, (size_t)(got - done), from + done);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return errno;
      done += written;
    }
    from += got;
  }
  return 0;
}

int ci_copy_file(const char *from, const char *to) {
  int source = raw_open(from, O_RDONLY);
  if (source < 0) return errno;
  struct stat status;
  int error = fstat(source, &status) == 0 ? 0 : errno;
  int target = error != 0 ? -1
    : (int)syscall(SYS_openat, AT_FDCWD, to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, status.st_mode & 0777);
  if (error == 0 && target < 0) error = errno;
  off_t offset = 0;
  while (error == 0 && offset < status.st_size) {
    off_t data = lseek(source, offset, SEEK_DATA);
    // ENXIO: only a hole remains.
    if (data < 0) { error = errno == ENXIO ? 0 : errno; break; }
    off_t hole = lseek(source, data, SEEK_HOLE);
    if (hole < 0) hole = status.st_size;
    error = copy_range(source, target, data, hole);
    offset = hole;
  }
  if (error == 0 && ftruncate(target, status.st_size) != 0) error = errno;
  raw_close(source);
  if (target >= 0) raw_close(target);
  return error;
}

void ci_sleep(int64_t nanoseconds) {
  struct timespec span = {nanoseconds / 1000000000, nanoseconds % 1000000000};
  nanosleep(&span, NULL);
}

int ci_take_standard_output(void) {
  int kept = (int)syscall(SYS_fcntl, 1, F_DUPFD_CLOEXEC, 3);
  if (kept >= 0) syscall(SYS_dup3, 2, 1, 0);
  return kept;
}

int ci_write_all(int descriptor, const void *bytes, uint64_t count) {
  const char *next = bytes;
  while (count > 0) {
    long written = syscall(SYS_write, descriptor, next, count);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return errno;
    next += written;
    count -= (uint64_t)written;
  }
  return 0;
}

static int signal_pipe[2];

static void note_signal(int signal) {
  int kept = errno;
  unsigned char byte = (unsigned char)signal;
  syscall(SYS_write, signal_pipe[1], &byte, 1);
  errno = kept;
}

int ci_watch_signals(const int *signals, int count) {
  // If the pipe is full, further signals need not be written.
  if (pipe2(signal_pipe, O_CLOEXEC | O_NONBLOCK) != 0) return -errno;
  struct sigaction action = {.sa_handler = note_signal, .sa_flags = SA_RESTART};
  sigfillset(&action.sa_mask);
  for (int index = 0; index < count; ++index)
    if (sigaction(signals[index], &action, NULL) != 0) return -errno;
  return signal_pipe[0];
}

static void die(int signal) {
  (void)signal;
  kill(getpid(), SIGKILL);
}

void ci_limit_lifetime(unsigned seconds) {
  // A signal that ends a process even while it is stopped: if the parent is killed while it pauses a child, the child
  // stays stopped.
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
  struct itimerspec end = {.it_value = {.tv_sec = seconds}};
  // The kernel's own timer number: before glibc 2.34, its timer functions are in another library.
  int timer;
  if (syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer) == 0 &&
      syscall(SYS_timer_settime, timer, 0, &end, NULL) == 0)
    return;
  // Not SIGALRM's default action: a handler ends the process even if a library has blocked the default action.
  signal(SIGALRM, die);
  alarm(seconds);
}

#define SECONDS_BETWEEN_LOOKS 5
static int awaited_parent;

static void look_for_parent(int signal) {
  if (getppid() != awaited_parent) die(signal);
  alarm(SECONDS_BETWEEN_LOOKS);
}

void ci_end_with_parent(int parent) {
  awaited_parent = parent;
  // Calls are restarted after the signal, so the counts do not change.
  struct sigaction action = {.sa_handler = look_for_parent, .sa_flags = SA_RESTART};
  sigemptyset(&action.sa_mask);
  sigaction(SIGALRM, &action, NULL);
  alarm(SECONDS_BETWEEN_LOOKS);
}

int ci_executable_path(char *path, uint64_t size) {
  if (size == 0) return 0;
  ssize_t length = readlink("/proc/self/exe", path, size);
  // A path that fills the buffer may be truncated.
  if (length <= 0 || (uint64_t)length >= size) return 0;
  path[length] = 0;
  return (int)length;
}

int ci_open_files(void) {
  int directory = raw_open("/proc/self/fd", O_RDONLY | O_DIRECTORY);
  if (directory < 0) return 0;
  char block[4096] __attribute__((aligned(8)));
  int count = 0;
  long got;
  while ((got = syscall(SYS_getdents64, directory, block, sizeof block)) > 0) {
    for (long offset = 0; offset < got; offset += ((struct dirent64 *)(block + offset))->d_reclen) count++;
  }
  raw_close(directory);
  // Without the directory's own descriptor, `.` and `..`.
  return count - 3;
}

uint64_t ci_time_waited(void) {
  char text[128];
  if (read_text("/proc/self/schedstat", text, sizeof text) != 0) return 0;
  // The time on a processor, then the time of waiting for one: see proc(5).
  char *next = text;
  strtoull(text, &next, 10);
  return strtoull(next, NULL, 10);
}

int ci_hypervisor(char signature[13]) {
  memset(signature, 0, 13);
#if defined(__x86_64__) || defined(__i386__)
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d)) return -1;
  // Bit 31 of ECX, which no physical processor sets.
  if (!(c >> 31 & 1)) return 0;
  __cpuid(0x40000000, a, b, c, d);
  memcpy(signature, &b, 4);
  memcpy(signature + 4, &c, 4);
  memcpy(signature + 8, &d, 4);
  return 1;
#else
  return -1;
#endif
}
