@testable import TestSupport
import StorageContract
@testable import StorageReport
import StorageRunFiles
import Testing

/// The section on stores that are larger than the memory.
@Suite struct LittleMemoryTests {
  private static func cell(_ backend: String, memory: Int?) -> Cell {
    Cell(backend, "read-one", records: 1_000_000, durability: nil, memory: memory)
  }

  private static func timed(_ cell: Cell, _ nanoseconds: Double, _ findings: [Finding]?) -> Trial {
    changed(.uniform(cell, nanoseconds, operations: 1)) { $0.findings = findings }
  }

  private static func section(_ trials: [Trial]) throws -> Section? {
    try SampleRun.section("little-memory", plan: Plan(of: trials.map(\.cell), level: nil, rounds: 1), trials: trials)
  }

  private static func findings(_ size: Double, _ bytes: Double, _ faults: Double) -> [Finding] {
    [
      Finding(MemoryFindings.storeOverMemory, size, .max), Finding(MemoryFindings.suiteBytes, 2e6, .max),
      Finding(MemoryFindings.majorFaults, faults, .first), Finding(MemoryFindings.diskBytes, bytes, .first),
    ]
  }

  @Test func `a store of four times the memory, and one that cannot be opened`() throws {
    let note = "plist cannot open 1,000,000 records in 64MiB"
    let section = try #require(
      try Self.section([
        Self.timed(Self.cell("sqlite", memory: 64 << 20), 60_000, Self.findings(4.1, 4_434, 0)),
        Self.timed(Self.cell("lmdb", memory: 64 << 20), 50_000, Self.findings(4.4, 4_700, 1.148)),
        Trial(
          cell: Self.cell("plist", memory: 64 << 20), pass: .timed, round: 1, position: 1, started: 0, wall: 1,
          status: .notAvailable, note: note),
        Self.timed(Self.cell("sqlite", memory: nil), 10_000, nil),
      ]))
    #expect(section.lists.count == 1)
    #expect(
      section.lists[0].title
        == "With 64MiB of memory and a store 4.1 to 4.4 times that: read-one of 1,000,000 records")
    #expect(
      section.sentences == [
        "sqlite: 60 µs an operation, 6.0 times as long as with all memory; 4.4 kB from the disk and 0 major faults each",
        "lmdb: 50 µs an operation; 4.7 kB from the disk and 1.15 major faults each",
        "plist: n/a, \(note)",
      ])
    let table = try #require(section.tables.first)
    #expect(
      table.texts == [
        ["sqlite", "read-one", "1,000,000", "64MiB", "4.1×", "60 µs", "10 µs", "4.4 kB", "0", "2.0 MB"],
        ["lmdb", "read-one", "1,000,000", "64MiB", "4.4×", "50 µs", "-", "4.7 kB", "1.15", "2.0 MB"],
      ])
  }

  @Test func `the answer names the backends that the limit ends, once`() throws {
    func answer(_ note: String?, isEnded: Bool = false) throws -> [String] {
      let cell = Self.cell("plist", memory: 64 << 20)
      var trial = Self.timed(cell, 1_000, nil)
      if let note { (trial.status, trial.note, trial.timing) = (.notAvailable, note, nil) }
      if isEnded { trial.findings = [Finding(MemoryFindings.ended, 1, .first)] }
      let model = try SampleRun.model(plan: Plan(of: [cell], level: nil, rounds: 1), trials: [trial])
      return LittleMemorySection.sentences(model).map(\.text)
    }
    #expect(
      try answer("plist cannot open 1,000,000 records in 64MiB", isEnded: true) == [
        "Memory ends it: plist cannot open 1,000,000 records in 64MiB."
      ])
    #expect(try answer("no control group can be made; run as root").isEmpty)
    #expect(try answer(nil).isEmpty)
  }

  @Test func `a run without a memory limit has no section`() throws {
    #expect(try Self.section([Self.timed(Self.cell("sqlite", memory: nil), 10_000, nil)]) == nil)
  }
}
