import CGNUCalls
import CStorageInstrument
import Foundation
import Testing

/// The time in which calls are watched, the watched process, and the log's own figures. Each test runs in a separate
/// process.
@Suite struct WatchingTests {
  @Test func onlyBetweenTheTwoCalls() async {
    await #expect(processExitsWith: .success) {
      let files = try CountedFiles()
      let log = files.outside + "/log"
      #expect(ci_watch(log, 0) == EINVAL)
      let store = try files.open("a")
      ci_begin(files.root)
      write(store, "1", 1)
      #expect(ci_watch(files.root + "/log", 0) == EINVAL)
      #expect(ci_watch(files.outside + "/none/log", 0) == ENOENT)
      #expect(ci_watch(log, 0) == 0)
      write(store, "2", 1)
      ci_end()
      write(store, "3", 1)
      #expect(try LogEntry.read(log).map(\.text) == ["write a 1+1 2"])
      // A new beginning ends the watch, too.
      ci_begin(files.root)
      #expect(ci_watch(log, 0) == 0)
      write(store, "4", 1)
      ci_begin(files.root)
      write(store, "5", 1)
      ci_end()
      #expect(try LogEntry.read(log).map(\.text) == ["write a 3+1 4"])
      #expect(files.text("a") == "12345")
    }
  }

  /// Counts without a watch are the same before and after one.
  @Test func countingAloneIsAsItWas() async {
    await #expect(processExitsWith: .success) {
      let files = try CountedFiles()
      func work() throws {
        let file = try #require(fopen(files.root + "/a", "w"))
        fputs("text", file)
        fclose(file)
        var template = Array((files.root + "/t-XXXXXX").utf8CString)
        let temporary = mkstemp(&template)
        write(temporary, "x", 1)
        ftruncate(temporary, 100)
        posix_fallocate(temporary, 0, 200)
        close(temporary)
        unlink(String(cString: template))
      }
      func counts(watching: Bool) throws -> ci_counts {
        var counts = ci_counts()
        ci_begin(files.root)
        if watching { #expect(ci_watch(nil, 0) == 0) }
        try work()
        ci_end()
        // Nothing is counted after the end, and the next count begins at zero.
        try work()
        ci_read(&counts)
        return counts
      }
      let counted = try counts(watching: false)
      #expect(counted.opens == 0 && counted.write_calls == 1 && counted.bytes_written == 1)
      #expect(counted.unlinks == 1 && counted.syncs == 0)
      // The minimum of several counts, because another thread of the test runner may allocate meanwhile.
      let before = try (0..<5).map { _ in try counts(watching: false).allocations }.min()
      let watched = try counts(watching: true)
      #expect(watched.opens == 2 && watched.write_calls == 2 && watched.bytes_written == 5)
      // After the watch, the count is the same again.
      let after = try (0..<5).map { _ in try counts(watching: false).allocations }.min()
      #expect(before == after)
    }
  }

  /// Threads append to one file. The data in the log, at the logged offsets, gives the file.
  @Test func callsOfManyThreadsAreInTheirOrder() async {
    await #expect(processExitsWith: .success) {
      let files = try CountedFiles()
      let appending = try files.open("a", O_WRONLY | O_CREAT | O_APPEND)
      let shared = try files.open("b")
      let entries = try files.entries {
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
          for number in 0..<200 {
            let text = "\(thread)-\(number)\n"
            write(appending, text, text.utf8.count)
            write(shared, text, text.utf8.count)
            if number % 50 == 0 { fsync(shared) }
          }
        }
      }
      #expect(entries.count == 8 * 200 * 2 + 8 * 4)
      for name in ["a", "b"] {
        var file: [UInt8] = []
        for entry in entries where entry.name == name && entry.kind == "write" {
          #expect(entry.header.offset == UInt64(file.count))
          file += entry.data
        }
        #expect(file == files.contents(name))
      }
      #expect(entries.map(\.header.began) == entries.map(\.header.began).sorted())
    }
  }

  /// A forked process does not wait for a lock that another thread held, and does not write the log.
  @Test func aForkedProcessIsNotWatched() async {
    await #expect(processExitsWith: .success) {
      let files = try CountedFiles()
      let (store, other) = (try files.open("a"), try files.open("b"))
      // The kernel adds the writes of a child process to its parent's figures, so they prove nothing here.
      ci_begin(files.root)
      #expect(ci_watch(files.outside + "/log", 0) == 0)
      let isDone = DispatchSemaphore(value: 0)
      nonisolated(unsafe) var ends = false
      Thread.detachNewThread {
        while !ends { pwrite(other, "x", 1, 0) }
        isDone.signal()
      }
      for _ in 0..<50 { #expect(gnu_write_in_fork(store, "fork", 4) == 0) }
      ends = true
      isDone.wait()
      write(store, "own", 3)
      ci_end()
      let entries = try LogEntry.read(files.outside + "/log")
      #expect(entries.filter { $0.name == "a" }.map(\.text) == ["write a 200+3 own"])
    }
  }

  @Test func aLogThatIsNotWholeSaysSo() async {
    await #expect(processExitsWith: .success) {
      let files = try CountedFiles()
      let store = try files.open("a")
      var watched = ci_watched()
      // A disk without space.
      ci_begin(files.root)
      #expect(ci_watch("/dev/full", 0) == 0)
      errno = 0
      #expect(write(store, "1", 1) == 1)
      #expect(errno == 0)
      ci_read_watched(&watched)
      ci_end()
      #expect(watched.log_error == ENOSPC)
      // A disk with little space, which truncates an entry: the log ends before it, and nothing follows.
      signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit(rlim_cur: 400, rlim_max: rlim_t.max)
      #expect(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
      ci_begin(files.root)
      #expect(ci_watch(files.outside + "/log", 0) == 0)
      let block = [UInt8](repeating: 7, count: 150)
      #expect(write(store, block, 150) == 150)
      #expect(write(store, block, 150) == 150)
      #expect(write(store, [1], 1) == 1)
      ci_read_watched(&watched)
      ci_end()
      #expect(watched.log_error == EFBIG)
      #expect(try LogEntry.read(files.outside + "/log").map(\.header.length) == [150])
      #expect(files.contents("a").count == 302)
    }
  }

  /// The counters plus the cost of the log equal the kernel's figures, unless a call was missed.
  @Test func aCallThatIsMissedShowsInTheKernelsFigures() async {
    await #expect(processExitsWith: .success) {
      let files = try CountedFiles()
      let store = try files.open("a")
      for hidden in [false, true] {
        var (before, after) = (ci_process_io(), ci_process_io())
        var (counts, watched) = (ci_counts(), ci_watched())
        ci_read_process_io(&before)
        ci_begin(files.root)
        #expect(ci_watch(files.outside + "/log", 0) == 0)
        write(store, "seen", 4)
        if hidden { gnu_raw_write(store, "unseen", 6) }
        ci_read(&counts)
        ci_read_watched(&watched)
        ci_read_process_io(&after)
        ci_end()
        let bytes = counts.bytes_written + counts.other_bytes_written + watched.log_bytes
        let calls = counts.write_calls + counts.other_write_calls + watched.log_calls
        #expect(after.bytes_written - before.bytes_written - bytes == (hidden ? 6 : 0))
        #expect(after.write_calls - before.write_calls - calls == (hidden ? 1 : 0))
      }
    }
  }
}
