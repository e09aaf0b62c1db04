import CStorageInstrument
import Foundation
import Testing

/// Syncs that succeed without being made. Each test runs in a separate process.
@Suite struct UnsyncedTests {
  @Test func `nothing is synced, everything else is done, until it is taken back`() async {
    await #expect(processExitsWith: .success) {
      let files = try CountedFiles()
      let log = files.outside + "/log"
      let store = try files.open("a")
      func calls() throws -> [String] {
        ci_begin(files.root)
        #expect(ci_watch(log, 0) == 0)
        write(store, "1", 1)
        #expect(fsync(store) == 0 && fdatasync(store) == 0)
        sync()
        ci_end()
        return try LogEntry.read(log).map { String($0.text.prefix { $0 != " " }) }
      }
      ci_skip_syncs(1)
      #expect(try calls() == ["write"])
      let quick = try files.open("b", O_RDWR | O_CREAT | O_DSYNC)
      #expect(fcntl(quick, F_GETFL) & (O_DSYNC | O_SYNC) == 0)
      ci_skip_syncs(0)
      #expect(try calls().count == 4)
      // Syncs are only deferred: a file that is opened meanwhile keeps its flag for synchronous writes.
      ci_defer_syncs(1)
      #expect(try calls() == ["write"])
      let later = try files.open("b", O_RDWR | O_DSYNC)
      #expect(fcntl(later, F_GETFL) & O_DSYNC != 0)
      ci_defer_syncs(0)
      #expect(try calls().count == 4)
      let synchronous = try files.open("b", O_RDWR | O_DSYNC)
      #expect(fcntl(synchronous, F_GETFL) & O_DSYNC != 0)
      #expect(files.text("a") == "1111")
    }
  }
}
