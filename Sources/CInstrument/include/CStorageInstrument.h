// Counts a process's calls to the kernel and to malloc, and reads the kernel's information about the process.
//
// The executable that links this target defines write, fsync, open, malloc and similar functions itself. The dynamic
// linker resolves the calls of Foundation, libsqlite3 and liblmdb to these. They count and enter the kernel with
// syscall(2). Calls that stdio and mkstemp make inside libc are not counted; a comparison with /proc/self/io shows
// whether a call was missed. While calls are watched, for a log or a fault, those of stdio and mkstemp are seen as
// well.
#ifndef CINSTRUMENT_H
#define CINSTRUMENT_H

#include <stdint.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Totals since ci_begin, over all threads: calls and bytes on regular files below the root, and fsync of directories
/// below it. All other writes are counted in the `other_` fields, so that both together equal /proc/self/io.
struct ci_counts {
  uint64_t write_calls;
  uint64_t bytes_written;
  /// fsync, fdatasync, sync, syncfs, msync(MS_SYNC), and each write through a descriptor opened with O_DSYNC or O_SYNC.
  uint64_t syncs;
  uint64_t read_calls;
  uint64_t bytes_read;
  uint64_t opens;
  uint64_t renames;
  uint64_t unlinks;
  uint64_t other_write_calls;
  uint64_t other_bytes_written;
  /// Regular files outside the root that were opened for writing.
  uint64_t other_opens;
  /// malloc, calloc, realloc and aligned allocations, and the requested bytes.
  uint64_t allocations;
  uint64_t allocated_bytes;
};

/// Sets every counter to 0, and starts counting calls on files below `root`, an absolute path.
void ci_begin(const char *root);
/// Makes the writes of stdio to files below `root` countable, in streams that are opened from now on. libc calls the
/// kernel directly, so these calls cannot be interposed otherwise. For a store that is opened before counting begins.
void ci_count_streams(const char *root);
/// Stops counting; the totals are kept.
void ci_end(void);
/// Reads the totals. Allocates nothing and writes nothing.
void ci_read(struct ci_counts *counts);

/// The steps of acknowledged saves towards safety. A save is everything between two calls of ci_acknowledge. Its files
/// are those below the root. Writes through mappings are not seen.
struct ci_saves {
  /// Saves that changed something and were acknowledged.
  uint64_t acknowledged;
  /// The number of these saves that had written no file.
  uint64_t unwritten;
  /// Saves that had synced none of their written files after its last write. A write through O_DSYNC is synced.
  uint64_t unsynced;
  /// The number of these saves that had synced another file, or had synced before their last write.
  uint64_t synced_elsewhere;
  /// Saves without a sync of the directory after all of their synced files had been renamed.
  uint64_t unnamed;
  /// Files that had been written, acknowledged or not, and were then renamed.
  uint64_t renamed;
  /// The number of these files with data that had not been synced.
  uint64_t renamed_unsynced;
};

/// Ends a save: the writes since the last call are acknowledged now. With `is_change` 0 nothing is judged, because the
/// calls so far were not a save, or not one that must be durable.
void ci_acknowledge(int is_change);
/// Reads the counts of saves since ci_begin.
void ci_read_saves(struct ci_saves *saves);

// The fault layer

