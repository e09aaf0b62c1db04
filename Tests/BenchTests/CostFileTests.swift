import Foundation
import StorageContract
import StorageReport
import StorageRunFiles
import StorageStatistics
import StorageTrial
import Testing

@testable import StorageBench

@Suite struct CostFileTests {
  static let text = """
    schema=1,architecture=x86_64,page_size=4096,swift=6.3,mode=release,seed=7,payload=random,engine.page=Page 1.0
    import:batch=1,100,page,shipped,ops=1,bytes=40960,writes=30,syncs=20,allocations=500
    read-one,100,page,-,ops=2000,bytes=0,writes=0,syncs=0,allocations=4000
    save-one,100,page,shipped,ops=2000,bytes=8192000,writes=4000,syncs=2000,allocations=10000
    save-one,100,page:mode=safe,durable,record_bytes=2000,cache=cold,ops=2000,bytes=8192000,writes=4000,syncs=2000
    save-one,1000,page,shipped,ops=2000,bytes=8192000,writes=4000,syncs=2000,allocations=10000

    """

  @Test func isWrittenAsItIsRead() throws {
    let file = try CostFile.parse(Self.text, path: "c.csv")
    #expect(file.text == Self.text)
    #expect(file.lines.count == 5)
    #expect(file.lines[0].cell.name == "page/import:batch=1/100/shipped")
    #expect(file.lines[3].cell.name == "page:mode=safe/save-one/100/durable/bytes=2000/cold")
    #expect(file.lines[2].counts == ["bytes": 8_192_000, "writes": 4_000, "syncs": 2_000, "allocations": 10_000])
    #expect(file.header.engines == ["page": "Page 1.0"])
    // Lines are written in sorted order.
    var shuffled = file
    shuffled.lines.reverse()
    #expect(shuffled.text == Self.text)
  }

  /// Spreadsheets write a byte order mark before UTF-8, and end lines with CRLF.
  @Test(arguments: ["\u{FEFF}\(CostFileTests.text)", "\u{FEFF}" + CostFileTests.text.replacing("\n", with: "\r\n")])
  func aMarkOfASpreadsheetIsNoPartOfTheHeader(text: String) throws {
    let directory = TemporaryDirectory()
    #expect(try CostFile.read(directory.write("c.csv", text)).text == Self.text)
  }

  @Test(arguments: [
    ("", "c.csv is empty"),
    ("schema=1,page_size=4096,seed=1,payload=random\n", "c.csv lists no cell"),
    ("workload,records\nsave-one,100,page,shipped,ops=1,bytes=1\n", "line 1 is not the header of a costs file"),
    ("schema=9,page_size=4096,seed=1,payload=random\n", "line 1: this is schema version 9, this build reads 1"),
    ("schema=1,page_size=4096,payload=random\n", "line 1 has no seed="),
    ("H\nsave-one,100,page\n", "line 2 is not a cell"),
    ("H\nsave-one,none,page,shipped,ops=1,bytes=1\n", "line 2 is not a cell"),
    ("H\nsave-one,100,page,shiped,ops=1,bytes=1\n", "line 2: unknown durability 'shiped'; the nearest is 'shipped'"),
    ("H\nsave-one,100,page,shipped,ops=0,bytes=1\n", "line 2: the number of operations (ops=) is missing or 0"),
    ("H\nsave-one,100,page,shipped,bytes=1\n", "line 2: the number of operations (ops=) is missing or 0"),
    ("H\nsave-one,100,page,shipped,ops=1\n", "line 2 has no count"),
    ("H\nsave-one,100,page,shipped,ops=1,bytes=-1\n", "line 2: 'bytes=-1' is not a count"),
    ("H\nsave-one,100,page,shipped,ops=1,bytes=1,bytes=2\n", "line 2: 'bytes=2' is not a count, or is given twice"),
    ("H\nsave-one,100,page,shipped,ops=1,byte=1\n", "line 2: unknown field 'byte'; the nearest is 'bytes'"),
    ("H\nsave-one,100,page,shipped,ops=1,bytes=1\nsave-one,100,page,shipped,ops=1,bytes=1\n", "is already on line 2"),
    ("H\nsave-one,100,\"page,shipped\n", "c.csv, line 2, column 3: this quote is never closed"),
    ("schema=1,page_size=4096,seed=1,payload=random,swift=6.3\"\n", "line 1: a field has a quotation mark inside"),
    ("\"schema=1\";\"page_size=4096\";\"seed=1\"\n", "c.csv, line 1: the fields are separated by ';'"),
    ("schema=1;page_size=4096;seed=1\n", "c.csv, line 1: the fields are separated by ';'; save it with commas"),
    ("schema=1,page_size=4096,seed=abc,payload=random\n", "line 1: seed=abc is not usable; write a whole number"),
    ("schema=1,page_size=4096,seed=1,payload=fnord\n", "line 1: payload=fnord is not usable; write random or text"),
    ("schema=1,page_size=-1,seed=1,payload=random\n", "line 1: page_size=-1 is not usable; write a number of bytes"),
    ("schema=1,page_size=4096,payload=random,seed\n", "line 1 has no seed="),
    ("H,seed=1\n", "line 1: seed= is given twice"), ("H,mode=fast\n", "line 1: mode=fast is not usable"),
    ("H,engine.lmdb=1,engine.lmdb=2\n", "line 1: engine.lmdb= is given twice"),
    ("H,colour=red\n", "line 1: unknown fact 'colour'"), ("H,swift\n", "line 1: 'swift' is not of the form NAME=VALUE"),
  ])
  func whatIsWrongIsNamed(text: String, message: String) {
    let text = text.replacing(/^H/, with: "schema=1,page_size=4096,seed=1,payload=random")
    expectUsageError(message) { try CostFile.parse(text, path: "c.csv") }
  }

