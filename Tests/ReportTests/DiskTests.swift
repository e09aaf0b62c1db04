@testable import TestSupport
import StorageContract
@testable import StorageReport
import StorageRunFiles
import Testing

/// The section on the sizes of stores with the same records.
@Suite struct DiskTests {
  private static let backends = ["plist", "sqlite", "files", "memory"]

  private static func cell(_ backend: String, _ workload: String, _ records: Int) -> Cell {
    Cell(backend, workload, records: records, durability: nil)
  }

  private static func counted(_ cell: Cell) -> Trial {
    let bytesPerRecord = ["plist": 250, "sqlite": 125, "files": 108]
    return .counted(cell) {
      $0.storedBytes = cell.records * 100
      $0.fileBytes = cell.records * (bytesPerRecord[cell.backend.id] ?? 0)
      $0.fileBytesAllocated = cell.backend.id == "files" ? cell.records * 4_096 : $0.fileBytes
      $0.inodes = cell.backend.id == "files" ? cell.records + 2 : 1
    }
  }

  private static func section(_ cells: [Cell]) throws -> Section? {
    var plan = Plan(of: cells, level: nil, rounds: 0)
    plan.backends = backends.map {
      PlannedBackend(name: $0, safety: "It is what it is.", deviations: [], opensWith: $0 == "sqlite" ? "sqlite3" : nil)
    }
    return try SampleRun.section("disk", plan: plan, trials: cells.map(counted))
  }

  @Test func `of the largest size that most have, the smallest first, with inodes and tools`() throws {
    var cells = [1_000, 10_000].flatMap { size in Self.backends.map { Self.cell($0, "load-all", size) } }
    // Larger, but of one backend; another workload; and one that changes what is stored.
    cells += [Self.cell("sqlite", "load-all", 100_000), Self.cell("plist", "iterate", 10_000)]
    let table = try #require(try Self.section(cells)?.tables.first)
    #expect(table.title.contains("10,000 records"))
    #expect(
      table.texts == [
        ["files", "1.1 MB", "1.1×", "41 MB", "10,002", "none"],
        ["sqlite", "1.2 MB", "1.2×", "1.2 MB", "1", "sqlite3"],
        ["plist", "2.5 MB", "2.5×", "2.5 MB", "1", "none"],
      ])
  }

  /// Saves change the stored records, and one backend is no comparison.
  @Test func `without a workload that only reads, or with one backend, there is no section`() throws {
    #expect(try Self.section(Self.backends.map { Self.cell($0, "save-one", 1_000) }) == nil)
    #expect(try Self.section([Self.cell("sqlite", "load-all", 1_000)]) == nil)
    #expect(try Self.section(["sqlite", "memory"].map { Self.cell($0, "load-all", 1_000) }) == nil)
  }
}
