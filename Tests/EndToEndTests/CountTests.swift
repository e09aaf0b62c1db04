import Foundation
import StorageWorkloads
import Testing

extension EndToEnd.Enduring {
  @Suite struct CountTests {
    private let workplace = Workplace()

    private static let six = "plist,archive,defaults,sqlite,sqlite-queue,lmdb"

    /// Counts are committed and compared on another machine, whose shell has other variables.
    @Test func theEnvironmentIsNotCounted() async throws {
      var allocations: [[String: Int]] = []
      for variables in [0, 200] {
        let name = "with-\(variables)"
        let environment = Dictionary(
          uniqueKeysWithValues: (0..<variables).map { ("VARIABLE_\($0)", "a value that is too long to be inline") })
        let rows = try await workplace.run(
          ["--profile", "counts", "-b", Self.six, "-w", "load-all,launch-warm"], into: name, environment: environment
        ).rows
        allocations.append(
          try Dictionary(uniqueKeysWithValues: rows.map { (Results.name($0), try $0.number("allocations")) }))
      }
      #expect(allocations[0].count == 12)
      for (name, count) in allocations[0] {
        // The tolerance of `check`, and the few by which hash tables always differ.
        let other = try #require(allocations[1][name])
        #expect(abs(other - count) <= max(10, count / 100), "\(name): \(count) and \(other)")
      }
    }

    @Test func theKernelSawNoMoreThanWasCounted() async throws {
      let workloads = Workloads.all.map { $0.description.id }
      let results = try await workplace.agree(on: workloads, "--profile counts -n 100") { _ in true }
      let counted = results.trials.filter { $0.pass == .cost }
      // Every workload on every backend, except launches of the two floors, which keep no store.
      #expect(counted.count >= 100)
      for trial in counted {
        let name = trial.cell.name
        let cost = try #require(trial.cost, "\(name): \(trial.note ?? "")")
        #expect(trial.note == nil, "\(name)")
        #expect(cost.seenBytesWritten == cost.processBytesWritten, "\(name)")
        #expect(cost.seenWriteCalls == cost.processWriteCalls, "\(name)")
        let (store, other) = (try #require(cost.bytesWrittenSettled), try #require(cost.otherBytesWritten))
        #expect(store + other == cost.processBytesWritten, "\(name)")
      }
      // Much was written to the stores, and hardly anything elsewhere.
      #expect(counted.reduce(0) { $0 + ($1.cost?.bytesWrittenSettled ?? 0) } > 1_000_000)
    }
  }
}