  // MARK: - Judging

  private let catalog = Catalog.page

  /// Returns a run with the counts of the file, apart from a change.
  static func model(
    _ file: CostFile, mode: String = "release", pageSize: String = "4096",
    change: (inout SummaryRow) -> Void = { _ in }
  ) -> ReportModel {
    let rows = file.lines.map { line -> SummaryRow in
      let writes = line.cell.durability != nil
      var row = SummaryRow(
        cell: line.cell, machine: "m", run: "r", level: writes ? .intact : nil, engineVersion: "Page 1.0",
        fidelity: .native, seed: 7)
      var cost = Cost(countedOperations: line.operations)
      cost.bytesChanged = writes ? 108 * line.operations : nil
      cost.bytesWrittenSettled = line.counts["bytes"]
      cost.writeCalls = line.counts["writes"]
      cost.syncsSettled = line.counts["syncs"]
      cost.allocations = line.counts["allocations"]
      row.cost = cost
      change(&row)
      return row
    }
    return ReportModel(
      directory: RunDirectory(path: "/nowhere"), plan: Plan(seed: 7, rounds: 0, cells: []),
      environment: MachineEnvironment(
        machine: "m", system: ["page size": pageSize],
        build: ["architecture": "x86_64", "swift": "6.3", "mode": mode]), rows: rows, trials: rows.count)
  }

  private func comparison(
    tolerances: [String] = [], mode: String = "release", pageSize: String = "4096", text: String = text,
    change: (inout SummaryRow) -> Void = { _ in }
  ) throws -> Comparison {
    let file = try CostFile.parse(text, path: "c.csv")
    let original = try CostFile.parse(Self.text, path: "c.csv")
    return try CostCheck(
      file: file, path: "c.csv", tolerances: Tolerances(tolerances, metrics: Measure.committed)
    ).comparison(Self.model(original, mode: mode, pageSize: pageSize, change: change))
  }

  private static let large = "page/save-one/1000/shipped"

  /// Compares the file with a run that counted so many more in one cell.
  private func comparison(
    adding more: Int, to count: WritableKeyPath<Cost, Int?>, tolerances: [String] = []
  ) throws -> Comparison {
    try comparison(tolerances: tolerances) {
      if $0.cell.name == Self.large { $0.cost?[keyPath: count]? += more }
    }
  }

  @Test(arguments: [\.bytesWrittenSettled, \.writeCalls, \.syncsSettled] as [WritableKeyPath<Cost, Int?> & Sendable])
  func oneMoreOfAnythingIsSeen(count: WritableKeyPath<Cost, Int?> & Sendable) throws {
    for (step, verdict, status) in [(1, ChangeVerdict.more, ExitStatus.regression), (-1, .fewer, ExitStatus.ok)] {
      let comparison = try comparison(adding: step, to: count)
      #expect(comparison.judgements(verdict).map(\.name) == [Self.large])
      #expect(comparison.status() == status)
      #expect(comparison.notes.contains { $0.hasPrefix("Lower than committed: lock it in") } == (step < 0))
      #expect(comparison.notes.contains { $0.hasPrefix("If the change is meant: 'check ") } == (step > 0))
    }
  }