/// The kinds of calls, as bits. They identify the entries of the log and the calls of a fault. A failed attempt is an
/// entry, too.
enum ci_call {
  /// Opens an existing file; with CI_ENTRY_TRUNCATES it is emptied.
  CI_CALL_OPEN = 1 << 0,
  /// Creates a file by opening it.
  CI_CALL_CREATE = 1 << 1,
  CI_CALL_READ = 1 << 2,
  CI_CALL_WRITE = 1 << 3,
  CI_CALL_TRUNCATE = 1 << 4,
  /// fallocate and posix_fallocate.
  CI_CALL_ALLOCATE = 1 << 5,
  /// fsync or fdatasync of a file; in a plan also a write through a descriptor opened with O_DSYNC or O_SYNC.
  CI_CALL_SYNC = 1 << 6,
  CI_CALL_SYNC_DIRECTORY = 1 << 7,
  /// sync and syncfs.
  CI_CALL_SYNC_ALL = 1 << 8,
  CI_CALL_RENAME = 1 << 9,
  CI_CALL_LINK = 1 << 10,
  CI_CALL_UNLINK = 1 << 11,
  CI_CALL_MAKE_DIRECTORY = 1 << 12,
  CI_CALL_REMOVE_DIRECTORY = 1 << 13,
  /// A shared mapping with write access. Writes through it are not seen. No fault applies to it.
  CI_CALL_MAP = 1 << 14,
  /// msync with MS_SYNC of such a mapping. If it was made before calls were watched, its file is unknown.
  CI_CALL_SYNC_MAP = 1 << 15,
  /// Not a call: ci_acknowledge. `offset` is 1 if there was a change.
  CI_CALL_ACKNOWLEDGE = 1 << 16,
  /// The following kinds are only in the record of a schedule: an access to a shared mapping that reads, or writes;
  CI_CALL_LOAD = 1 << 17,
  CI_CALL_STORE = 1 << 18,
  /// taking and releasing a lock on a file, or on a range of it;
  CI_CALL_LOCK = 1 << 19,
  CI_CALL_LOCK_SHARED = 1 << 20,
  CI_CALL_UNLOCK = 1 << 21,
  /// not a call: the process waits for the other one;
  CI_CALL_WAIT = 1 << 22,
  /// not a call: ci_schedule_mark, with its number as the result.
  CI_CALL_MARK = 1 << 23,
};

/// All kinds that change the stored data or make it durable.
enum { CI_CALLS_CHANGING = 0xffff & ~(CI_CALL_OPEN | CI_CALL_READ | CI_CALL_MAP) };

/// The values of `flags` in an entry.
enum {
  /// The call itself brings its data to the disk.
  CI_ENTRY_SYNCHRONOUS = 1,
  /// OPEN: the file was emptied.
  CI_ENTRY_TRUNCATES = 2,
  /// The plan has changed the call: an error, or fewer bytes than requested.
  CI_ENTRY_FAULT = 4,
  /// The file was opened only for reading.
  CI_ENTRY_READS = 8,
  /// CREATE: created with O_TMPFILE, so that it has no name until it is linked. The name in the entry is the kernel's.
  CI_ENTRY_UNNAMED = 16,
};

/// One call in the log, in the order of the calls. The name, the other name and the data follow it.
struct ci_entry {
  /// The size of the whole entry.
  uint64_t size;
  /// A value of enum ci_call.
  uint32_t call;
  uint32_t flags;
  /// The identity of the file or directory, the same for each of its names; 0 if unknown.
  uint64_t file;
  /// RENAME: the identity of the replaced file, or 0.
  uint64_t other;
  /// The offset in the file. TRUNCATE: the new length. OPEN, CREATE and RENAME: the flags of the call.
  uint64_t offset;
  /// The requested number of bytes.
  uint64_t length;
  /// The result for the caller: bytes, a descriptor, 0, or -errno.
  int64_t result;
  /// The start and end by CLOCK_MONOTONIC, in nanoseconds.
  int64_t began, ended;
  /// The length of the data that follows: the bytes that reached the file. With a fault they may differ from the
  /// result.
  uint64_t data_length;
  /// The lengths of the names relative to the root. RENAME and LINK: of the source and of the target.
  uint32_t name_length, other_name_length;
};

/// Starts to write every change below the root to a log, and to carry out the plan, until ci_end. `log` is the path of
/// the log, or NULL for none. If `reads` is not 0, reads are logged, too. Returns 0, or an errno: EINVAL if counting is
/// off, or if the log would be below the root.
///
/// Symbolic links, modes and attributes of files, freopen, and calls of a forked process are not seen.
int ci_watch(const char *log, int reads);

/// The results of watching.
struct ci_watched {
  /// The number of calls that the plan has hit.
  uint64_t hits;
  /// The share of /proc/self/io that the log's writes and the restoring of files have caused.
  uint64_t log_calls, log_bytes;
  /// The reason why the log is incomplete, an errno, or 0. It ends with the last complete entry.
  int log_error;
};
/// Reads the results of watching since ci_watch.
void ci_read_watched(struct ci_watched *watched);

