// Two processes that run in turns. Each call on the store's files, each lock and each access to a shared mapping of
// such a file is a point. Between two points a process cannot see or change what the other one sees, so the order of
// the points determines the outcome.
//
// The plan is in memory that both processes share, and so is the record of the points. The process that has the turn
// counts its own points and hands the turn over when the plan says so. So a point without a switch needs no system call
// beside its own.
#define _GNU_SOURCE
#include "schedule.h"

#include "CStorageInstrument.h"
#include "counters.h"
#include "descriptors.h"
#include "watched.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NO_LIMIT UINT32_MAX
/// The number of times that both processes together may wait for the other one.
#define MOST_WAITS 300
#define MOST_LENGTHS 16

struct ci_schedule {
  _Atomic uint32_t turn;
  /// The points that the process with the turn may still make before it hands the turn over.
  uint32_t left;
  /// The plan, and the index of its next length.
  uint32_t lengths[MOST_LENGTHS], count, next;
  /// The process that is killed where it would hand its turn over by the plan, or NO_LIMIT.
  uint32_t killed;
  /// The process that, after it has handed its turn over, gets it back only when the other one has ended, or NO_LIMIT.
  uint32_t suspended;
  uint32_t waits, seconds, point_count;
  _Atomic uint32_t has_ended[2];
  uint8_t memory[CI_SCHEDULE_MEMORY];
  struct ci_point points[CI_SCHEDULE_POINTS];
};

/// The schedule of this process, and its number, if it is scheduled.
static struct ci_schedule *shared;
static uint32_t own;
/// Whether a point has begun and is not recorded yet.
static int is_passing;

