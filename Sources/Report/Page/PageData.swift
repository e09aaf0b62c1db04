import Foundation
import StorageContract
import StorageRunFiles
import StorageStatistics

/// What the script of a run's page works on: rows, and the curves that advice is read off, as the report has them.
///
/// Texts that many rows share stand once in ``texts``. Figures have nine significant digits.
struct PageData {
  /// A column of the matrix.
  struct Backend: Encodable {
    let name: String
    /// The class that gives it its colour in charts, and its dashes.
    let css: String
    let dashes: String?
  }

  /// A line of the matrix: the same work on as many records.
  struct Line: Encodable {
    /// The workload, with what differs from 100 bytes, 1 thread and warm.
    let work: String
    /// The same with the number of records.
    let task: String
    let records: Int
  }

  /// A row of `summary.csv`.
  struct Row: Encodable {
    /// Places in ``lines`` and ``backends``.
    let line: Int
    let backend: Int
    let cell: String
    let durability: Durability?
    let level: Level?
    /// `ok`, `FAILED`, `n/a` or `skipped`.
    let status: String
    /// Nanoseconds.
    let time: Double?
    let isRanked: Bool?
    let canWin: Bool?
    let isTimedOnce: Bool?
    /// `x1`, `batched` and the like.
    let marks: [String]?
    /// Places in ``texts``.
    let settings: Int
    let note: Int
    /// The fields of ``columns``, as they stand in `summary.csv`, commas between them.
    let exact: String
    /// What tells `storage-bench run` to measure this cell.
    let arguments: String
    let rounds: Rounds?
  }

  /// What each round measured, in nanoseconds.
  struct Rounds: Encodable {
    let times: [Double]
    /// Where they are not 1, 2, 3...
    let numbers: [Int]?
    /// Where others of the line were timed in batches, with which means are compared.
    let means: [Double]?
    /// Where not all were timed singly.
    let batched: [Bool]?
    /// Differences below are the timer's own: one for each round, or one for all.
    let resolutions: [Double]
  }

  /// See `GrowthFit`: laws of constant, coefficient and exponent. They are bent through the times of the series' rows.
  struct Fit: Encodable {
    let hasConstant: Bool
    let law: [Double]
    /// The rounds that have laws of their own, and these.
    let rounds: [Int]
    let laws: [[Double]]
  }

  /// One kind of operation of one backend over N.
  struct Series: Encodable {
    let name: String
    let backend: String
    let durability: Durability?
    let level: Level?
    let isNative: Bool
    let isWholeFile: Bool
    /// Why it is out, where a cell failed.
    let failed: String?
    let note: String
    let afterPowerCut: String
    let stake: String
    /// The rows with a time, by ascending N: places in ``PageData/rows``.
    let timed: [Int]
    let fit: Fit?
  }

  /// Who competes in a ranking.
  struct Contest: Encodable {
    let durability: Durability?
    let level: Level?
    /// Places in ``Advice/saves``.
    let series: [Int]
  }

  /// What advice is read off.
  struct Advice: Encodable {
    let saves: [Series]
    let reads: [Series]
    let launches: [Series]
    let loading: [Series]
    let contests: [Contest]
    /// Payload bytes of the saves' records.
    let recordBytes: Int?
    /// What makes all of the run's figures doubtful.
    let warning: String?
  }

  /// The workload that the chart begins with.
  let signature = CostSeries.signature
  let backends: [Backend]
  let lines: [Line]
  let rows: [Row]
  let texts: [String]
  let columns: [String]
  /// The program that made the run.
  let program: String
  /// What tells its `run` how this run was measured.
  let arguments: String
  /// Nil where the run has no saves.
  let advice: Advice?
  /// What marks and words say, by them.
  let terms = Dictionary(uniqueKeysWithValues: Term.allCases.map { ($0.rawValue, $0.words) })

  /// The text that stands in the page.
  ///
  /// - Throws: What the encoder throws, for figures that JSON does not have.
  func text() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var text = ""
    var object = try JSONPieces(encoder) { text += $0 }
    try object.member("advice", advice)
    try object.member("arguments", arguments)
    try object.member("backends", backends)
    try object.member("columns", columns)
    try object.list("lines", lines)
    try object.member("program", program)
    try object.list("rows", rows)
    try object.member("signature", signature)
    try object.member("terms", terms)
    try object.member("texts", texts)
    try object.end()
    return text
  }
}