enum ci_action {
  CI_NO_FAULT,
  /// The call fails with `error` and does nothing. A failed sync has an aftermath.
  CI_FAIL,
  /// A read or write is limited to `bytes`, by default half of the requested number.
  CI_SHORTEN,
  /// The call is made after `delay` nanoseconds. Calls of other threads wait, too.
  CI_DELAY,
  /// SIGKILL ends the process in the call: a write after `bytes` of it, any other call before it.
  CI_KILL,
  /// The disk has space for `bytes` more. After that, calls that make a file longer are done in part or fail with
  /// `error`, and calls that create a file fail. `first` and `count` are ignored.
  CI_FILL,
};

/// The content of a file after a failed sync.
enum ci_aftermath {
  /// The written data, as on ext4 and xfs.
  CI_KEPT,
  /// The content at the last successful sync, as on btrfs. It is known for changes made since the plan was set. A write
  /// through O_DSYNC counts as a sync of its whole file.
  CI_REVERTED,
  /// The sync succeeds, and the next one of the file fails, as on ext4 with data=journal. The written data is kept.
  /// Only one file at a time.
  CI_LATE,
};

/// A fault plan. It counts the calls of the given kinds below the root, from 1 since the plan was set.
struct ci_fault {
  /// A set of enum ci_call.
  uint32_t calls;
  /// One of enum ci_action.
  uint32_t action;
  /// The errno of a failed call; 0 means EIO, or ENOSPC if the disk is full.
  int32_t error;
  /// One of enum ci_aftermath.
  uint32_t aftermath;
  /// The first call that is hit.
  uint64_t first;
  /// The number of consecutive calls that are hit; 0 for all from the first one.
  uint64_t count;
  uint64_t bytes;
  uint64_t delay;
};
/// Sets the plan, or removes it with NULL. It takes effect while calls are watched.
void ci_set_fault(const struct ci_fault *fault);

// Schedules

enum {
  CI_SCHEDULE_POINTS = 60000,
  CI_SCHEDULE_MEMORY = 4096,
  /// The exit code of a process that waited too long or made too many points.
  CI_SCHEDULE_STUCK = 111,
};

/// An entry in the record of a schedule.
struct ci_point {
  /// A value of enum ci_call.
  uint32_t call;
  /// 0 or 1.
  uint8_t process;
  /// Whether the entry is a point, at which the process can be made to wait. Marks and waits are none.
  uint8_t is_point;
  /// A hash of the name.
  uint32_t file;
  uint64_t offset, length;
  /// The result of a call: bytes, a descriptor, 0 or -errno. The value of an access: the four bytes at its address.
  int64_t result;
  /// The name of the file, without its directory.
  char name[32];
};

/// A schedule of two processes, in memory that they share.
struct ci_schedule;

/// The effect of its first switch by the plan on the first process.
enum ci_switch {
  /// It waits until it gets the turn back.
  CI_SWITCH_WAITS = 0,
  /// It is killed.
  CI_SWITCH_KILLS = 1,
  /// It waits until the other process has ended. The other process waits for it in vain.
  CI_SWITCH_SUSPENDS = 2,
};

/// Returns a schedule, or NULL. It is never released.
struct ci_schedule *ci_schedule_create(void);
/// Runs two forked processes in turns, each with the body and its number. The body has to call ci_watch, since only
/// calls on the files below its root are points.
///
/// The process `first` begins. `lengths` has the number of points that the process with the turn makes before each
/// switch. A process that ends or waits hands the turn over before. After the last length, only that happens. `seconds`
/// limits each process. `endings` gets the status of each process, as waitpid reports it. Returns 0, or an errno.
///
/// Call it while there is one thread. The processes die with this one.
int ci_schedule_run(
    struct ci_schedule *schedule, uint32_t first, const uint32_t *lengths, uint32_t count,
    enum ci_switch at_switch, void (*body)(void *context, int process), void *context, unsigned seconds, int endings[2]);