  @Test func allocationsMayVaryByOnePercent() throws {
    for (count, verdict) in [(10_100, ChangeVerdict.same), (10_101, .more), (9_900, .same), (9_899, .fewer)] {
      let comparison = try comparison { if $0.cell.name == Self.large { $0.cost?.allocations = count } }
      #expect(comparison.judgements.last?.verdict == verdict, "\(count)")
    }
    func status(_ tolerance: String, _ more: Int, of count: WritableKeyPath<Cost, Int?>) throws -> Int32 {
      try comparison(adding: more, to: count, tolerances: [tolerance]).status()
    }
    #expect(try status("allocations=3%", 300, of: \.allocations) == ExitStatus.ok)
    #expect(try status("allocations=3%", 301, of: \.allocations) == ExitStatus.regression)
    // Also accepted: the name of the column.
    #expect(try status("syncs_settled=10", 200, of: \.syncsSettled) == ExitStatus.ok)
    #expect(try status("syncs=10", 201, of: \.syncsSettled) == ExitStatus.regression)
  }

  @Test func anotherBuildModeLeavesAllocationsOut() throws {
    let comparison = try comparison(mode: "debug") { $0.cost?.allocations? *= 2 }
    #expect(comparison.status() == ExitStatus.ok)
    #expect(comparison.notes == ["Allocations are not compared: mode release there, debug here."])
  }