struct ci_schedule *ci_schedule_create(void) {
  void *memory = mmap(NULL, sizeof(struct ci_schedule), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

uint8_t *ci_schedule_memory(struct ci_schedule *schedule) { return schedule->memory; }

const struct ci_point *ci_schedule_points(const struct ci_schedule *schedule, uint32_t *count) {
  *count = schedule->point_count;
  return schedule->points;
}

void ci_schedule_prepare(unsigned number) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  cpu_set_t all, one;
  if (sched_getaffinity(0, sizeof all, &all) != 0 || CPU_COUNT(&all) == 0) return;
  number %= (unsigned)CPU_COUNT(&all);
  for (int i = 0; i < CPU_SETSIZE; i++) {
    if (!CPU_ISSET(i, &all) || number-- > 0) continue;
    CPU_ZERO(&one);
    CPU_SET(i, &one);
    sched_setaffinity(0, sizeof one, &one);
    return;
  }
}

static void wake(struct ci_schedule *all, uint32_t process) {
  atomic_store(&all->turn, process);
  syscall(SYS_futex, &all->turn, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void wait_for_turn(void) {
  struct timespec limit = {.tv_sec = shared->seconds};
  for (uint32_t turn; (turn = atomic_load(&shared->turn)) != own;)
    if (syscall(SYS_futex, &shared->turn, FUTEX_WAIT, turn, &limit, NULL, 0) != 0 && errno == ETIMEDOUT)
      _exit(CI_SCHEDULE_STUCK);
}

static uint32_t next_length(struct ci_schedule *all) {
  return all->next < all->count ? all->lengths[all->next++] : NO_LIMIT;
}

/// Gives the turn to the other process, unless it has ended or is suspended, and waits to get it back.
static void hand_over(void) {
  shared->left = next_length(shared);
  if (atomic_load(&shared->has_ended[1 - own]) || shared->suspended == 1 - own) {
    shared->left = NO_LIMIT;
    return;
  }
  wake(shared, 1 - own);
  wait_for_turn();
}

int ci_is_scheduled(void) { return shared != NULL; }

void ci_schedule_pass(void) {
  if (shared == NULL) return;
  int kept = errno;
  while (shared->left == 0) {
    if (shared->killed == own) kill(getpid(), SIGKILL);
    hand_over();
  }
  if (shared->left != NO_LIMIT) shared->left--;
  is_passing = 1;
  errno = kept;
}

struct ci_point *ci_schedule_add(
    uint32_t call, const char *name, uint64_t offset, uint64_t length, int64_t result) {
  // A schedule that makes so many points is ended, because its record would not be whole.
  if (shared->point_count == CI_SCHEDULE_POINTS) _exit(CI_SCHEDULE_STUCK);
  struct ci_point *point = &shared->points[shared->point_count++];
  *point = (struct ci_point){
      .call = call, .process = (uint8_t)own, .is_point = (uint8_t)is_passing, .offset = offset, .length = length,
      .result = result};
  const char *slash = strrchr(name, '/');
  // Not snprintf, because a handler of a signal may call no such function.
  name = slash == NULL ? name : slash + 1;
  for (size_t i = 0; i + 1 < sizeof point->name && name[i] != 0; i++) {
    point->name[i] = name[i];
    point->file = (point->file ^ (unsigned char)name[i]) * 16777619u;
  }
  is_passing = 0;
  return point;
}

void ci_schedule_record(const struct ci_note *note) {
  if (shared == NULL || note->call == 0) return;
  int kept = errno;
  ci_schedule_add(note->call, note->name == NULL ? "" : note->name, note->offset, note->length, note->result);
  errno = kept;
}

void ci_schedule_mark(int64_t number) {
  if (shared == NULL) return;
  is_passing = 0;
  ci_schedule_add(CI_CALL_MARK, "", 0, 0, number);
}

int ci_schedule_wait(void) {
  if (shared == NULL) return 0;
  is_passing = 0;
  ci_schedule_add(CI_CALL_WAIT, "", 0, 0, 0);
  if (++shared->waits > MOST_WAITS) _exit(CI_SCHEDULE_STUCK);
  hand_over();
  return 1;
}

// Locks and sleeps

// The sanitizers define these functions themselves, and need to.
#ifndef CI_SANITIZED
static int is_blocked(long result) { return result < 0 && (errno == EAGAIN || errno == EACCES); }

/// Makes a call on a lock as a point. A call that would wait is made again when the other process has had its turn.
static long lock_file(
    int descriptor, uint32_t call, uint64_t offset, uint64_t length, int waits, long number, long command,
    void *argument) {
  uint64_t id;
  char name[PATH_MAX];
  if (!ci_is_watching() || ci_kind_and_id(descriptor, &id) == CI_OTHER ||
      !ci_name_of_descriptor(descriptor, name, sizeof name)) {
    return syscall(number, descriptor, command, argument);
  }
  for (;;) {
    ci_schedule_pass();
    long result = syscall(number, descriptor, command, argument);
    int error = result < 0 ? errno : 0;
    ci_schedule_add(call, name, offset, length, result < 0 ? -error : result);
    errno = error;
    if (!waits || !is_blocked(result)) return result;
    ci_schedule_wait();
  }
}

int fcntl(int descriptor, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void *argument = va_arg(arguments, void *);
  va_end(arguments);
  int waits = command == F_SETLKW || command == F_OFD_SETLKW;
  int locks = waits || command == F_SETLK || command == F_OFD_SETLK || command == F_GETLK || command == F_OFD_GETLK;
  if (shared == NULL || !locks) return (int)syscall(SYS_fcntl, descriptor, command, argument);
  struct flock *lock = argument;
  uint32_t call =
      lock->l_type == F_UNLCK ? CI_CALL_UNLOCK : lock->l_type == F_RDLCK ? CI_CALL_LOCK_SHARED : CI_CALL_LOCK;
  int tried = waits ? (command == F_SETLKW ? F_SETLK : F_OFD_SETLK) : command;
  uint64_t length = lock->l_len == 0 ? INT64_MAX : (uint64_t)lock->l_len;
  return (int)lock_file(descriptor, call, (uint64_t)lock->l_start, length, waits, SYS_fcntl, tried, argument);
}
int fcntl64(int descriptor, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void *argument = va_arg(arguments, void *);
  va_end(arguments);
  return fcntl(descriptor, command, argument);
}

int flock(int descriptor, int operation) {
  if (shared == NULL) return (int)syscall(SYS_flock, descriptor, operation);
  uint32_t call = operation & LOCK_UN ? CI_CALL_UNLOCK : operation & LOCK_SH ? CI_CALL_LOCK_SHARED : CI_CALL_LOCK;
  int waits = !(operation & LOCK_NB);
  return (int)lock_file(descriptor, call, 0, INT64_MAX, waits, SYS_flock, operation | LOCK_NB, NULL);
}

// In a scheduled process no time passes: a process that sleeps waits for the other one.
int usleep(useconds_t time) {
  if (ci_schedule_wait()) return 0;
  struct timespec span = {time / 1000000, (long)(time % 1000000) * 1000};
  return (int)syscall(SYS_nanosleep, &span, NULL);
}
int nanosleep(const struct timespec *time, struct timespec *left) {
  return ci_schedule_wait() ? 0 : (int)syscall(SYS_nanosleep, time, left);
}
#endif

// The processes

/// Starts a process that dies with this one and that ends after its limit. Returns in both.
static pid_t start_process(unsigned seconds) {
  pid_t parent = getpid(), child = fork();
  if (child != 0) return child;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(CI_SCHEDULE_STUCK);
  // A thread of a library may have blocked all signals.
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  signal(SIGALRM, SIG_DFL);
  struct itimerval limit = {.it_value = {.tv_sec = seconds}};
  setitimer(ITIMER_REAL, &limit, NULL);
  return 0;
}

int ci_schedule_run(
    struct ci_schedule *all, uint32_t first, const uint32_t *lengths, uint32_t count,
    enum ci_switch at_switch, void (*body)(void *, int), void *context, unsigned seconds, int endings[2]) {
  if (count > MOST_LENGTHS) return EINVAL;
  memcpy(all->lengths, lengths, count * sizeof *lengths);
  memset(all->memory, 0, sizeof all->memory);
  all->count = count;
  all->killed = at_switch == CI_SWITCH_KILLS ? first : NO_LIMIT;
  all->suspended = at_switch == CI_SWITCH_SUSPENDS ? first : NO_LIMIT;
  all->point_count = all->next = all->waits = 0;
  all->seconds = seconds;
  all->has_ended[0] = all->has_ended[1] = 0;
  all->left = next_length(all);
  atomic_store(&all->turn, first);
  pid_t processes[2];
  for (uint32_t process = 0; process < 2; process++) {
    processes[process] = start_process(seconds);
    if (processes[process] < 0) {
      int error = errno;
      if (process == 1) {
        kill(processes[0], SIGKILL);
        waitpid(processes[0], NULL, 0);
      }
      return error;
    }
    if (processes[process] > 0) continue;
    shared = all;
    own = process;
    ci_schedule_begin_stepping();
    wait_for_turn();
    body(context, (int)process);
    atomic_store(&all->has_ended[own], 1);
    all->left = atomic_load(&all->has_ended[1 - own]) ? NO_LIMIT : next_length(all);
    wake(all, 1 - own);
    _exit(0);
  }
  for (int alive = 2; alive > 0;) {
    int status;
    pid_t ended = waitpid(-1, &status, 0);
    if (ended < 0 && errno == EINTR) continue;
    if (ended < 0) return errno;
    int process = ended == processes[1];
    if (!process && ended != processes[0]) continue;
    alive--;
    endings[process] = status;
    if (status == 0) continue;
    // A process that died has not handed its turn over.
    atomic_store(&all->has_ended[process], 1);
    all->left = NO_LIMIT;
    wake(all, (uint32_t)(1 - process));
  }
  return 0;
}

int ci_schedule_alone(void (*body)(void *, int), void *context, unsigned seconds) {
  pid_t process = start_process(seconds);
  if (process < 0) return -1;
  if (process == 0) {
    body(context, 2);
    _exit(0);
  }
  int status = 0;
  while (waitpid(process, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return status;
}

// Equal schedules

static int is_lock(uint32_t call) { return (call & (CI_CALL_LOCK | CI_CALL_LOCK_SHARED | CI_CALL_UNLOCK)) != 0; }

/// Returns whether the outcome of two points of different processes can depend on their order.
static int conflicts(const struct ci_point *one, const struct ci_point *other) {
  if (one->file != other->file && !((one->call | other->call) & CI_CALL_RENAME)) return 0;
  const uint32_t reading = CI_CALL_LOAD | CI_CALL_READ | CI_CALL_OPEN | CI_CALL_MAP;
  const uint32_t syncing = CI_CALL_SYNC | CI_CALL_SYNC_DIRECTORY | CI_CALL_SYNC_ALL | CI_CALL_SYNC_MAP;
  const uint32_t ranged = CI_CALL_LOAD | CI_CALL_STORE | CI_CALL_READ | CI_CALL_WRITE | CI_CALL_LOCK |
                          CI_CALL_LOCK_SHARED | CI_CALL_UNLOCK;
  if ((one->call | other->call) & syncing) return 0;
  if (is_lock(one->call) != is_lock(other->call)) return 0;
  if (one->call & reading && other->call & reading) return 0;
  // A renaming concerns two files, of which the record has one.
  if ((one->call | other->call) & CI_CALL_RENAME) return 1;
  // The lengths of files and of mappings are not separate points, so a call on the whole file conflicts with all
  // others.
  if (!(one->call & ranged) || !(other->call & ranged)) return 1;
  return one->offset < other->offset + other->length && other->offset < one->offset + one->length;
}

uint32_t ci_schedule_next(const struct ci_schedule *schedule, uint32_t process, uint32_t number) {
  uint32_t count, index = 0, seen = 0, begin = 0;
  const struct ci_point *points = ci_schedule_points(schedule, &count);
  // The points of the other process directly before the one with this number.
  for (; index < count; index++) {
    if (!points[index].is_point || points[index].process != process) continue;
    if (seen == number) break;
    seen++;
    begin = index + 1;
  }
  uint32_t end = index;
  for (; index < count; index++) {
    if (!points[index].is_point || points[index].process != process) continue;
    for (uint32_t i = begin; i < end; i++)
      if (points[i].is_point && points[i].process != process && conflicts(&points[index], &points[i])) return seen + 1;
    seen++;
  }
  return UINT32_MAX;
}
