import CStorageInstrument
import Foundation
import Testing

/// Calls of the whole process, with all its threads and libraries. Each test runs in a separate process.
@Suite struct ProcessTests {
  @Test func threadsAreAddedUp() async {
    await #expect(processExitsWith: .success) {
      let files = try CountedFiles()
      let descriptors = try (0..<4).map { try files.open("t\($0)") }
      let counts = try files.counted {
        // More threads than there are slots, in successive waves. The counts of ended threads are kept.
        for _ in 0..<100 {
          let group = DispatchGroup()
          for descriptor in descriptors {
            group.enter()
            Thread.detachNewThread {
              for _ in 0..<25 { _ = write(descriptor, [1, 2, 3], 3) }
              group.leave()
            }
          }
          group.wait()
        }
      }
      #expect(counts.write_calls == 4 * 100 * 25)
      #expect(counts.bytes_written == 3 * 4 * 100 * 25)
    }
  }

  @Test func theFileShareOfMemoryIsReadAlikeFromBothFiles() async {
    await #expect(processExitsWith: .success) {
      let files = try CountedFiles()
      let (size, tolerance) = (16 << 20, UInt64(1 << 20))
      let descriptor = try files.open("mapped")
      #expect(ftruncate(descriptor, off_t(size)) == 0)
      func shares() -> (short: UInt64, whole: UInt64) {
        var (file, memory) = (UInt64(0), ci_memory())
        #expect(ci_read_file_memory(&file) == 0 && ci_read_memory(&memory) == 0)
        return (file, memory.file)
      }
      let before = shares()
      let map = try #require(mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0))
      try #require(map != MAP_FAILED)
      memset(map, 1, size)
      // Memory that belongs to no file is not in the share.
      let own = UnsafeMutableRawPointer.allocate(byteCount: 2 * size, alignment: 4096)
      memset(own, 1, 2 * size)
      let after = shares()
      for share in [before, after] {
        #expect(max(share.short, share.whole) - min(share.short, share.whole) < tolerance, "\(share)")
      }
      let grown = after.short - before.short
      #expect(grown > UInt64(size) - tolerance && grown < UInt64(size) + tolerance, "\(grown)")
      own.deallocate()
    }
  }

  @Test func allocationsAreCounted() async {
    await #expect(processExitsWith: .success) {
      guard ci_counts_allocations() != 0 else { return }
      let files = try CountedFiles()
      let counts = try files.counted {
        for _ in 0..<100 {
          free(malloc(1_000))
          free(calloc(10, 100))
          free(realloc(nil, 1_000))
          var aligned: UnsafeMutableRawPointer?
          #expect(posix_memalign(&aligned, 64, 1_000) == 0)
          free(aligned)
        }
      }
      // Swift and the checks of the test allocate little besides.
      #expect(counts.allocations >= 400)
      #expect((400_000...500_000).contains(counts.allocated_bytes))
    }
  }
}
