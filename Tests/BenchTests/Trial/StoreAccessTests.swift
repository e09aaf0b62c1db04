import Foundation
import StorageContract
import StorageVerify
import Testing

@testable import StorageTrial

/// The syncs of a trial between two operations. Each test runs in a separate process, because calls are logged.
@Suite struct StoreAccessTests {
  @Test(arguments: [false, true])
  func `a store is made anew without syncs, where calls are not counted`(isCounting: Bool) async {
    await #expect(processExitsWith: .success) { [isCounting] in
      let directory = NSTemporaryDirectory() + "/trial-tests-\(UUID().uuidString)"
      defer { try? FileManager.default.removeItem(atPath: directory) }
      let cell = Cell(backend: Spec(id: "sqlite"), workload: Spec(id: "import"), records: 10, durability: .shipped)
      let request = TrialRequest(
        task: isCounting ? .cost : .timed, cell: cell, seed: 1, payload: "random", directory: directory, trialTime: 1)
      for part in [request.store, request.temporary] {
        try FileManager.default.createDirectory(atPath: part, withIntermediateDirectories: true)
      }
      let catalog = Catalog.whole
      let workload = try catalog.workload(cell.workload)
      let access = try StoreAccess(
        request: request, backend: try catalog.backend("sqlite"), workload: workload,
        source: try request.records(), executable: "")
      let session = try workload.session(access.context(isCounting: isCounting))

      /// Returns the number of syncs on the store.
      func syncs(_ body: () throws -> Void) throws -> Int {
        let watch = try CallWatch(directory, log: directory + ".calls")
        defer { _ = watch.end() }
        try body()
        return try StorageVerify.CallLog(directory + ".calls").calls.count(where: \.isSync)
      }
      try session.setUp()
      #expect(try syncs { try session.perform(0) } > 0)
      #expect(try (syncs { try session.prepare(1..<2) } == 0) == !isCounting)
      // The operation itself syncs again.
      #expect(try syncs { try session.perform(1) } > 0)
    }
  }
}
