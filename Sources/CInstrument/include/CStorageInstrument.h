// Counts what a process asks of the kernel and of malloc, and reads what the kernel says of the process.
//
// The executable that links this target defines write, fsync, open, malloc and their kin itself; the dynamic
// linker resolves the calls of Foundation, libsqlite3 and liblmdb to these. They count and enter the kernel
// with syscall(2). Calls that stdio and mkstemp make inside libc are not counted; /proc/self/io is the witness
// that nothing was missed. While calls are watched, for a log or a fault, stdio and mkstemp are seen as well.
#ifndef CINSTRUMENT_H
#define CINSTRUMENT_H

#include <stdint.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Totals since ci_begin, over all threads. Calls and bytes on regular files below the root, fsync of directories
/// below it; everything else that writes goes to the `other_` fields, so that both together equal /proc/self/io.
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
  /// Regular files that do not lie below the root and were opened for writing.
  uint64_t other_opens;
  /// malloc, calloc, realloc, aligned allocations, and the bytes asked for.
  uint64_t allocations;
  uint64_t allocated_bytes;
};

/// Sets every counter to 0 and starts counting what happens to files below `root`, an absolute path.
void ci_begin(const char *root);
/// Makes what stdio writes to files below `root` countable, in streams that are opened from here on: libc calls the kernel
/// where nothing can be put between. For a store that is opened before counting begins.
void ci_count_streams(const char *root);
/// Stops counting; the totals stay.
void ci_end(void);
/// Reads the totals. Allocates nothing and writes nothing.
void ci_read(struct ci_counts *counts);

/// What acknowledged saves had done for their safety. A save is everything between two calls of ci_acknowledge; files
/// are those below the root. Mapped writes are not seen.
struct ci_saves {
  /// Saves that changed something and were acknowledged.
  uint64_t acknowledged;
  /// Of these, saves that had written no file at all.
  uint64_t unwritten;
  /// Saves none of whose written files had been synced after its last write. A write through O_DSYNC is synced.
  uint64_t unsynced;
  /// Of these, saves that had synced another file, or before their last write.
  uint64_t synced_elsewhere;
  /// Saves whose synced files had all been renamed, with no sync of the directory after that.
  uint64_t unnamed;
  /// Files that had been written, acknowledged or not, and were renamed.
  uint64_t renamed;
  /// Of these, files that held data which had not been synced.
  uint64_t renamed_unsynced;
};

/// Ends a save: what was written since the last call is acknowledged now. With `is_change` 0 nothing is judged: what
/// was done up to here was no save, or is none that has to last.
void ci_acknowledge(int is_change);
/// Reads what was seen of saves since ci_begin.
void ci_read_saves(struct ci_saves *saves);

// The fault layer

/// Kinds of calls, as bits: what an entry of the log is, and what a fault applies to. An attempt that fails is an entry,
/// too.
enum ci_call {
  /// Opens a file that is there; with CI_ENTRY_TRUNCATES it is emptied.
  CI_CALL_OPEN = 1 << 0,
  /// Makes a file by opening it.
  CI_CALL_CREATE = 1 << 1,
  CI_CALL_READ = 1 << 2,
  CI_CALL_WRITE = 1 << 3,
  CI_CALL_TRUNCATE = 1 << 4,
  /// fallocate and posix_fallocate.
  CI_CALL_ALLOCATE = 1 << 5,
  /// fsync or fdatasync of a file; of a plan also a write through a descriptor opened with O_DSYNC or O_SYNC.
  CI_CALL_SYNC = 1 << 6,
  CI_CALL_SYNC_DIRECTORY = 1 << 7,
  /// sync and syncfs.
  CI_CALL_SYNC_ALL = 1 << 8,
  CI_CALL_RENAME = 1 << 9,
  CI_CALL_LINK = 1 << 10,
  CI_CALL_UNLINK = 1 << 11,
  CI_CALL_MAKE_DIRECTORY = 1 << 12,
  CI_CALL_REMOVE_DIRECTORY = 1 << 13,
  /// A shared mapping that may be written through. What is written is not seen. No fault applies to it.
  CI_CALL_MAP = 1 << 14,
  /// msync with MS_SYNC of such a mapping. One that was made before calls were watched is of a file that is not known.
  CI_CALL_SYNC_MAP = 1 << 15,
  /// No call: ci_acknowledge. `offset` is 1 if something had changed.
  CI_CALL_ACKNOWLEDGE = 1 << 16,
};

