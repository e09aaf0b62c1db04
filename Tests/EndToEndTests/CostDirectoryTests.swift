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
    private let workplace: Workplace

    init() throws { workplace = try Workplace() }

    private struct Nobody: RunObserver {
      func see(_ event: RunEvent) {}
    }

    /// Whether whole files of 10,000 records are counted, too. In a debug build these alone take a minute and a half,
    /// and they make the same calls as smaller ones.
    private static let takesLargeFiles = ProcessInfo.processInfo.environment["TEST_LARGE_FILES"] != nil

    /// Counts the cells of the profile `quick`, without timing.
    private func costs(_ name: String, memory: MemoryDirectory?) async throws -> [String: Trial] {
      let path = "\(workplace.path)/\(name)"
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      let catalog = Catalog(backends: Backends.all, workloads: Workloads.all)
      var plan = try PlanBuilder(catalog: catalog, cells: CellOptions.parse([]), profile: .quick).plan()
      plan.rounds = 0
      plan.cells.removeAll { $0.isWholeFile && $0.cell.records > 1_000 && !Self.takesLargeFiles }
      let directory = RunDirectory(path: path)
      let scratch = try Scratch("\(path)/scratch")
      defer { scratch.close(keepingFixtures: false) }
      #expect(
        try await Runner(
          plan: plan, catalog: catalog, directory: directory, scratch: scratch,
          launcher: ProcessLauncher(executable: Program.products.appendingPathComponent("storage-bench").path),
          observer: Nobody(), memory: memory
        ).run())
      var trials: [String: Trial] = [:]
      _ = try directory.trials.forEach { trials[$0.cell.name] = $0 }
      #expect(trials.count == plan.cells.count { $0.refusal == nil })
      return trials
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
      let memory = try #require(MemoryDirectory())
      defer { memory.close() }
      let there = try await costs("memory", memory: memory)
      let here = try await costs("disk", memory: nil)
      #expect(there.values.allSatisfy { $0.inMemory == true } && here.values.allSatisfy { $0.inMemory == false })
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

    @Test(
      .enabled(if: hasMemory == true && !Linux.isRAMDisk(Program.products.path), "needs a disk, and room in memory"))
    func theUserDecides() async throws {
      let arguments = [
        "--profile", "counts", "-b", "sqlite", "-w", "save-one,launch-cold", "-n", "100", "--keep-stores",
      ]
      for flags in [[], ["--cost-on-disk"]] {
        let name = "run\(flags.count)"
        let finished = try await workplace.start(["run", "--allow-debug", "-q", "-o", name] + arguments + flags)
          .finish()
        try #require(finished.status == 0, "\(finished.errors)")
        let trials = try Results("\(workplace.path)/\(name)").trials
        #expect(trials.count == 2)
        for trial in trials {
          // A store with a cold cache cannot be in memory.
          #expect(trial.inMemory == (flags.isEmpty && trial.cell.cache == .warm), "\(trial.cell.name)")
          let store = "\(workplace.path)/\(name)/stores/\(trial.cell.name)"
          #expect(try FileManager.default.contentsOfDirectory(atPath: store).isEmpty == false)
        }
      }
    }
  }
}
