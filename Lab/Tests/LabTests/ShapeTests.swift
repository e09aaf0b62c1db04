import StorageContract
import StorageReport
import StorageRunFiles
import StorageStatistics
import Testing

@testable import lab

@Suite struct ShapeTests {
  private func row(_ backend: String, _ workload: String, _ records: Int, _ durability: Durability?) -> SummaryRow {
    SummaryRow(
      cell: Cell(
        backend: Spec(verbatim: backend), workload: Spec(verbatim: workload), records: records, durability: durability),
      machine: "m", run: "r", level: nil, engineVersion: "1", fidelity: .native, seed: 1)
  }

  private func saves(_ backend: String, _ bytes: (Int) -> Int, file: (Int) -> Int) -> [SummaryRow] {
    [100, 1_000, 10_000].map { size in
      var row = row(backend, "save-one", size, .shipped)
      var cost = Cost(countedOperations: 10)
      cost.bytesWritten = bytes(size) * 10
      cost.bytesWrittenSettled = bytes(size) * 10
      cost.fileBytes = file(size)
      cost.syncs = 40
      row.cost = cost
      return row
    }
  }

  private func look(_ name: String, _ rows: [SummaryRow]) throws -> Reproduction {
    try #require(Shape.all.first { $0.name == name }).look(Evidence(rows))
  }

  private func isFound(_ finding: Reproduction) -> Bool { if case .found = finding { true } else { false } }
  private func isMissed(_ finding: Reproduction) -> Bool { if case .notFound = finding { true } else { false } }

  @Test func `whole files are told from pages`() throws {
    let wholeFile = ["plist", "archive", "defaults"].flatMap { saves($0, { $0 * 250 }, file: { $0 * 250 }) }
    let pages = ["sqlite", "sqlite-queue", "object-graph", "lmdb"].flatMap {
      saves($0, { 12_000 + $0 / 40 }, file: { $0 * 160 })
    }
    #expect(isFound(try look("whole-file-rewrite", wholeFile)))
    #expect(isFound(try look("whole-file-growth", wholeFile)))
    #expect(isFound(try look("page-growth", pages)))
    // A whole-file store that writes a part of its file contradicts the claim, as does a page engine that writes all.
    let part = ["plist", "archive", "defaults"].flatMap { saves($0, { $0 * 200 }, file: { $0 * 250 }) }
    #expect(isMissed(try look("whole-file-rewrite", part)))
    let flat = ["plist", "archive", "defaults"].flatMap { saves($0, { _ in 12_000 }, file: { _ in 12_000 }) }
    #expect(isMissed(try look("whole-file-growth", flat)))
    let growing = ["sqlite", "sqlite-queue", "object-graph", "lmdb"].flatMap { saves($0, { $0 * 100 }, file: { $0 }) }
    #expect(isMissed(try look("page-growth", growing)))
  }

  @Test func `syncs are exact`() throws {
    func finding(_ syncs: Int, _ name: String, _ backend: String, _ durability: Durability) throws -> Reproduction {
      var row = row(backend, "save-one", 1_000, durability)
      row.cost = Cost(countedOperations: 2_000)
      row.cost?.syncs = syncs
      return try look(name, [row])
    }
    #expect(isFound(try finding(8_000, "syncs-sqlite-delete-full", "sqlite", .shipped)))
    #expect(isMissed(try finding(8_001, "syncs-sqlite-delete-full", "sqlite", .shipped)))
    #expect(isMissed(try finding(6_000, "syncs-sqlite-delete-full", "sqlite", .shipped)))
    #expect(isFound(try finding(10_000, "syncs-sqlite-delete-extra", "sqlite:journal=delete", .durable)))
    #expect(isFound(try finding(4_000, "syncs-lmdb", "lmdb", .shipped)))
    // Checkpoints add a few syncs to the one of a write-ahead log.
    #expect(isFound(try finding(2_012, "syncs-sqlite-wal-full", "sqlite", .durable)))
    #expect(isMissed(try finding(1_990, "syncs-sqlite-wal-full", "sqlite", .durable)))
    #expect(isMissed(try finding(2_400, "syncs-sqlite-wal-full", "sqlite", .durable)))
  }

  private func timed(_ row: SummaryRow, _ time: Double) -> SummaryRow {
    var row = row
    row.rounds = Rounds(
      (1...6).map { round in
        let time = time * (1 + 0.01 * Double(round % 3))
        return (round, RoundTiming(typical: time, resolution: 20))
      })
    return row
  }

  @Test func `times need six rounds and a clear difference`() throws {
    let (lmdb, sqlite) = (row("lmdb", "read-one", 100_000, nil), row("sqlite", "read-one", 100_000, nil))
    #expect(isFound(try look("lmdb-reads", [timed(lmdb, 2_000), timed(sqlite, 6_000)])))
    #expect(isMissed(try look("lmdb-reads", [timed(lmdb, 2_000), timed(sqlite, 3_000)])))
    #expect(try look("lmdb-reads", [lmdb, sqlite]) == .notAsked("times are compared from 6 rounds on"))
    var failed = sqlite
    failed.status = .failed
    failed.note = "it crashed"
    #expect(
      try look("lmdb-reads", [timed(lmdb, 2_000), failed]) == .notFound("\(sqlite.cell.name) is failed: it crashed"))
    #expect(try look("lmdb-reads", [lmdb]) == .notAsked("the run has no sqlite/read-one/100000/-"))
  }

  @Test func `another order is found, the same one is not`() throws {
    let names = ["sqlite", "sqlite-queue", "object-graph", "lmdb", "plist"]
    func rows(_ durable: [Double]) -> [SummaryRow] {
      names.enumerated().flatMap { index, name in
        [
          timed(row(name, "save-one", 1_000, .shipped), Double(index + 1) * 1_000),
          timed(row(name, "save-one", 1_000, .durable), durable[index]),
        ]
      }
    }
    #expect(isMissed(try look("shipped-is-not-durable", rows([1_000, 2_000, 3_000, 4_000, 5_000]))))
    #expect(isFound(try look("shipped-is-not-durable", rows([2_000, 1_000, 3_000, 4_000, 5_000]))))
  }

  @Test func `four commits are four times the syncs`() throws {
    func rows(_ syncs: Int, _ factor: Double) -> [SummaryRow] {
      [("import:batch=1", syncs, factor), ("import", 4, 1)].map { workload, syncs, factor in
        var row = timed(row("sqlite", workload, 4, .shipped), 1_000_000 * factor)
        row.cost = Cost(countedOperations: 1)
        row.cost?.syncs = syncs
        return row
      }
    }
    #expect(isFound(try look("four-autocommits", rows(16, 3.5))))
    #expect(isMissed(try look("four-autocommits", rows(16, 1.5))))
    #expect(isMissed(try look("four-autocommits", rows(12, 3.5))))
  }

  @Test func `every shape says who claims it`() {
    #expect(Set(Shape.all.map(\.name)).count == Shape.all.count)
    for shape in Shape.all {
      #expect(shape.claim.hasSuffix(".") && shape.source.count > 15, "\(shape.name)")
      // A run without rows shows no shape.
      if case .notAsked = shape.look(Evidence([])) {} else { Issue.record("\(shape.name) is found in nothing") }
    }
  }
}