/// Runs the body in one forked process, with the number 2 and no points. Returns its status as waitpid reports it, or
/// -1.
int ci_schedule_alone(void (*body)(void *context, int process), void *context, unsigned seconds);
/// Returns CI_SCHEDULE_MEMORY bytes that the processes share with this one. ci_schedule_run first fills them with zeros.
uint8_t *ci_schedule_memory(struct ci_schedule *schedule);
/// Returns the record, and the number of its entries.
const struct ci_point *ci_schedule_points(const struct ci_schedule *schedule, uint32_t *count);
/// In a scheduled process: adds a mark to the record.
void ci_schedule_mark(int64_t number);
/// In a scheduled process: gives the other process the turn, because this one can do nothing without it. Returns 0 in
/// other processes.
int ci_schedule_wait(void);
/// Finds the next switch that can change the outcome. The recorded schedule switched from a process to the other one
/// before the point with this number. Returns the least greater number before which a switch is not equal to this one,
/// or UINT32_MAX if there is none. Calls that are not points, such as stat, are not considered.
uint32_t ci_schedule_next(const struct ci_schedule *schedule, uint32_t process, uint32_t number);
/// Returns 1 if accesses to shared mappings are points here, which needs an x86-64 processor; 0 if only calls are; -1
/// if locks are not, because a sanitizer has replaced the functions, so that two processes could wait for each other.
int ci_schedule_steps(void);
/// Restricts this process and those that it starts to one of the processors that it may use, so that a turn is handed
/// over without waking another processor. The process then dies with the one that started it.
void ci_schedule_prepare(unsigned number);

/// Returns whether this build counts allocations. Builds with the address or thread sanitizer do not.
int ci_counts_allocations(void);

/// Numbers the allocations of one loaded library from 1, while calls are counted, and lets some fail. Allocations that
/// other libraries make for it are not its own.
///
/// - `library`: the beginning of the library's file name, such as `libsqlite3.so`; NULL to end.
/// - `first`: the number of the allocation that fails, with `lasts` also all later ones; 0 only to number them.
///
/// Returns 0, ENOENT if no such library is loaded, EINVAL if calls are not counted, ENOTSUP with a sanitizer.
int ci_starve(const char *library, uint64_t first, int lasts);

/// Reads the number of the library's allocations since ci_starve, and how many of them failed.
void ci_read_starved(uint64_t *allocations, uint64_t *failures);

/// Resident memory in bytes.
struct ci_memory {
  uint64_t anonymous;
  /// File-backed and shared pages.
  uint64_t file;
  /// The highest sum of both since the start of the process or ci_reset_peak.
  uint64_t peak;
};

/// Reads /proc/self/status. Returns 0, or an errno.
int ci_read_memory(struct ci_memory *memory);

/// Reads the bytes of file-backed and shared pages from /proc/self/statm, in less than half of the time of
/// ci_read_memory. Returns 0, or an errno.
int ci_read_file_memory(uint64_t *file);

/// Returns freed blocks to the kernel, then sets the peak to the memory that is resident now. Returns 0, or an errno.
int ci_reset_peak(void);

/// Returns the bytes that are allocated by malloc and not yet freed.
uint64_t ci_heap_in_use(void);

/// The kernel's counts for this process: calls to write(2) and similar ones, and their bytes.
struct ci_process_io {
  uint64_t write_calls;
  uint64_t bytes_written;
  /// Bytes read from a disk for this process, by calls or by page faults.
  uint64_t disk_bytes_read;
};

/// Reads /proc/self/io. Returns 0, or an errno.
int ci_read_process_io(struct ci_process_io *io);

/// The interference with the calling thread so far.
struct ci_interference {
  /// Nanoseconds for which the thread was ready to run and waited for a processor.
  uint64_t waited;
  /// The number of involuntary context switches.
  uint64_t preemptions;
  /// Nanoseconds that the hypervisor gave to others since boot, over all processors, in steps of a tick.
  uint64_t stolen;
  /// Nanoseconds between two ticks of the kernel's timer, by which it schedules processes.
  uint64_t tick;
};

/// Reads /proc/thread-self/schedstat, getrusage(2), /proc/stat and clock_getres(2). Returns 0, or an errno.
int ci_read_interference(struct ci_interference *interference);

/// Returns the median nanoseconds of writing `count` times 4 KiB to an unnamed file in a directory and syncing it; -1
/// if it cannot be written. These calls are not counted.
int64_t ci_sync_time(const char *directory, int count);

/// Returns the page faults of this process, all threads, that had to wait for a disk.
uint64_t ci_major_faults(void);

