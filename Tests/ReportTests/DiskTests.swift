import Foundation
@testable import TestSupport
import StorageContract
@testable import StorageReport
import StorageRunFiles
import Testing

/// The panel of what the same records come to on the disk.
@Suite struct DiskTests {
  private static let backends = ["plist", "sqlite", "files", "memory"]

  private static func cell(_ backend: String, _ workload: String, _ records: Int) -> Cell {
    Cell(
      backend: Spec(id: backend), workload: Spec(id: workload), records: records, recordBytes: 100, durability: nil,
      threads: 1, cache: .warm)
  }

  private static func counted(_ cell: Cell) -> Trial {
    var cost = Cost(countedOperations: 1)
    cost.storedBytes = cell.records * 100
    switch cell.backend.id {
    case "plist": cost.fileBytes = cell.records * 250
    case "sqlite": cost.fileBytes = cell.records * 125
    case "files": cost.fileBytes = cell.records * 108
    default: cost.fileBytes = 0
    }
    cost.fileBytesAllocated = cell.backend.id == "files" ? cell.records * 4_096 : cost.fileBytes
    cost.inodes = cell.backend.id == "files" ? cell.records + 2 : 1
    return Trial(cell: cell, pass: .cost, started: 0, wall: 1, status: .ok, cost: cost)
  }

  private static func section(_ cells: [Cell]) throws -> Section? {
    var plan = Plan(seed: 1, rounds: 0, cells: cells.map { PlannedCell(cell: $0, level: nil, engineVersion: "e") })
    plan.backends = backends.map {
      PlannedBackend(
        name: $0, safety: "It is what it is.", deviations: [], opensWith: $0 == "sqlite" ? "sqlite3" : nil)
    }
    return try SampleRun.withModel(plan: plan, trials: cells.map(counted)) { model, _ in
      RunReport(model).document.sections.first { $0.id == "disk" }
    }
  }

  @Test func `of the largest size that most have, the smallest first, with inodes and tools`() throws {
    var cells = [1_000, 10_000].flatMap { size in Self.backends.map { Self.cell($0, "load-all", size) } }
    // Larger, but of one backend; another workload; and one that changes what is stored.
    cells += [Self.cell("sqlite", "load-all", 100_000), Self.cell("plist", "iterate", 10_000)]
    let table = try #require(try Self.section(cells)?.tables.first)
    #expect(table.title.contains("10,000 records"))
    #expect(
      table.rows.map { $0.map(\.words.text) } == [
        ["files", "1.1 MB", "1.1x", "41 MB", "10,002", "none"],
        ["sqlite", "1.2 MB", "1.2x", "1.2 MB", "1", "sqlite3"],
        ["plist", "2.5 MB", "2.5x", "2.5 MB", "1", "none"],
      ])
  }

  /// Saves change what is stored, each backend's by as many as it was given; one backend is no comparison.
  @Test func `without a workload that only reads, or with one backend, nothing is said`() throws {
    #expect(try Self.section(Self.backends.map { Self.cell($0, "save-one", 1_000) }) == nil)
    #expect(try Self.section([Self.cell("sqlite", "load-all", 1_000)]) == nil)
    #expect(try Self.section(["sqlite", "memory"].map { Self.cell($0, "load-all", 1_000) }) == nil)
  }
}