extension PageData {
  /// Takes what the page needs from a run.
  init(_ model: ReportModel) {
    var texts: [String] = []
    var places: [String: Int] = [:]
    func place(_ text: String) -> Int {
      if let place = places[text] { return place }
      places[text] = texts.count
      texts.append(text)
      return texts.count - 1
    }
    let backendPlaces = Dictionary(uniqueKeysWithValues: model.backends.enumerated().map { ($1, $0) })
    var lines: [Line] = []
    var rows: [Row] = []
    var rowPlaces: [String: Int] = [:]
    let timed = model.rows.filter { $0.typicalTime != nil }.grouped(by: \.cell.workload)
    let mixed = Set(timed.filter { Set($0.members.map(\.isBatched)).count > 1 }.map(\.key))
    let columns = SummaryColumn.all.filter { Self.shown.contains($0.name) }
    for (_, groups) in model.groups.grouped(by: \.task) {
      let first = groups[0]
      lines.append(
        Line(
          work: (["\(first.workload)"] + first.shape).joined(separator: ", "), task: first.task,
          records: first.records))
      // A row takes part in several groups; see `Competition`.
      let isMixed = mixed.contains(first.workload)
      for row in groups.flatMap(\.rows) where rowPlaces[Self.key(row)] == nil {
        rowPlaces[Self.key(row)] = rows.count
        let isRanked = ComparisonGroup.isRanked(row)
        rows.append(
          Row(
            line: lines.count - 1, backend: backendPlaces[row.cell.backend] ?? 0, cell: row.cell.name,
            durability: row.cell.durability, level: row.level, status: Phrases.refusal(row) ?? "ok",
            time: row.typicalTime.map { Self.number($0) }, isRanked: isRanked ? true : nil,
            canWin: ComparisonGroup.canWin(row) ? true : nil, isTimedOnce: row.isTimedOnce ? true : nil,
            marks: Self.marks(row, isRanked), settings: place(row.settings), note: place(row.note),
            exact: columns.map { $0.text(row) }.joined(separator: ","), arguments: RepeatCommand.cell(row.cell),
            rounds: Self.rounds(row, hasMeans: isMixed)))
      }
    }
    backends = model.backends.enumerated().map { index, backend in
      let mark = SeriesMark(index: index)
      let isLookalike = model.rows.contains { $0.cell.backend == backend && $0.fidelity == .lookalike }
      return Backend(name: Phrases.name(backend, isLookalike: isLookalike), css: mark.css, dashes: mark.dashes)
    }
    (self.lines, self.rows, self.texts) = (lines, rows, texts)
    self.columns = columns.map(\.name)
    program = model.plan.program
    arguments = RepeatCommand.run(model.plan)
    advice = Self.advice(model, rowPlaces)
  }

  /// What a reader is shown of a row, beside its settings and its note.
  private static let shown = Set(
    [
      "level", "processes", "operations", "p50_ns", "p50_low_ns", "p50_high_ns", "p90_ns", "p99_ns", "p999_ns",
      "max_ns",
      "ops_per_s", "counted_operations", "findings",
    ] + Measure.all.filter(\.isOnPage).map(\.column))

  private static func marks(_ row: SummaryRow, _ isRanked: Bool) -> [String]? {
    let marks = [
      row.status == .ok && !isRanked && row.typicalTime != nil ? "floor" : nil, row.isTimedOnce ? "x1" : nil,
      row.isBatched ? "batched" : nil, Phrases.mark(row),
    ].compactMap { $0 }
    return marks.isEmpty ? nil : marks
  }

  /// Nine digits are more than any clock has, and half as long as all.
  private static func number(_ value: Double, digits: Int = 9) -> Double {
    Double(NumberFormat.printed("%.*g", digits, value)) ?? value
  }