/// Every kind that changes what is stored, or makes it last.
enum { CI_CALLS_CHANGING = 0xffff & ~(CI_CALL_OPEN | CI_CALL_READ | CI_CALL_MAP) };

/// What `flags` of an entry says.
enum {
  /// The call itself takes what it writes to the disk.
  CI_ENTRY_SYNCHRONOUS = 1,
  /// OPEN: the file was emptied.
  CI_ENTRY_TRUNCATES = 2,
  /// The plan has made this of the call: an error, or less than was asked for.
  CI_ENTRY_FAULT = 4,
  /// Opened for reading alone.
  CI_ENTRY_READS = 8,
  /// CREATE: made with O_TMPFILE, so that it has no name before it is linked; what stands for one is the kernel's.
  CI_ENTRY_UNNAMED = 16,
};

/// One call in the log, in the order in which they were made. After it follow the name, the other name and the data.
struct ci_entry {
  /// Of the whole entry.
  uint64_t size;
  /// One of enum ci_call.
  uint32_t call;
  uint32_t flags;
  /// The number of the file or directory: the same under each of its names. 0 where it is not known.
  uint64_t file;
  /// RENAME: the file that was replaced, or 0.
  uint64_t other;
  /// Where in the file; TRUNCATE: the new length; OPEN, CREATE and RENAME: the flags of the call.
  uint64_t offset;
  /// How many bytes were asked for.
  uint64_t length;
  /// What the caller was told: bytes, a descriptor, 0, or -errno.
  int64_t result;
  /// By CLOCK_MONOTONIC, in nanoseconds.
  int64_t began, ended;
  /// How many of the bytes that follow are what reached the file: with a fault not always what the result says.
  uint64_t data_length;
  /// Below the root; RENAME and LINK: from where, and to where.
  uint32_t name_length, other_name_length;
};

/// Between ci_begin and ci_end: writes every change below the root to a log, and does what the plan says. `log` is where
/// the log goes, or NULL for none; with `reads` not 0 reads are in it, too. Returns 0, or an errno: EINVAL where nothing
/// is counted, or the log would lie below the root.
///
/// Not seen are symbolic links, modes and attributes of files, freopen, and what a forked process does.
int ci_watch(const char *log, int reads);

/// What became of watching.
struct ci_watched {
  /// Calls that the plan has hit.
  uint64_t hits;
  /// What the log's own writes, and those that bring back what a file held, are in /proc/self/io.
  uint64_t log_calls, log_bytes;
  /// Why the log is not whole, an errno, or 0. It ends with the last entry that is.
  int log_error;
};
/// Reads what became of watching since ci_watch.
void ci_read_watched(struct ci_watched *watched);

enum ci_action {
  CI_NO_FAULT,
  /// The call fails with `error`, and does nothing. A sync that fails has an aftermath.
  CI_FAIL,
  /// A read or write does no more than `bytes`, by default half of what it was asked for.
  CI_SHORTEN,
  /// The call is made after `delay` nanoseconds. Calls that other threads make meanwhile wait, too.
  CI_DELAY,
  /// The process is killed by SIGKILL in the call, a write after `bytes` of it, any other before it.
  CI_KILL,
  /// The disk has room for `bytes` more; after that, what makes a file longer is done in part or fails with `error`, and
  /// so does every call that makes a file. `first` and `count` say nothing here.
  CI_FILL,
};