/// Reads the number of pages of a file, and how many of them are in memory. Returns 0, or an errno.
int ci_resident_pages(const char *path, uint64_t *pages, uint64_t *resident);
/// Drops a file's clean pages from memory, except pages that a process has mapped. Returns 0, or an errno.
int ci_drop_cache(const char *path);
/// Turns the skipping of syncs on or off: every sync then returns success and is not made, and files are opened without
/// O_DSYNC and O_SYNC. All other calls are unchanged, so the files are the same. For a store that is being built and is
/// not needed after a power cut. Do not skip the syncs of an operation that is counted.
void ci_skip_syncs(int skips);
/// Turns the skipping of syncs on or off for a store that is only prepared, and that the caller then writes back. Files
/// that are opened meanwhile keep O_DSYNC and O_SYNC, because they are written to later.
void ci_defer_syncs(int defers);
/// Writes all pending data of the file system of `path` to the disk. Returns 0, or an errno.
int ci_sync_filesystem(const char *path);
/// Returns the type of the file system of `path` by statfs(2), or 0.
uint64_t ci_filesystem_type(const char *path);
/// Queries the processor for a hypervisor. Returns 0 if there is none, 1 and its signature of 12 characters (CPUID leaf
/// 0x40000000) if there is one, and -1 if the processor cannot report it.
int ci_hypervisor(char signature[13]);

/// Reads a file to its end, to bring it into memory. Returns 0, or an errno.
int ci_read_through(const char *path);
/// Reads the length of a file and its allocated size, both in bytes. Returns 0, or an errno.
int ci_file_size(const char *path, uint64_t *length, uint64_t *allocated);
/// Copies a file and preserves its holes. Returns 0, or an errno.
int ci_copy_file(const char *from, const char *to);

/// Sleeps for a number of nanoseconds, or until a signal arrives.
void ci_sleep(int64_t nanoseconds);
/// Writes the path of the running executable, with links resolved. Returns its length, or 0 if it is unknown or longer
/// than the buffer.
int ci_executable_path(char *path, uint64_t size);
/// Returns the number of open files of the process; 0 if unknown.
int ci_open_files(void);
/// Returns the nanoseconds for which the main thread was ready to run and another one ran instead.
uint64_t ci_time_waited(void);

/// A function that a library may define. It is called before main in a process with the environment variable
/// CI_CHILD_REQUEST, and gets that variable's value. It ends the process. So any executable that contains the library,
/// also a test runner, can be started for another task. Before main there is only one thread.
void ci_main_of_child(const char *request);

/// Moves this process into the control group with the given `cgroup.procs` file, which counts its memory from then on.
/// A process started with the environment variable CI_MEMORY_GROUP, which names such a file, joins that group before
/// main, or exits with code 71. Returns 0, or an errno.
int ci_join_group(const char *processes);

/// Mounts a file system in memory with `size` bytes. Only this process and its children see it, and it disappears with
/// them. Call it while there is one thread. Returns 0, or an errno: some users are not permitted to mount.
int ci_mount_private(const char *directory, uint64_t size);
/// Makes the file system of ci_mount_private read-only, or writable again. Returns 0, or an errno: EBUSY if a file is
/// open for writing.
int ci_make_read_only(const char *directory, int is_read_only);

/// Points descriptor 1 at 2 and returns a private duplicate of the old 1, so that a library that prints cannot corrupt
/// the line with the process's result. Returns -1 on failure.
int ci_take_standard_output(void);
/// Writes all bytes, with as many calls as needed. Returns 0, or an errno.
int ci_write_all(int descriptor, const void *bytes, uint64_t count);
/// Makes each of these signals write its number, as a byte, to a pipe from now on. A signal that arrives before the
/// pipe is read is not lost. Programs that are started get the default actions again. Returns the end to read from, or
/// minus an errno.
int ci_watch_signals(const int *signals, int count);
/// Kills this process with SIGKILL after a number of seconds, even if it is stopped, so that a hanging child does not
/// stay.
void ci_limit_lifetime(unsigned seconds);
/// Checks every few seconds whether `parent` is still the parent of this process, and otherwise kills this process with
/// SIGKILL. For a child without a time limit, which must not outlive its parent for long.
void ci_end_with_parent(int parent);

/// Returns CLOCK_MONOTONIC in nanoseconds, which is the same clock in all processes of the machine.
static inline int64_t ci_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/// Returns the processor time of the process, over all threads, in nanoseconds.
static inline int64_t ci_cpu_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

#ifdef __cplusplus
}
#endif
#endif