  private static func rounds(_ row: SummaryRow, hasMeans: Bool) -> Rounds? {
    guard !row.rounds.isEmpty else { return nil }
    let (numbers, timings) = (row.rounds.keys, row.rounds.values)
    let resolutions = timings.map { number($0.resolution, digits: 4) }
    return Rounds(
      times: timings.map { number($0.typical) },
      numbers: numbers == Array(1...numbers.count) ? nil : numbers,
      means: hasMeans ? timings.map { number($0.mean) } : nil,
      batched: timings.contains(where: \.isBatched) ? timings.map(\.isBatched) : nil,
      resolutions: Set(resolutions).count == 1 ? [resolutions[0]] : resolutions)
  }

  private static func advice(_ model: ReportModel, _ rows: [String: Int]) -> Advice? {
    let basis = AdviceBasis(model)
    guard !basis.saves.isEmpty else { return nil }
    let places = Dictionary(
      basis.saves.enumerated().map { ("\($1.pattern.name) \($1.name)", $0) }, uniquingKeysWith: { first, _ in first })
    return Advice(
      saves: basis.saves.map { series($0, rows) }, reads: basis.reads.map { series($0, rows) },
      launches: basis.launches.map { series($0, rows) }, loading: basis.loading.map { series($0, rows) },
      contests: basis.contests.map { contest in
        Contest(
          durability: contest.durability, level: contest.level,
          series: contest.series.compactMap { places["\($0.pattern.name) \($0.name)"] })
      }, recordBytes: basis.recordBytes, warning: model.warnings.first)
  }

  private static func series(_ series: CostSeries, _ rows: [String: Int]) -> Series {
    Series(
      name: series.name, backend: "\(series.backend)", durability: series.durability, level: series.level,
      isNative: series.isNative, isWholeFile: series.isWholeFile, failed: series.failure,
      note: series.rows.first?.note ?? "", afterPowerCut: series.afterPowerCut, stake: series.stake,
      timed: series.timed.compactMap { rows[key($0)] },
      fit: series.time.map { fit in
        let rounds = fit.rounds.sorted { $0.key < $1.key }
        return Fit(
          hasConstant: fit.hasConstant, law: numbers(fit.law), rounds: rounds.map(\.key),
          laws: rounds.map { numbers($0.value.law) })
      })
  }

  private static func numbers(_ law: GrowthModel) -> [Double] {
    [law.constant, law.coefficient, law.exponent].map { number($0) }
  }

  /// What distinguishes a row from all others.
  private static func key(_ row: SummaryRow) -> String { "\(row.cell.name) \(row.machine)" }
}

/// The command that measures a row again.
enum RepeatCommand {
  /// The flags of a cell.
  static func cell(_ cell: Cell) -> String {
    var words = [
      "-b", ShellWords.quoted("\(cell.backend)"), "-w", ShellWords.quoted("\(cell.workload)"), "-n", "\(cell.records)",
    ]
    if cell.recordBytes != 100 { words += ["--record-bytes", "\(cell.recordBytes)"] }
    if let durability = cell.durability, durability != .shipped { words += ["--durability", durability.rawValue] }
    if cell.threads != 1 { words += ["--threads", "\(cell.threads)"] }
    if cell.cache == .cold { words += ["--cache", "cold"] }
    if cell.aged != 0 { words += ["--aged", "\(cell.aged)"] }
    if let memory = cell.memory { words += ["--memory", Quantity.size(memory)] }
    return words.joined(separator: " ")
  }

  /// The flags that hold for all cells of a run.
  static func run(_ plan: Plan) -> String {
    var words = ["--rounds", "\(max(plan.rounds, 1))", "--trial-time", time(plan.trialTime), "--seed", "\(plan.seed)"]
    if plan.payload != "random" { words += ["--payload", plan.payload] }
    if let rate = plan.rate { words += ["--rate", NumberFormat.plain(rate)] }
    if let dataset = plan.dataset { words += ["--dataset", ShellWords.quoted(dataset)] }
    return words.joined(separator: " ")
  }

  /// `50ms`: nanoseconds in the largest unit that has them as a whole number.
  private static func time(_ nanoseconds: Int64) -> String {
    let units: [(String, Int64)] = [("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000)]
    let unit = units.first { nanoseconds.isMultiple(of: $0.1) } ?? ("ns", 1)
    return "\(nanoseconds / unit.1)\(unit.0)"
  }
}