/// What a file holds after a sync of it has failed.
enum ci_aftermath {
  /// What was written, as on ext4 and xfs.
  CI_KEPT,
  /// What the last sync that succeeded had left, as on btrfs. Known of changes made since the plan was set; a write through
  /// O_DSYNC is taken for a sync of its whole file.
  CI_REVERTED,
  /// The sync succeeds; it is the file's next one that fails, as on ext4 with data=journal. What was written is kept. Of
  /// one file at a time.
  CI_LATE,
};

/// A fault plan. Calls are those below the root of the given kinds, counted from 1 since the plan was set.
struct ci_fault {
  /// A set of enum ci_call.
  uint32_t calls;
  /// One of enum ci_action.
  uint32_t action;
  /// What a call fails with: an errno; 0 for EIO, where the disk is full for ENOSPC.
  int32_t error;
  /// One of enum ci_aftermath.
  uint32_t aftermath;
  /// The first call that is hit.
  uint64_t first;
  /// How many calls in a row are hit; 0 for all from there on.
  uint64_t count;
  uint64_t bytes;
  uint64_t delay;
};
/// Sets the plan, or with NULL ends it. It has an effect while calls are watched.
void ci_set_fault(const struct ci_fault *fault);

/// Whether allocations are counted in this build. Under the address and thread sanitizers they are not.
int ci_counts_allocations(void);

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

/// Bytes of file-backed and shared pages, as ci_read_memory has them, at less than half of its time: reads
/// /proc/self/statm. Returns 0, or an errno.
int ci_read_file_memory(uint64_t *file);

/// Gives freed blocks back to the kernel, then sets the peak to what is resident now. Returns 0, or an errno.
int ci_reset_peak(void);

/// Bytes that malloc has given out and not got back.
uint64_t ci_heap_in_use(void);

/// What the kernel counted for this process: calls to write(2) and its kin, and their bytes.
struct ci_process_io {
  uint64_t write_calls;
  uint64_t bytes_written;
  /// Bytes that were read from a disk for this process, by calls or by faults.
  uint64_t disk_bytes_read;
};

/// Reads /proc/self/io. Returns 0, or an errno.
int ci_read_process_io(struct ci_process_io *io);

/// What kept the calling thread from running, so far.
struct ci_interference {
  /// Nanoseconds that the thread was ready to run and waited for a processor.
  uint64_t waited;
  /// How often it was taken off a processor although it could have gone on.
  uint64_t preemptions;
  /// Nanoseconds that the hypervisor gave to others since boot, all processors together, in steps of a tick.
  uint64_t stolen;
  /// Nanoseconds between two ticks of the kernel's timer, by which it shares out processors.
  uint64_t tick;
};

/// Reads /proc/thread-self/schedstat, getrusage(2), /proc/stat and clock_getres(2). Returns 0, or an errno.
int ci_read_interference(struct ci_interference *interference);

/// Nanoseconds of writing `count` times 4 KiB to a file of no name in a directory and syncing it, the median; -1 where it
/// cannot be written. Not counted.
int64_t ci_sync_time(const char *directory, int count);

/// Faults of this process, all threads, that had to wait for a disk.
uint64_t ci_major_faults(void);

