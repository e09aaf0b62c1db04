import Foundation
import StorageBackends
import StorageContract
import StorageRunFiles
import StorageTrial
import StorageWorkloads
import Testing

@testable import StorageBench

extension EndToEnd.Enduring {
  @Suite struct CostDirectoryTests {
    private let workplace = Workplace()

    /// Whether whole files of 10,000 records are counted, too. In a debug build these alone take a minute and a half,
    /// and they make the same calls as smaller ones.
    private static let takesLargeFiles = ProcessInfo.processInfo.environment["TEST_LARGE_FILES"] != nil

    /// Returns the cells of the profile `quick`, and one with a cold cache, to be counted without timing.
    private static func plan() throws -> Plan {
      let catalog = Catalog(backends: Backends.all, workloads: Workloads.all)
      var plan = try PlanBuilder(catalog: catalog, cells: CellOptions.parse([]), profile: .quick).plan()
      plan.rounds = 0
      plan.cells.removeAll { $0.isWholeFile && $0.cell.records > 1_000 && !Self.takesLargeFiles }
      let cold = try CellOptions.parse(["-b", "sqlite", "-w", "launch-cold", "-n", "100"])
      plan.cells += try PlanBuilder(catalog: catalog, cells: cold).plan().cells
      return plan
    }

    /// Counts the cells of the plan in the workplace, and returns their trials by name.
    private func costs(_ name: String, _ flags: String...) async throws -> [String: Trial] {
      let results = try await workplace.run(["--plan", "plan.json", "--keep-stores"] + flags, into: name)
      for trial in results.trials {
        #expect(try !workplace.names(in: "\(name)/stores/\(trial.cell.name)").isEmpty)
      }
      return Dictionary(uniqueKeysWithValues: results.trials.map { ($0.cell.name, $0) })
    }

    private static let hasMemory = MemoryDirectory().map { memory in
      defer { memory.close() }
      return memory.holds(512 << 20)
    }

    /// Counts that are equal, or nil, in both locations.
    private static let exact: [(String, KeyPath<Cost, Int?> & Sendable)] = [
      ("bytes_changed", \.bytesChanged), ("bytes_written", \.bytesWritten),
      ("bytes_written_settled", \.bytesWrittenSettled), ("write_calls", \.writeCalls), ("syncs", \.syncs),
      ("syncs_settled", \.syncsSettled), ("bytes_read", \.bytesRead), ("opens", \.opens), ("renames", \.renames),
      ("stored_bytes", \.storedBytes), ("file_bytes", \.fileBytes), ("inodes", \.inodes),
      ("other_bytes_written", \.otherBytesWritten), ("other_write_calls", \.otherWriteCalls),
      ("process_bytes_written", \.processBytesWritten), ("process_write_calls", \.processWriteCalls),
    ]

    @Test(
      .enabled(if: hasMemory == true && !Linux.isRAMDisk(Program.products.path), "needs a disk, and room in memory"))
    func theCellsOfQuickCountTheSame() async throws {
      let plan = try Self.plan()
      try workplace.write("plan.json", String(decoding: JSONEncoder().encode(plan), as: UTF8.self))
      let (there, here) = try await (costs("memory"), costs("disk", "--cost-on-disk"))
      #expect(there.count == plan.cells.count { $0.refusal == nil } && here.count == there.count)
      // A store with a cold cache cannot be in memory.
      #expect(there.values.allSatisfy { $0.inMemory == ($0.cell.cache == .warm) })
      #expect(here.values.allSatisfy { $0.inMemory == false })
      for (name, trial) in there {
        let (first, second) = (try #require(trial.cost, "\(name)"), try #require(here[name]?.cost, "\(name)"))
        for (metric, path) in Self.exact {
          #expect(first[keyPath: path] == second[keyPath: path], "\(metric) of \(name)")
        }
        // If the disk has no long free extent for a file, the list of its extents takes another block, which counts as
        // allocated.
        let (taken, other) = (first.fileBytesAllocated ?? -1, second.fileBytesAllocated ?? -1)
        #expect(abs(taken - other) <= 4_096 * max(1, first.inodes ?? 0), "file_bytes_allocated of \(name)")
        #expect(
          first.digest != nil && first.digest == second.digest && first.countedOperations == second.countedOperations,
          "\(name)")
        #expect(trial.settings == here[name]?.settings, "\(name)")
        // Within the tolerance of `check`, and of the few by which hash tables always differ.
        let (allocations, others) = (try #require(first.allocations), try #require(second.allocations))
        #expect(abs(allocations - others) <= max(10, others / 100), "allocations of \(name)")
      }
      // A mapped file counts as file-backed memory in both locations.
      func mapped(_ costs: [String: Trial]) throws -> Double {
        Double(try #require(costs["lmdb/load-all/10000/-"]?.cost?.peakFileBytes))
      }
      #expect(try mapped(there) > 1_000_000 && (0.5...2).contains(mapped(there) / mapped(here)))
    }
  }
}
