import CGNUCalls
import CStorageInstrument
import Foundation
import Testing

/// Each test runs in a separate process, because the counters count the whole process.
@Suite struct CounterTests {
  @Test func theKernelSeesWhatIsCounted() async {
    await #expect(processExitsWith: .success) {
      let files = try CountedFiles()
      var block = [UInt8](repeating: 7, count: 1_000)
      let (store, other) = (try files.open("a"), try files.open("other", inside: false))
      let counts = try files.counted {
        for descriptor in [store, other] {
          #expect(write(descriptor, block, 10) == 10)
          #expect(pwrite(descriptor, block, 20, 5_000) == 20)
          block.withUnsafeMutableBytes { bytes in
            let parts = [
              iovec(iov_base: bytes.baseAddress, iov_len: 30), iovec(iov_base: bytes.baseAddress, iov_len: 40),
            ]
            #expect(writev(descriptor, parts, 2) == 70)
            #expect(pwritev(descriptor, parts, 2, 9_000) == 70)
          }
        }
        #expect(lseek(other, 0, SEEK_SET) == 0)
        #expect(sendfile(store, other, nil, 50) == 50)
        var from: Int64 = 0
        #expect(gnu_copy_file_range(other, &from, store, 60) == 60)
      }
      #expect(counts.write_calls == 6)
      #expect(counts.bytes_written == 10 + 20 + 70 + 70 + 50 + 60)
      #expect(counts.other_write_calls == 4)
      #expect(counts.other_bytes_written == 170)
      #expect(counts.syncs == 0)
    }
  }

  @Test func failingWritesAreCountedAsTheKernelDoes() async {
    await #expect(processExitsWith: .success) {
      let files = try CountedFiles()
      let block = [UInt8](repeating: 7, count: 100)
      let readOnly = try files.open("a", O_RDONLY | O_CREAT)
      let store = try files.open("b")
      let full = open("/dev/full", O_WRONLY)
      let counts = try files.counted {
        #expect(error(of: { write(full, block, 10) }) == ENOSPC)
        #expect(error(of: { write(-1, block, 10) }) == EBADF)
        #expect(error(of: { write(readOnly, block, 10) }) == EBADF)
        #expect(error(of: { pwrite(store, block, 10, -1) }) == EINVAL)
        #expect(error(of: { write(store, nil, 10) }) == EFAULT)
        #expect(write(store, block, 0) == 0)
        #expect(write(store, block, 100) == 100)
      }
      #expect(counts.bytes_written == 100 && counts.other_bytes_written == 0)
    }
  }

  @Test func syncs() async {
    await #expect(processExitsWith: .success) {
      let files = try CountedFiles()
      let (store, other) = (try files.open("a"), try files.open("other", inside: false))
      let synchronous = try files.open("s", O_WRONLY | O_CREAT | O_DSYNC)
      let strict = try files.open("t", O_WRONLY | O_CREAT | O_SYNC)
      let directory = open(files.root, O_RDONLY | O_DIRECTORY)
      let map = mmap(nil, 4_096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)
      let counts = try files.counted {
        #expect(fsync(store) == 0)
        #expect(fdatasync(store) == 0)
        #expect(fsync(directory) == 0)
        #expect(gnu_syncfs(store) == 0)
        #expect(write(synchronous, [1, 2], 2) == 2)
        #expect(pwrite(strict, [1, 2], 2, 0) == 2)
        #expect(write(synchronous, [1, 2], 0) == 0)
        #expect(msync(map, 4_096, MS_SYNC) == 0)
        #expect(msync(map, 4_096, MS_ASYNC) == 0)
        // Syncs of files outside the store are not counted as the store's.
        #expect(fsync(other) == 0)
      }
      #expect(counts.syncs == 7)
      #expect(counts.write_calls == 3)
    }
  }

  @Test func descriptorsThatAreClosedAndUsedAgain() async {
    await #expect(processExitsWith: .success) {
      let files = try CountedFiles()
      // The lowest free descriptor is reused, unless a thread of the test runner takes it in between.
      for attempt in 1...100 {
        var numbers: Set<Int32> = []
        let counts = try files.counted {
          let store = try files.open("a")
          #expect(write(store, [1], 1) == 1)
          close(store)
          let other = try files.open("other", inside: false)
          #expect(write(other, [1, 2], 2) == 2)
          close(other)
          let synchronous = try files.open("s", O_WRONLY | O_CREAT | O_DSYNC)
          #expect(write(synchronous, [1, 2, 3], 3) == 3)
          close(synchronous)
          let again = try files.open("a")
          #expect(write(again, [1, 2, 3, 4], 4) == 4)
          close(again)
          numbers = [store, other, synchronous, again]
        }
        #expect(counts.bytes_written == 1 + 3 + 4)
        #expect(counts.other_bytes_written == 2)
        #expect(counts.syncs == 1)
        #expect(counts.opens == 3)
        if numbers.count == 1 { break }
        try #require(attempt < 100, "the numbers of descriptors are never used again: \(numbers)")
      }
    }
  }

  @Test func copiesOfDescriptors() async {
    await #expect(processExitsWith: .success) {
      let files = try CountedFiles()
      let counts = try files.counted {
        let (store, other) = (try files.open("a"), try files.open("other", inside: false))
        let copy = dup(store)
        #expect(write(copy, [1], 1) == 1)
        // The descriptor of the store becomes another file's, and vice versa.
        #expect(dup2(other, copy) == copy)
        #expect(write(copy, [1, 2], 2) == 2)
        #expect(write(other, [1, 2], 2) == 2)
        #expect(gnu_dup3(store, other, O_CLOEXEC) == other)
        #expect(write(other, [1, 2, 3], 3) == 3)
        #expect(dup2(store, store) == store)
        #expect(write(store, [1, 2, 3, 4], 4) == 4)
        #expect(dup2(-1, store) == -1)
        #expect(write(store, [1], 1) == 1)
      }
      #expect(counts.bytes_written == 1 + 3 + 4 + 1)
      #expect(counts.other_bytes_written == 4)
    }
  }

  @Test func relativePathsAndLinks() async {
    await #expect(processExitsWith: .success) {
      let files = try CountedFiles()
      #expect(symlink(files.root, files.outside + "/link") == 0)
      #expect(chdir(files.root) == 0)
      let directory = open(".", O_RDONLY | O_DIRECTORY)
      let counts = try files.counted {
        let here = open("a", O_WRONLY | O_CREAT, 0o600)
        #expect(write(here, [1], 1) == 1)
        let at = openat(directory, "b", O_WRONLY | O_CREAT, 0o600)
        #expect(write(at, [1, 2], 2) == 2)
        let linked = open(files.outside + "/link/c", O_WRONLY | O_CREAT, 0o600)
        #expect(write(linked, [1, 2, 3], 3) == 3)
        let up = open("../outside/d", O_WRONLY | O_CREAT, 0o600)
        #expect(write(up, [1, 2, 3, 4], 4) == 4)
        // A name that only begins like the root is another one.
        let neighbour = open(files.root + "-neighbour", O_WRONLY | O_CREAT, 0o600)
        #expect(write(neighbour, [1], 1) == 1)
        #expect(rename("a", "e") == 0)
        #expect(renameat(directory, "b", directory, "f") == 0)
        #expect(rename("nothing", "g") == -1)
        #expect(unlink("e") == 0)
        #expect(unlinkat(directory, "f", 0) == 0)
      }
      #expect(counts.opens == 3)
      #expect(counts.bytes_written == 6)
      #expect(counts.other_bytes_written == 5)
      #expect(counts.renames == 2)
      #expect(counts.unlinks == 2)
    }
  }
}