/// How many pages a file has, and how many of them are in memory. Returns 0, or an errno.
int ci_resident_pages(const char *path, uint64_t *pages, uint64_t *resident);
/// Drops a file's clean pages from memory; does nothing to pages that somebody has mapped. Returns 0, or an errno.
int ci_drop_cache(const char *path);
/// From here on, or no longer, answers every sync with success and makes none, and opens files without O_DSYNC and
/// O_SYNC: all other calls are what they were, so the files come out the same. For a store that is being built, which
/// nobody misses after a power cut. Calls of an operation that is counted must not be skipped.
void ci_skip_syncs(int skips);
/// The same for a store that is only being made ready, and that the caller then writes back: files that are opened
/// meanwhile keep O_DSYNC and O_SYNC, with which they are written to later.
void ci_defer_syncs(int defers);
/// Writes everything that the file system of `path` still holds back. Returns 0, or an errno.
int ci_sync_filesystem(const char *path);
/// The type of the file system of `path` as statfs(2) tells it, or 0.
uint64_t ci_filesystem_type(const char *path);
/// What the processor says of a hypervisor: 0 if there is none, 1 and its signature of 12 characters (CPUID leaf
/// 0x40000000) if there is one, -1 where processors do not tell.
int ci_hypervisor(char signature[13]);

/// Reads a file to its end, so that it is in memory. Returns 0, or an errno.
int ci_read_through(const char *path);
/// The length of a file, and what the file system keeps for it, both in bytes. Returns 0, or an errno.
int ci_file_size(const char *path, uint64_t *length, uint64_t *allocated);
/// Copies a file; holes stay holes. Returns 0, or an errno.
int ci_copy_file(const char *from, const char *to);

/// Sleeps for so many nanoseconds, or until a signal comes.
void ci_sleep(int64_t nanoseconds);
/// Writes the path of the running executable, links resolved. Returns its length, or 0 if it is longer than the buffer or
/// cannot be found out.
int ci_executable_path(char *path, uint64_t size);
/// The number of files that the process has open; 0 if it cannot be found out.
int ci_open_files(void);
/// Nanoseconds for which the main thread was ready to run and did not, since another one ran.
uint64_t ci_time_waited(void);

/// What a library may define, to be called before main in a process that was started with the environment variable
/// CI_CHILD_REQUEST, which it gets. It ends the process. This way any executable that the library is part of, a test
/// runner too, can be started to do something else; and before main there is one thread only.
void ci_main_of_child(const char *request);

/// Moves this process into a control group, whose file `cgroup.procs` is named: what it takes of memory from here on is
/// counted there. A process that was started with the environment variable CI_MEMORY_GROUP, which names such a file, has
/// been in that group since before main, or has ended with exit code 71. Returns 0 or an errno.
int ci_join_group(const char *processes);

/// Mounts a file system in memory, `size` bytes large, that this process and its children see and nobody else, and
/// that is gone with them. To be called while there is one thread. Returns 0 or an errno: not everybody may.
int ci_mount_private(const char *directory, uint64_t size);
/// Makes what ci_mount_private mounted read-only, or writable again. Returns 0 or an errno: EBUSY where a file is
/// open for writing.
int ci_make_read_only(const char *directory, int is_read_only);

/// Points descriptor 1 at 2 and returns a private duplicate of the old 1: a library that prints cannot spoil
/// the line that is the process's result. Returns -1 on failure.
int ci_take_standard_output(void);
/// Writes all bytes, whatever it takes. Returns 0, or an errno.
int ci_write_all(int descriptor, const void *bytes, uint64_t count);
/// Has each of these signals write its number, as a byte, to a pipe from now on: one that comes before anybody reads is not
/// lost. Programs that are started have the usual actions again. Returns the end to read from, or minus an errno.
int ci_watch_signals(const int *signals, int count);
/// Kills this process by SIGKILL after so many seconds, stopped or not, so that a hanging child outlives nobody for long.
void ci_limit_lifetime(unsigned seconds);
/// Looks every few seconds whether `parent` is still the parent of this process, and kills it by SIGKILL if not: for a
/// child that may take as long as it likes, but not longer than somebody waits for it.
void ci_end_with_parent(int parent);

/// CLOCK_MONOTONIC in nanoseconds; the same clock in all processes of the machine.
static inline int64_t ci_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/// Processor time of the process, all threads, in nanoseconds.
static inline int64_t ci_cpu_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

#ifdef __cplusplus
}
#endif
#endif
