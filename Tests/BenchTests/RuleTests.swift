import Foundation
import StorageContract
import StorageReport
import StorageRunFiles
import StorageStatistics
import Testing

@testable import StorageBench

@Suite struct RuleTests {
  @Test func rulesAreReadWithTheirLines() throws {
    let rules = try RuleFile.parse(
      """
      # what we promise ourselves
      rules:
        - sqlite/read-one/10000/- p50 <= 5 x lmdb/read-one/10000/-
        - "plist/save-one/10000/durable syncs == 2"
        - sqlite/save-one/1000/shipped p99 < 20ms
        - a/save-one/1/shipped  bytes_written  >=   64KiB
        - a/save-one/1/shipped ops > b/save-one/1/shipped

      """, path: "r.yaml")
    #expect(rules.map(\.location) == (3...7).map { "r.yaml, line \($0)" })
    #expect(rules[3].text == "a/save-one/1/shipped bytes_written >= 64KiB")
    #expect(rules.map(\.template) == ["lmdb/read-one/10000/-", nil, nil, nil, "b/save-one/1/shipped"])
    #expect(rules.map(\.bound) == [5, 2, 20e6, 65_536, 1])
    #expect(rules.map(\.comparator) == [.atMost, .equal, .less, .atLeast, .more])
    // In costs.csv, two counts have shorter names. `syncs` has the meaning of summary.csv.
    let names = ["bytes", "writes", "syncs"].map { "  - a/save-one/1/shipped \($0) == 2\n" }.joined()
    #expect(
      try RuleFile.parse("rules:\n\(names)", path: "r.yaml").map(\.metric.name)
        == ["bytes_written_settled", "write_calls", "syncs"])
  }

  @Test(arguments: [
    ("", "has no list 'rules:'"), ("rules: []\n", "has no rules"), ("rule:\n  - a\n", "unknown key 'rule'"),
    ("rules:\n  - [a, b]\n", "line 2: a rule must be a string"), ("rules:\n  - 'a\n", "is not YAML"),
    ("rules:\n  - a/b/1/- p50 < 5ms\nrules: []\n", "key 'rules' is given twice"),
    ("rules:\n  - a/b/1/- p50 < 5ms\u{1}\n", "has a character that YAML forbids"),
    ("rules:\n  - a/b/1/- p50\n", "line 2: 'a/b/1/- p50' has 2 words"),
    ("rules:\n  - ab p50 < 5ms\n", "'ab' is not a cell's name"),
    ("rules:\n  - a/b/1/- p51 < 5ms\n", "unknown metric 'p51'; the nearest is 'p50'"),
    ("rules:\n  - a/b/1/- p50 =< 5ms\n", "unknown comparison '=<'"),
    ("rules:\n  - a/b/1/- p50 < 5\n", "'5' is neither a cell's name nor a value of p50; write it like 5ms"),
    ("rules:\n  - a/b/1/- syncs < two\n", "'two' is neither a cell's name nor a value of syncs; write it like 2"),
    ("rules:\n  - a/b/1/- syncs < inf\n", "'inf' is neither"),
    ("rules:\n  - a/b/1/- p50 < 0 x a/b/1/-\n", "'0 x' is not a factor"),
    ("rules:\n  - a/b/1/- p50 < 2 * a/b/1/-\n", "'2 *' is not a factor"),
    ("rules:\n  - a/b/1/- p50 < 2 x 5ms\n", "'5ms' is not a cell's name"),
    ("rules:\n  - a/b/1/- p50 < a*/b/1/-\n", "'a*/b/1/-' on the right must name one cell"),
    ("rules:\n  - a/b/1/- p50 < {a,c}/b/1/-\n", "'{a,c}/b/1/-' on the right must name one cell"),
    ("rules:\n  - '{a/b,c}/1/- p50 < 5ms'\n", "'{a/b,c}/1/-' is not a cell's name"),
    ("rules:\n  - '{a,c/b/1/- p50 < 5ms'\n", "line 2: braces are nested or not in pairs"),
    ("rules:\n  - 'a\(String(repeating: "{a,b}", count: 40))/b/1/- p50 < 5ms'\n", "stand for more than 1,000 patterns"),
    ("rules:\n  - */b/1/- p50 < 5ms\n", "quote rules that begin with * or {"),
    ("rules:\n  - {a,c}/b/1/- p50 < 5ms\n", "quote rules that begin with * or {"),
  ])
  func whatIsWrongIsNamed(text: String, message: String) {
    expectUsageError(message) { try RuleFile.parse(text, path: "r.yaml") }
  }

  // MARK: - Judging

  /// Judges a rule on a run in which b takes 1,000 ns and a takes that times a factor, which may differ by round.
  private func judge(_ rule: String, rounds: Int = 12, factors: [Double] = [3], isDisturbed: Bool = false) throws
    -> Judgement
  {
    let directory = TemporaryDirectory()
    let cells = [
      PlannedCell.sample("a", "save-one"), PlannedCell.sample("b", "save-one"),
      PlannedCell.sample("c", "save-one", refusal: .init(status: .notAvailable, note: "missing")),
      PlannedCell.sample("d", "save-one"),
    ]
    let run = try directory.begin(Plan(rounds: rounds, cells: cells))
    let journal = try Journal(run)
    for round in 1...rounds {
      // In every other round the machine is twice as slow, for both cells.
      let drift = round.isMultiple(of: 2) ? 2_000.0 : 1_000
      var timing = Timing.sample(drift * factors[round % factors.count])
      if isDisturbed { timing.interference = Interference(window: 100_000_000, waited: 50_000_000) }
      try journal.append(.sample(cells[0].cell, round: round, timing: timing))
      try journal.append(.sample(cells[1].cell, round: round, timing: .sample(drift)))
    }
    try journal.append(.sample(cells[3].cell, round: 1, status: .failed, note: "killed"))
    for (cell, syncs) in [(cells[0], 4_000), (cells[1], 2_001)] {
      var cost = Cost(countedOperations: 2_000)
      cost.syncs = syncs
      try journal.append(.sample(cell.cell, .cost, cost: cost))
    }
    return try Self.check([rule], run).judgements[0]
  }

  /// Judges rules on a run.
  private static func check(_ rules: [String], _ run: RunDirectory) throws -> Comparison {
    let rules = try rules.enumerated().map { try Rule($1, location: "r.yaml, line \($0 + 1)") }
    return try RuleCheck(rules: rules, path: "r.yaml").comparison(ReportModel(reading: run))
  }

  private let a = PlannedCell.sample("a", "save-one").cell.name
  private let b = PlannedCell.sample("b", "save-one").cell.name

  /// Interference makes operations slower and reduces their number. A rule holds if it holds in spite of this.
  @Test func ofADisturbedRowOnlyAnUpperLimitOfATimeHolds() throws {
    for (rule, verdict) in [
      ("p50 < 1h", ChangeVerdict.holds), ("p50 <= 1h", .holds), ("ops > 1", .holds), ("ops >= 1", .holds),
      ("p50 > 1ns", .unmeasurable), ("p50 < 1ns", .unmeasurable), ("p50 >= 1ns", .unmeasurable),
      ("ops < 1000000000", .unmeasurable), ("ops > 1000000000", .unmeasurable), ("p50 <= 1000 x \(b)", .unmeasurable),
      ("syncs == 2", .holds),
    ] {
      #expect(try judge("\(a) \(rule)", isDisturbed: true).verdict == verdict, "\(rule)")
    }
    #expect(try judge("\(a) p50 > 1ns").verdict == .holds && judge("\(a) p50 < 1ns").verdict == .broken)
    #expect(try judge("\(b) p50 > 1ns", isDisturbed: true).verdict == .holds, "another row was disturbed")
    #expect(try judge("\(a) p50 < 1ns", isDisturbed: true).note.contains("waited for a processor, for 50 %"))
  }

  @Test func timesOfTwoCellsAreComparedRoundByRound() throws {
    // In spite of a drift by a factor of two, the ratio is exactly 3.
    for (rule, verdict) in [
      ("<= 3 x", ChangeVerdict.holds), ("<= 2.9 x", .broken), ("< 3.1 x", .holds), (">= 3.1 x", .broken),
      (">= 3 x", .holds), ("== 3 x", .holds), ("== 2.9 x", .broken), ("> 2 x", .holds),
    ] {
      #expect(try judge("\(a) p50 \(rule) \(b)").verdict == verdict, "\(rule)")
    }
    #expect(try judge("\(b) p50 < \(a)").verdict == .holds)
    #expect(try judge("\(a) p50 < \(b)").verdict == .broken)
  }

  @Test func tooFewRoundsSayNothing() throws {
    let five = try judge("\(a) p50 < 1us", rounds: 5)
    #expect(five.verdict == .unmeasurable)
    #expect(five.note == "p50 rests on 5 rounds, and is judged from 6 on")
    #expect(try judge("\(a) p50 < 1us", rounds: 6).verdict == .broken)
    // These trials have no percentiles of single operations.
    let short = try judge("\(a) p99 < 1us")
    #expect(short.verdict == .unmeasurable)
    #expect(
      short.note == "p99 rests on 0 rounds, and is judged from 6 on; the trials have too few operations for it: "
        + "give a longer --trial-time")
    // A longer trial time is no remedy for missing rounds.
    #expect(try !judge("\(a) p99 < 1us", rounds: 5).note.contains("--trial-time"))
  }

  @Test func whatScattersIsNotJudged() throws {
    // The interval is 3 to 6 µs.
    #expect(try judge("\(a) p50 < 4us").verdict == .unmeasurable)
    #expect(try judge("\(a) p50 < 3 x \(b)", factors: [1, 2, 3, 4, 5, 6]).verdict == .unmeasurable)
    #expect(try judge("\(a) p50 < 0.5 x \(b)", factors: [1, 2, 3, 4, 5, 6]).verdict == .broken)
  }

  @Test func countsAreJudgedExactlyAndPerOperation() throws {
    #expect(try judge("\(a) syncs == 2").verdict == .holds)
    #expect(try judge("\(a) syncs < 2").verdict == .broken)
    #expect(try judge("\(b) syncs == 1.0005").verdict == .holds)
    #expect(try judge("\(a) syncs <= 2 x \(b)").verdict == .holds)
    #expect(try judge("\(a) syncs >= 2 x \(b)").verdict == .broken)
    #expect(try judge("\(a) opens == 0").verdict == .unmeasurable)
  }

  @Test func cellsWithoutFiguresNeverPass() throws {
    #expect(try judge("c/save-one/100/shipped syncs == 0").verdict == .unmeasurable)
    #expect(try judge("d/save-one/100/shipped p50 < 1s").verdict == .failed)
    #expect(try judge("\(a) p50 < d/save-one/100/shipped").verdict == .failed)
    let error = #expect(throws: UsageError.self) { try judge("e/save-one/100/shipped p50 < 1s") }
    #expect(error?.description.contains("r.yaml, line 1") == true)
    #expect(error?.description.contains("has no cell 'e/save-one/100/shipped'; the nearest is") == true)
  }

  // MARK: - Patterns and quotients

  /// Judges rules on a run that counted 10 operations of cells with these bytes written per operation, each of which
  /// changed 10 bytes in a file of 400. A cell without bytes cannot be run.
  private func judge(_ rules: [String], _ bytes: KeyValuePairs<String, Int?>) throws -> Comparison {
    let directory = TemporaryDirectory()
    let cells = bytes.map { name, bytes in
      let parts = Rule.parts(name)
      return PlannedCell.sample(
        parts[0], parts[1], records: Int(parts[2]) ?? 0, durability: Durability(rawValue: parts[3]),
        refusal: bytes == nil ? .init(status: .notAvailable, note: "missing") : nil)
    }
    let run = try directory.begin(Plan(rounds: 0, cells: cells))
    let journal = try Journal(run)
    for (planned, bytes) in zip(cells, bytes.map(\.value)) {
      guard let bytes else { continue }
      var cost = Cost(countedOperations: 10)
      cost.bytesWrittenSettled = 10 * bytes
      cost.bytesChanged = planned.cell.durability == nil ? 0 : 100
      cost.fileBytes = 400
      try journal.append(.sample(planned.cell, .cost, cost: cost))
    }
    return try Self.check(rules, run)
  }

  private let run: KeyValuePairs<String, Int?> = [
    "a/save-one/100/shipped": 400, "a/save-one/1000/shipped": 500, "b/save-one/100/shipped": 200,
    "c/save-one/100/shipped": nil, "a/read-one/100/-": 0,
  ]

  @Test func theWorstCellOfAPatternDecides() throws {
    let comparison = try judge(
      [
        "{a,b}/save-one/100/shipped bytes <= 300", "*/save-one/*/shipped bytes <= 600",
        "{a,c}/save-one/100/shipped bytes <= 600", "a/save-one/*/shipped bytes >= 500",
      ], run)
    #expect(comparison.judgements.map(\.verdict) == [.broken, .holds, .unmeasurable, .broken])
    #expect(
      comparison.judgements.map(\.note) == [
        "a/save-one/100/shipped: 400 against 300 (+33 %); broken in 1 of 2 cells",
        "a/save-one/1000/shipped: 500 against 600 (-17 %); the closest of 3 cells",
        "c/save-one/100/shipped is n/a: missing",
        "a/save-one/100/shipped: 400 against 500 (-20 %); broken in 1 of 2 cells",
      ])
    #expect(comparison.notes == ["Patterns leave out 1 cell that cannot be run: c/save-one/100/shipped (missing)."])
    #expect(comparison.testSuite.cases.map(\.name) == comparison.judgements.map(\.name))
    #expect(comparison.testSuite.cases.count == 4, "one test case for each rule")
  }

  @Test func theRightSideTakesPartsOfTheJudgedCell() throws {
    let comparison = try judge(
      ["*/save-one/100/shipped bytes <= 2 x b/*/*/*", "a/save-one/1000/* bytes <= a/*/100/*"], run)
    #expect(comparison.judgements.map(\.verdict) == [.holds, .broken])
    #expect(comparison.judgements[1].note == "a/save-one/1000/shipped: 500 against 400 (+25 %)")
    let rule = try Rule("a/b/1/-/cold p50 < x/*/*/*/*", location: "")
    #expect(rule.other(of: "a/b/1/-/cold") == "x/b/1/-/cold")
    expectUsageError("has no cell 'b/save-one/1000/shipped'; the nearest is") {
      try judge(["a/save-one/*/shipped bytes <= b/*/*/*"], run)
    }
  }

  @Test func bytesAreDividedByWhatChangedAndByTheFile() throws {
    let comparison = try judge(
      [
        "a/save-one/100/shipped amplification == 40", "a/save-one/100/shipped rewrite_share == 1",
        "a/save-one/1000/shipped rewrite_share <= 1.2", "b/save-one/100/shipped amplification < 20",
      ], run)
    #expect(comparison.judgements.map(\.verdict) == [.holds, .holds, .broken, .broken])
    #expect(comparison.judgements[2].note == "1.25 against 1.2 (+4.2 %)")
  }

  @Test(arguments: [
    (
      "a/read-one/100/- amplification < 2",
      "r.yaml, line 1: a/read-one/100/- only reads and has no amplification; name a workload that saves"
    ),
    ("a/*/100/* rewrite_share < 2", "a/read-one/100/- only reads and has no rewrite_share"),
    ("{a,x}/save-one/*/shipped bytes < 2", "has no cell that matches 'x/save-one/*/shipped'; one of its cells is 'a/"),
  ])
  func aCellWithoutTheFigureIsRefused(rule: String, message: String) {
    expectUsageError(message) { try judge([rule], run) }
  }
}
