import CGNUCalls
import CStorageInstrument
import Foundation
import Testing

/// The effects of a plan on calls. Each test runs in a separate process.
@Suite struct FaultTests {
  /// Returns a plan for calls of a kind, which by default fail.
  private static func plan(
    _ calls: ci_call, _ action: ci_action = CI_FAIL, error: Int32 = 0, aftermath: ci_aftermath = CI_KEPT,
    first: UInt64 = 1, count: UInt64 = 1, bytes: UInt64 = 0, delay: UInt64 = 0
  ) -> ci_fault {
    ci_fault(
      calls: calls.rawValue, action: action.rawValue, error: error, aftermath: aftermath.rawValue, first: first,
      count: count, bytes: bytes, delay: delay)
  }

  @Test func everyKindOfCallFails() async {
    await #expect(processExitsWith: .success) {
      let files = try CountedFiles()
      let store = try files.open("a")
      let directory = open(files.root, O_RDONLY | O_DIRECTORY)
      let map = mmap(nil, 4_096, PROT_READ | PROT_WRITE, MAP_SHARED, store, 0)
      write(store, "before", 6)
      close(try files.open("old"))
      mkdir(files.root + "/sub", 0o700)
      let root = files.root
      var byte: UInt8 = 0
      // The kind of call to fail, the call, and its line in the log. The call must have no effect.
      let attempts: [(ci_call, () -> Int32, String)] = [
        (CI_CALL_OPEN, { open(root + "/a", O_RDWR | O_TRUNC) }, "open a"),
        (CI_CALL_CREATE, { open(root + "/new", O_WRONLY | O_CREAT, 0o600) }, "create new"),
        (CI_CALL_CREATE, { gnu_open_unnamed(root) }, "create unnamed"),
        (CI_CALL_WRITE, { Int32(write(store, "x", 1)) }, "write a 6+1"),
        (CI_CALL_WRITE, { Int32(pwrite(store, "x", 1, 0)) }, "write a 0+1"),
        (CI_CALL_READ, { Int32(pread(store, &byte, 1, 0)) }, "read a 0+1"),
        (CI_CALL_TRUNCATE, { ftruncate(store, 0) }, "truncate a 0"),
        (CI_CALL_ALLOCATE, { gnu_fallocate(store, 0, 4_096) }, "allocate a 0+4096"),
        (CI_CALL_SYNC, { fsync(store) }, "sync a"),
        (CI_CALL_SYNC, { fdatasync(store) }, "sync a"),
        (CI_CALL_SYNC_DIRECTORY, { fsync(directory) }, "sync-directory"),
        (CI_CALL_SYNC_ALL, { gnu_syncfs(store) }, "sync-all a"),
        (CI_CALL_RENAME, { rename(root + "/old", root + "/new") }, "rename old -> new"),
        (CI_CALL_LINK, { link(root + "/old", root + "/new") }, "link old -> new"),
        (CI_CALL_UNLINK, { unlink(root + "/old") }, "unlink old"),
        (CI_CALL_UNLINK, { remove(root + "/old") }, "unlink old"),
        (CI_CALL_MAKE_DIRECTORY, { mkdir(root + "/new", 0o700) }, "make-directory new"),
        (CI_CALL_REMOVE_DIRECTORY, { rmdir(root + "/sub") }, "remove-directory sub"),
        (CI_CALL_SYNC_MAP, { msync(map, 4_096, MS_SYNC) }, "sync-map 0+4096"),
      ]
      for (call, attempt, text) in attempts {
        let fault = FaultTests.plan(call, error: EDQUOT)
        let log = try files.log(reads: true, fault: fault) {
          #expect(error(of: attempt) == EDQUOT, "\(text) has not failed")
        }
        #expect(log == ["\(text) failed \(EDQUOT) by plan"])
      }
      #expect(files.text("a") == "before")
      #expect(try FileManager.default.contentsOfDirectory(atPath: root).sorted() == ["a", "old", "sub"])
      #expect(posix_fallocate(store, 0, 1) == 0)
    }
  }

  @Test func onlyTheChosenCallsAreHit() async {
    await #expect(processExitsWith: .success) {
      let files = try CountedFiles()
      let store = try files.open("a")
      let other = try files.open("other", inside: false)
      var results: [Int] = []
      _ = try files.log(fault: FaultTests.plan(CI_CALL_WRITE, first: 2, count: 2)) {
        for _ in 0..<5 {
          fsync(store)
          write(other, "x", 1)
          results.append(write(store, "x", 1))
        }
        var watched = ci_watched()
        ci_read_watched(&watched)
        #expect(watched.hits == 2)
      }
      #expect(results == [1, -1, -1, 1, 1])
      // All calls fail from the third one on. The default error is EIO. Without a watch, no call fails.
      results = []
      _ = try files.log(fault: FaultTests.plan(CI_CALL_WRITE, first: 3, count: 0)) {
        for _ in 0..<5 { results.append(write(store, "x", 1)) }
        #expect(errno == EIO)
      }
      #expect(results == [1, 1, -1, -1, -1])
      var fault = FaultTests.plan(CI_CALL_WRITE)
      ci_set_fault(&fault)
      #expect(write(store, "x", 1) == 1)
    }
  }

  @Test func shortWritesAndReads() async {
    await #expect(processExitsWith: .success) {
      let files = try CountedFiles()
      let store = try files.open("a")
      var log = try files.log(fault: FaultTests.plan(CI_CALL_WRITE, CI_SHORTEN, count: 0)) {
        #expect(write(store, "abcdef", 6) == 3)
        #expect(write(store, "def", 3) == 1)
        // A result of 0 would mean the end of the file.
        #expect(write(store, "e", 1) == 1)
        var text = Array("fghi".utf8)
        text.withUnsafeMutableBytes { bytes in
          let parts = [
            iovec(iov_base: bytes.baseAddress, iov_len: 1), iovec(iov_base: bytes.baseAddress! + 1, iov_len: 3),
          ]
          #expect(writev(store, parts, 2) == 2)
        }
      }
      #expect(
        log == [
          "write a 0+6 abc did 3 by plan", "write a 3+3 d did 1 by plan", "write a 4+1 e",
          "write a 5+4 fg did 2 by plan",
        ])
      #expect(files.text("a") == "abcdefg")
      var bytes = [UInt8](repeating: 0, count: 7)
      log = try files.log(reads: true, fault: FaultTests.plan(CI_CALL_READ, CI_SHORTEN, bytes: 2)) {
        #expect(pread(store, &bytes, 7, 0) == 2)
        #expect(pread(store, &bytes, 7, 0) == 7)
      }
      #expect(log == ["read a 0+7 did 2 by plan", "read a 0+7"])
    }
  }

  @Test func aSlowCall() async {
    await #expect(processExitsWith: .success) {
      let files = try CountedFiles()
      let store = try files.open("a")
      _ = try files.log(fault: FaultTests.plan(CI_CALL_SYNC, CI_DELAY, first: 2, delay: 100_000_000)) {
        fsync(store)
        let began = ci_now()
        #expect(fsync(store) == 0)
        #expect(ci_now() - began >= 100_000_000)
      }
    }
  }

  /// Death in the middle of a write, and before a rename.
  @Test(arguments: [
    (CI_CALL_WRITE.rawValue, 2, "wholecut", "write a 5+9 cut did 3 by plan"),
    (CI_CALL_RENAME.rawValue, 1, "wholecut short", "write a 5+9 cut short"),
  ])
  func deathInACall(calls: UInt32, first: UInt64, text: String, last: String) async throws {
    let files = try CountedFiles()
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [
        root = files.root as String, log = files.outside as String, calls = calls as UInt32, first = first as UInt64
      ] in
      let store = open(root + "/a", O_RDWR | O_CREAT, 0o600)
      ci_begin(root)
      var fault = FaultTests.plan(ci_call(calls), CI_KILL, first: first, bytes: 3)
      ci_set_fault(&fault)
      #expect(ci_watch(log + "/log", 0) == 0)
      write(store, "whole", 5)
      write(store, "cut short", 9)
      rename(root + "/a", root + "/b")
    }
    #expect(files.text("a") == text)
    #expect(try LogEntry.read(files.outside + "/log").map(\.text) == ["write a 0+5 whole", last])
  }

  @Test func aDiskThatFillsUp() async {
    await #expect(processExitsWith: .success) {
      let files = try CountedFiles()
      let store = try files.open("a")
      write(store, "0123456789", 10)
      var fault = FaultTests.plan(CI_CALL_WRITE, CI_FILL, bytes: 10)
      fault.calls = UInt32(CI_CALLS_CHANGING)
      let log = try files.log(fault: fault) {
        // Existing bytes may be overwritten.
        #expect(pwrite(store, "abcde", 5, 0) == 5)
        #expect(pwrite(store, "xyz", 3, 9) == 3)
        // The allocation is too long to be made, so it takes no space.
        #expect(error(of: { gnu_fallocate(store, 0, 4_096) }) == ENOSPC)
        // The bytes are behind a hole, which takes no space either.
        #expect(pwrite(store, "ABCDEFGHIJKL", 12, 100) == 8)
        #expect(error(of: { pwrite(store, "IJKL", 4, 108) }) == ENOSPC)
        #expect(error(of: { open(files.root + "/new", O_WRONLY | O_CREAT, 0o600) }) == ENOSPC)
        #expect(mkdir(files.root + "/new", 0o700) == -1)
        #expect(pwrite(store, "z", 1, 107) == 1)
        #expect(fsync(store) == 0)
      }
      #expect(log.count == 9)
      #expect(files.contents("a").count == 108)
      #expect(files.text("a").hasPrefix("abcde5678xyz"))
    }
  }

  /// The three states in which file systems leave a file after a failed sync.
  @Test func whatAFailedSyncLeaves() async {
    await #expect(processExitsWith: .success) {
      for (aftermath, expected, text) in [
        (CI_KEPT, [0, -1, 0, 0], "new LOstentand lon"), (CI_REVERTED, [0, -1, 0, 0], "new content"),
        (CI_LATE, [0, 0, -1, 0], "new LOstentand lon"),
      ] as [(ci_aftermath, [Int32], String)] {
        let files = try CountedFiles()
        let store = try files.open("a")
        write(store, "old content", 11)
        let fault = FaultTests.plan(CI_CALL_SYNC, aftermath: aftermath, first: 2)
        var results: [Int32] = []
        _ = try files.log(fault: fault) {
          pwrite(store, "new", 3, 0)
          results.append(fsync(store))
          pwrite(store, "lost", 4, 4)
          pwrite(store, "and longer", 10, 11)
          ftruncate(store, 18)
          pwrite(store, "LO", 2, 4)
          results.append(fsync(store))
          results.append(fsync(store))
          results.append(fsync(store))
        }
        #expect(results == expected)
        #expect(files.text("a") == text)
      }
    }
  }

  /// A file that is truncated when it is opened, and a write that syncs.
  @Test func whatElseAFailedSyncTakesBack() async {
    await #expect(processExitsWith: .success) {
      let files = try CountedFiles()
      let store = try files.open("a")
      write(store, "old content", 11)
      let fault = FaultTests.plan(CI_CALL_SYNC, aftermath: CI_REVERTED)
      let log = try files.log(fault: fault) {
        let again = try files.open("a", O_WRONLY | O_TRUNC)
        write(again, "n", 1)
        #expect(fsync(again) == -1)
        close(again)
      }
      #expect(log == ["open empty a", "write a 0+1 n", "sync a failed \(EIO) by plan"])
      #expect(files.text("a") == "old content")
      for (aftermath, text) in [(CI_REVERTED, "old content"), (CI_KEPT, "new content")] {
        let synchronous = try files.open("a", O_WRONLY | O_DSYNC)
        _ = try files.log(fault: FaultTests.plan(CI_CALL_SYNC, aftermath: aftermath)) {
          #expect(error(of: { write(synchronous, "new", 3) }) == EIO)
        }
        #expect(files.text("a") == text)
      }
    }
  }

  /// A failed sync has made nothing durable, so no save may rely on it.
  @Test func savesDoNotRestOnAFailedSync() async {
    await #expect(processExitsWith: .success) {
      let files = try CountedFiles()
      let store = try files.open("a")
      let synchronous = try files.open("a", O_WRONLY | O_DSYNC)
      let saves: [(ci_call, () -> Void)] = [
        (CI_CALL_SYNC, { change(store) { fsync(store) } }),
        (CI_CALL_SYNC, { write(synchronous, "1", 1) }),
        (CI_CALL_SYNC_ALL, { change(store) { sync() } }),
        (CI_CALL_SYNC_ALL, { change(store) { gnu_syncfs(store) } }),
      ]
      for (call, save) in saves {
        for fails in [false, true] {
          var seen = ci_saves()
          _ = try files.log(fault: FaultTests.plan(call, first: fails ? 1 : 1_000)) {
            save()
            ci_acknowledge(1)
            ci_read_saves(&seen)
          }
          #expect(seen.acknowledged == 1 && seen.unsynced == (fails ? 1 : 0))
        }
      }
      // The directory of the new name could not be synced.
      let directory = open(files.root, O_RDONLY | O_DIRECTORY)
      for fails in [false, true] {
        var seen = ci_saves()
        _ = try files.log(fault: FaultTests.plan(CI_CALL_SYNC_DIRECTORY, first: fails ? 1 : 1_000)) {
          write(store, "1", 1)
          fsync(store)
          rename(files.root + "/a", files.root + "/b")
          rename(files.root + "/b", files.root + "/a")
          fsync(directory)
          ci_acknowledge(1)
          ci_read_saves(&seen)
        }
        #expect(seen.unnamed == (fails ? 1 : 0))
      }
    }
  }

  @Test func streamsUnderFaults() async {
    await #expect(processExitsWith: .success) {
      let files = try CountedFiles()
      // libc writes the rest of a short write again.
      var log = try files.log(fault: FaultTests.plan(CI_CALL_WRITE, CI_SHORTEN, bytes: 4)) {
        let file = try #require(fopen(files.root + "/a", "w"))
        fputs("0123456789", file)
        #expect(fclose(file) == 0)
      }
      #expect(log == ["create a", "write a 0+10 0123 did 4 by plan", "write a 4+6 456789"])
      // The flush reports a full disk, and no later call does.
      var fault = FaultTests.plan(CI_CALL_WRITE, CI_FILL, bytes: 3)
      log = try files.log(fault: fault) {
        let file = try #require(fopen(files.root + "/b", "w"))
        fputs("0123456789", file)
        errno = 0
        #expect(fflush(file) == EOF)
        #expect(errno == ENOSPC)
        #expect(ferror(file) != 0)
        fclose(file)
      }
      #expect(log.prefix(3) == ["create b", "write b 0+10 012 did 3 by plan", "write b 3+7 failed \(ENOSPC) by plan"])
      #expect(files.text("b") == "012")
      fault = FaultTests.plan(CI_CALL_CREATE, error: EMFILE)
      _ = try files.log(fault: fault) {
        #expect(fopen(files.root + "/c", "w") == nil)
        #expect(errno == EMFILE)
      }
      _ = try files.log(fault: FaultTests.plan(CI_CALL_WRITE, error: EINTR)) {
        let file = try files.open("d")
        #expect(error(of: { gnu_dprintf(file, "text") }) == EINTR)
      }
    }
  }
}