  @Test func anotherEngineOrPageSizeIsNotJudged() throws {
    let engine = try comparison { $0.engineVersion = "Page 2.0" }
    #expect(engine.judgements(.unmeasurable).count == 5)
    #expect(engine.judgements[0].note == "counted with Page 1.0, this is Page 2.0")
    #expect(engine.status() == ExitStatus.unjudged)
    #expect(engine.notes.contains { $0.contains("--update") })
    // More syncs are not judged either, because the new version of the engine may cause them.
    #expect(
      try comparison {
        $0.engineVersion = "Page 2.0"
        $0.cost?.syncsSettled? += 5
      }.status() == ExitStatus.unjudged)
    #expect(try comparison(pageSize: "16384").status() == ExitStatus.unjudged)
  }

  /// `check FILE --update` counts the file's own cells again only if no option chooses others.
  @Test func everyOptionOfCellsChoosesThemOrDoesNot() throws {
    let choosing = [
      "--backend=plist", "--workload=save-one", "--records=5", "--durability=crash", "--record-bytes=8", "--threads=2",
      "--cache=cold", "--aged=1", "--memory=64MiB", "--dataset=a.csv",
    ]
    let others = [
      "--skip=a", "--payload=text", "--map=id=ID", "--rounds=6", "--trial-time=5ms", "--cell-limit=1m", "--seed=2",
      "--scratch=d",
    ]
    for option in choosing { #expect(try CellOptions.parse([option]).choosesCells, "\(option)") }
    for option in others { #expect(try !CellOptions.parse([option]).choosesCells, "\(option)") }
    let known = Set((choosing + others).map { String($0.prefix { $0 != "=" }) })
    #expect(try known.isSuperset(of: CommandTree(of: CellOptions.self).flags.map(\.flag).filter { $0 != "--help" }))
  }

  @Test func aFailedCellIsAFailure() throws {
    let comparison = try comparison {
      if $0.cell.name == Self.large {
        $0.status = .failed
        $0.note = "killed by signal 11"
      }
    }
    #expect(comparison.judgements(.failed).map(\.note) == ["killed by signal 11"])
    #expect(comparison.status() == ExitStatus.failed)
  }

  @Test func zerosThatCannotBeNeverPass() throws {
    let file = Self.text.replacing(
      "save-one,1000,page,shipped,ops=2000,bytes=8192000", with: "save-one,1000,page,shipped,ops=2000,bytes=0")
    expectUsageError("c.csv, line 6: bytes=0 is impossible") { try comparison(text: file) }
    // The counters of this build do not work.
    let broken = try comparison { $0.cost?.syncsSettled = 0 }
    #expect(broken.judgements(.failed).count == 4)
    #expect(broken.status() == ExitStatus.failed)
    #expect(broken.judgements(.same).map(\.name) == ["page/read-one/100/-"])
  }

  @Test(arguments: [
    ("save-one,100,page,shipped,ops=2000", nil), ("save-one,100,pag,shipped,ops=2000", "unknown backend 'pag'"),
    ("save-two,100,page,shipped,ops=2000", "unknown workload 'save-two'"),
    ("save-one,100,page:mode=fast,shipped,ops=2000", "page:mode=fast/save-one/100/shipped gives an option its default"),
    ("save-one,100,page,-,ops=2000", "save-one saves; write its durability"),
    ("read-one,100,page,shipped,ops=2000", "read-one only reads and has no durability; write - in its place"),
    ("save-one,100,page,shipped,ops=8", "ops=8, but this build counts 2000 operations"),
  ])
  func listedCellsThatCannotBeRunAreRefused(line: String, refusal: String?) throws {
    let file = try CostFile.parse("\(Self.text.prefix { $0 != "\n" })\n\(line),bytes=1\n", path: "c.csv")
    let check = CostCheck(file: file, path: "c.csv", tolerances: Tolerances())
    let builder = try PlanBuilder(catalog: catalog, cells: CellOptions.parse([]), profile: .counts)
    if let refusal {
      expectUsageError("c.csv, line 2: \(refusal)") { try check.plannedCells(builder) }
    } else {
      #expect(try check.plannedCells(builder).map(\.cell.name) == ["page/save-one/100/shipped"])
    }
  }

  @Test func updatingKeepsTheOtherCells() throws {
    let old = try CostFile.parse(Self.text, path: "c.csv")
    var part = old
    part.lines = [old.lines[2]]
    let update = CostUpdate(path: "c.csv", old: old)
    let (same, none) = try update.updated(Self.model(part))
    #expect(same.text == old.text)
    #expect(none.isEmpty)
    let (changed, changes) = try update.updated(Self.model(part) { $0.cost?.syncsSettled = 4_000 })
    #expect(changed.lines.count == 5)
    #expect(changes == ["page/save-one/100/shipped: syncs=2000 -> syncs=4000"])
    // Allocations may differ by 1 %. Smaller changes are not reported, even if another count has changed.
    let allocations = try #require(part.lines[0].counts["allocations"])
    for (more, said) in [(2, []), (allocations, ["allocations=\(allocations) -> allocations=\(2 * allocations)"])] {
      let (_, changes) = try update.updated(
        Self.model(part) {
          $0.cost?.syncsSettled = 4_000
          $0.cost?.allocations = allocations + more
        })
      let sentence = (["syncs=2000 -> syncs=4000"] + said).joined(separator: ", ")
      #expect(changes == ["page/save-one/100/shipped: \(sentence)"])
    }
    // The lines that are kept were counted with another version of the engine, and the header has room for one.
    expectUsageError("counted with Page 1.0 instead of Page 2.0") {
      try update.updated(Self.model(part) { $0.engineVersion = "Page 2.0" })
    }
    #expect(throws: ExitStatus.Failure.self) { try update.updated(Self.model(part) { $0.status = .failed }) }
    let (new, all) = try CostUpdate(path: "c.csv", old: nil).updated(Self.model(old))
    #expect(new.lines.map(\.fields) == old.lines.sorted().map(\.fields))
    #expect(all.isEmpty)
  }

  @Test func selectionTakesPartsAndNeverNothing() throws {
    let file = try CostFile.parse(Self.text, path: "c.csv")
    func chosen(_ arguments: String...) throws -> [String] {
      try file.lines(selectedBy: CellOptions.parse(arguments), catalog: catalog, path: "c.csv").map(\.cell.name)
    }
    #expect(try chosen().count == 5)
    #expect(try chosen("-w", "read-*") == ["page/read-one/100/-"])
    #expect(try chosen("-w", "save-one", "-n", "1k") == [Self.large])
    #expect(try chosen("-b", "page:mode=safe") == ["page:mode=safe/save-one/100/durable/bytes=2000/cold"])
    #expect(try chosen("--skip", "*/save-one/*", "--skip", "*import*") == ["page/read-one/100/-"])
    #expect(try chosen("--cache", "cold") == ["page:mode=safe/save-one/100/durable/bytes=2000/cold"])
    #expect(try chosen("--aged", "0", "--memory", "all").count == 5)
    expectUsageError("--skip '*import*' matches no cell; cells are named like page/read-one/100/-") {
      try chosen("-w", "read-*", "--skip", "*import*")
    }
    expectUsageError("c.csv lists no cell with --backend page:size=1MiB; correct --backend") {
      try chosen("-b", "page:size=1MiB")
    }
    // A selection without lines in the file must not pass.
    for arguments in [
      ["-n", "100,10k"], ["-w", "iterate"], ["--durability", "crash"], ["--skip", "*"], ["--aged", "10"],
      ["--memory", "64MiB"], ["--threads", "9"],
    ] {
      let options = try CellOptions.parse(arguments)
      #expect(throws: UsageError.self, "\(arguments)") {
        try file.lines(selectedBy: options, catalog: catalog, path: "c.csv")
      }
    }
  }
}
