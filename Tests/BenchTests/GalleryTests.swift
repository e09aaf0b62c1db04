import Foundation
import StorageContract
import StorageReport
import StorageRunFiles
import Testing

@testable import StorageBench
@testable import TestSupport

/// The checks before a run is added to the gallery of machines.
@Suite struct GalleryTests {
  private static let cells = [
    SampleRun.save(SampleRun.plist, 100), SampleRun.save(SampleRun.lmdb, 100), null,
  ]
  private static let null = SampleRun.save(Spec(id: "null"), 100)

  /// The files of a run.
  private struct Parts {
    var plan = SampleRun.plan
    var environment = SampleRun.environment
    var trials: [Trial] = []
  }

  /// Creates the entry of a run with two backends and null, after a change of its parts.
  private func entry(_ change: (inout Parts) -> Void = { _ in }) throws -> GalleryEntry {
    var run = Parts()
    run.plan.cells = Self.cells.map {
      PlannedCell(cell: $0, level: .intact, engineVersion: "as above", isFloor: $0 == Self.null)
    }
    for (name, value) in ["mode": "release", "architecture": "x86_64", "swift": "6.3"] {
      run.environment.build[name] = value
    }
    run.environment.system["page size"] = "4096"
    run.environment.system["host"] = "my-computer"
    run.environment.storage["scratch"] = "/home/me/stores"
    run.trials = Self.cells.dropLast().flatMap { cell in
      (1...SampleRun.rounds).map { SampleRun.timed(cell, round: $0) } + [SampleRun.counted(cell)]
    }
    // The floor of the sample takes nanoseconds, and null takes its times.
    for round in 1...SampleRun.rounds {
      var trial = SampleRun.timed(SampleRun.save(SampleRun.memory, 100), round: round)
      trial.cell = Self.null
      run.trials.append(trial)
    }
    change(&run)
    let url = try SampleRun.write(plan: run.plan, environment: run.environment, trials: run.trials)
    defer { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
    return GalleryEntry(model: try ReportModel(reading: RunDirectory(url: url)))
  }

  @Test func `a whole run of a release build is accepted`() throws {
    let entry = try entry()
    try entry.checkRun()
    try entry.checkNullRows()
    try entry.checkDigests("/nonexistent")
  }

  @Test func `a run without all times, of a debug build or of own records is refused`() throws {
    func expectRefused(_ words: String, _ change: (inout Parts) -> Void) throws {
      let entry = try entry(change)
      expectUsageError(words) { try entry.checkRun() }
    }
    try expectRefused("debug build") { $0.environment.build["mode"] = "debug" }
    try expectRefused("without --dataset") { $0.plan.datasetHash = "d" }
    try expectRefused("run --resume") { $0.trials.removeAll { $0.cell == Self.null && $0.pass == .timed } }
    try expectRefused("has a failed row, plist/") { $0.trials[0].status = .failed }
  }

  @Test func `null has a row for each workload and is the fastest`() throws {
    let missing = try entry {
      $0.plan.cells.removeLast()
      $0.trials.removeAll { $0.cell == Self.null }
    }
    expectUsageError("no row of the backend null for save-one with 100 records") { try missing.checkNullRows() }
    let slow = try entry {
      for index in $0.trials.indices where $0.trials[index].cell == Self.null {
        $0.trials[index].timing = $0.trials[0].timing
      }
    }
    #expect { try slow.checkNullRows() } throws: { "\($0)".contains("takes as long as") }
  }

  @Test func `equal operations with another digest are found, on this machine and on another`() throws {
    let directory = TemporaryDirectory()
    let other = "\(directory.path)/other"
    try directory.makeDirectory("other")
    try entry().save(in: URL(fileURLWithPath: other))
    try entry().checkDigests(directory.path)
    func changed(_ rows: Int) throws -> GalleryEntry {
      try entry { run in
        for index in run.trials.indices.filter({ run.trials[$0].cost != nil }).prefix(rows) {
          run.trials[index].cost?.digest = "bad"
        }
      }
    }
    #expect { try changed(1).checkDigests("/nonexistent") } throws: {
      "\($0)".contains("left different data (digest d1d1) from plist/save-one/100/shipped of this run (bad)")
    }
    try changed(2).checkDigests("/nonexistent")
    #expect { try changed(2).checkDigests(directory.path) } throws: {
      "\($0)".contains("left different data (digest bad) from the gallery's \(other)/summary.csv, line 3 (d1d1)")
    }
  }

  @Test func `the files of an entry have no name of a computer and no path`() throws {
    let directory = TemporaryDirectory()
    let url = URL(fileURLWithPath: directory.path)
    try entry().save(in: url)
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
    #expect(names == GalleryEntry.names)
    for name in names {
      let text = try String(contentsOf: url.appendingPathComponent(name), encoding: .utf8)
      #expect(!text.contains("my-computer") && !text.contains("/home/me"))
    }
  }

  @Test func `counts are compared with those of the cells in both`() throws {
    let model = try entry().model
    let cost = try #require(model.rows[0].cost)
    func file(_ bytes: Int, ops: Int? = nil) throws -> CostFile {
      let counts = "bytes=\(bytes),writes=\(cost.writeCalls ?? 0),syncs=\(cost.syncsSettled ?? 0)"
      let line = "save-one,100,plist,shipped,ops=\(ops ?? cost.countedOperations),\(counts)"
      return try CostFile.parse("\(CSVText.line(CostHeader(model).fields))\n\(line)\n", path: "costs.csv")
    }
    func status(_ file: CostFile) throws -> Int32 {
      GalleryEntry.status(of: try entry().comparison(with: file, path: "costs.csv"))
    }
    let bytes = try #require(cost.bytesWrittenSettled)
    #expect(try status(file(bytes)) == 0)
    #expect(try status(file(bytes - 1)) == 2)
    #expect(try status(file(bytes + 1)) == 2)
    var other = try file(bytes)
    other.header.engines["plist"] = "another version"
    #expect(try status(other) == 3)
    #expect { try status(file(bytes, ops: 1)) } throws: { "\($0)".contains("no cell of") }
  }
}
