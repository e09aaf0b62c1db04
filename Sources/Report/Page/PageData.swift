import Foundation
import StorageContract
import StorageRunFiles
import StorageStatistics

/// What the script of a run's page works on: rows, verdicts and answers, as the report has them.
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

  /// The rows of a line that keep one promise, each against the fastest of them; see `ComparisonGroup`.
  struct Contest: Encodable {
    /// A position in ``lines``.
    let line: Int
    /// `as shipped (intact)`, `durable`; nil for reads.
    let promise: String?
    let entries: [Entry]

    /// A row of it.
    struct Entry: Encodable {
      /// A position in ``rows``.
      let row: Int
      /// By which factor it is slower than the fastest; nil where it is not ranked, and where it is alone.
      let factor: Double?
      /// `~`, `?` and `^`.
      let marks: [String]?
      /// Whether it was not shown to be slower than the fastest.
      let isBest: Bool?
    }
  }

  /// A row of `summary.csv`.
  struct Row: Encodable {
    /// Positions in ``lines`` and ``backends``.
    let line: Int
    let backend: Int
    let cell: String
    let durability: Durability?
    let level: Level?
    /// `ok`, `FAILED`, `n/a` or `skipped`.
    let status: String
    /// Nanoseconds.
    let time: Double?
    /// `x1`, `batched` and the like.
    let marks: [String]?
    /// Places in ``texts``.
    let settings: Int
    let note: Int
    /// The fields of ``columns``, as they stand in `summary.csv`, commas between them.
    let exact: String
    /// What tells `storage-bench run` to measure this cell.
    let arguments: String
  }

  /// The answers of `advise` for the sizes that were measured and some numbers of reads.
  struct Advice: Encodable {
    /// The titles of the columns of each level.
    let columns: [String]
    /// The numbers of reads for each save.
    let reads: [Int]
    let answers: [Answer]
    /// Payload bytes of the saves' records.
    let recordBytes: Int?
    /// What makes all of the run's figures doubtful, and what the classes mean.
    let notes: [String]
  }

  /// What `advise` says for one size and one number of reads.
  struct Answer: Encodable {
    let records: Int
    let reads: Int
    /// The recommendation by the least level that must be kept; a sentence.
    let recommendations: [String: String]
    /// The strongest first.
    let levels: [AnswerLevel]
    /// What has no place, and why; sentences.
    let notes: [String]
  }

  /// The candidates of one level.
  struct AnswerLevel: Encodable {
    let level: Level
    /// The fields of ``Advice/columns``, in the order of `advise`.
    let rows: [[String]]
    /// The position of the one to take; nil where there is none.
    let first: Int?
  }

  /// The workload that the chart begins with.
  let signature = CostSeries.signature
  let backends: [Backend]
  let lines: [Line]
  let rows: [Row]
  let contests: [Contest]
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
    try object.list("contests", contests)
    try object.list("lines", lines)
    try object.member("program", program)
    try object.list("rows", rows)
    try object.member("signature", signature)
    try object.member("terms", terms)
    try object.member("texts", texts)
    try object.end()
    guard text.unicodeScalars.contains(where: { $0.steers && $0 != "\n" }) else { return text }
    // The encoder does not escape these. Line ends occur between members only.
    return text.unicodeScalars.map { $0.steers && $0 != "\n" ? "\\" + String($0).visible : String($0) }.joined()
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
      texts.append(text.visible)
      return texts.count - 1
    }
    let backendPlaces = Dictionary(uniqueKeysWithValues: model.backends.enumerated().map { ($1, $0) })
    let planned = Dictionary(model.plan.cells.map { ($0.cell, $0) }, uniquingKeysWith: { first, _ in first })
    var lines: [Line] = []
    var rows: [Row] = []
    var rowPlaces: [String: Int] = [:]
    var contests: [Contest] = []
    let columns = SummaryColumn.all.filter { Self.shown.contains($0.name) }
    for (_, groups) in model.groups.grouped(by: \.task) {
      let first = groups[0]
      lines.append(
        Line(
          work: (["\(first.workload)"] + first.shape).joined(separator: ", "), task: first.task,
          records: first.records))
      // A row takes part in several groups; see `Competition`.
      for row in groups.flatMap(\.rows) where rowPlaces[Self.key(row)] == nil {
        rowPlaces[Self.key(row)] = rows.count
        let isRanked = ComparisonGroup.isRanked(row)
        rows.append(
          Row(
            line: lines.count - 1, backend: backendPlaces[row.cell.backend] ?? 0, cell: row.cell.name,
            durability: row.cell.durability, level: row.level, status: Phrases.refusal(row) ?? "ok",
            time: row.typicalTime.map { Self.number($0) },
            marks: Self.marks(row, isRanked), settings: place(row.settings), note: place(row.note),
            exact: columns.map { $0.text(row) }.joined(separator: ","),
            arguments: planned[row.cell].map { RepeatCommand.cell($0, of: model.plan) } ?? ""))
      }
      contests += groups.map { group in
        Contest(
          line: lines.count - 1, promise: group.promise,
          entries: group.rows.compactMap { row in rowPlaces[Self.key(row)].map { Self.entry(row, at: $0, in: group) } })
      }
    }
    let marks = model.marks
    backends = model.backends.map { backend in
      let mark = marks[backend] ?? SeriesMark(index: 0)
      let name = Phrases.name(backend, like: model.rows.first { $0.cell.backend == backend })
      return Backend(name: name, css: mark.css, dashes: mark.dashes)
    }
    (self.lines, self.rows, self.contests, self.texts) = (lines, rows, contests, texts)
    self.columns = columns.map(\.name)
    program = model.plan.program.visible
    arguments = RepeatCommand.run(model.plan).visible
    advice = Self.advice(model)
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
      row.status == .ok && !isRanked && row.typicalTime != nil ? (row.isDisturbed ? "disturbed" : "floor") : nil,
      row.isTimedOnce ? "x1" : nil,
      row.isBatched ? "batched" : nil, Phrases.mark(row),
    ].compactMap { $0 }
    return marks.isEmpty ? nil : marks
  }

  /// Nine digits are more than any clock has, and half as long as all.
  private static func number(_ value: Double, digits: Int = 9) -> Double {
    Double(NumberFormat.printed("%.*g", digits, value)) ?? value
  }

  private static func entry(_ row: SummaryRow, at position: Int, in group: ComparisonGroup) -> Contest.Entry {
    let marks = [group.mark(of: row), group.exceeds(row) ? "^" : nil].compactMap { $0 }
    let isBest = group.contest.decision?.leaders.contains { $0.member.cell == row.cell } == true
    return Contest.Entry(
      row: position, factor: group.ranking.count > 1 ? group.factor(of: row).map { number($0) } : nil,
      marks: marks.isEmpty ? nil : marks, isBest: isBest ? true : nil)
  }

  /// The numbers of reads for each save that the calculator offers.
  private static let reads = [0, 1, 10, 100, 1_000]

  /// The levels that may be asked for; `any` takes whatever was measured.
  private static let required: [(name: String, level: Level)] = [
    ("any", .volatile), ("crash", .crash), ("intact", .intact), ("durable", .durable),
  ]

  private static func advice(_ model: ReportModel) -> Advice? {
    let basis = AdviceBasis(model)
    guard !basis.saves.isEmpty, Set(model.rows.map(\.machine)).count == 1 else { return nil }
    let sizes = Set(basis.saves.flatMap { $0.timed.map(\.cell.records) }).sorted().prefix(
      StorageReport.Advice.mostSizes)
    let advice = sizes.flatMap { records in
      reads.map {
        StorageReport.Advice(AppDescription(records: records, readsPerSave: Double($0)), by: model, basis)
      }
    }
    guard let first = advice.first else { return nil }
    return Advice(
      columns: StorageReport.Advice.columns, reads: reads, answers: advice.map(answer), recordBytes: basis.recordBytes,
      notes: AdviceSentences.legend(first).map(\.text) + model.warnings.prefix(1))
  }

  private static func answer(_ advice: StorageReport.Advice) -> Answer {
    let recommendations = required.compactMap { name, level in
      AdviceSentences.recommendation(advice, atLeast: level).map { (name, $0.text) }
    }
    return Answer(
      records: advice.app.records, reads: Int(advice.app.readsPerSave),
      recommendations: Dictionary(uniqueKeysWithValues: recommendations),
      levels: advice.levels.map { choice in
        AnswerLevel(
          level: choice.level, rows: choice.candidates.map { choice.fields($0) },
          first: choice.candidates.firstIndex { $0.fullName == choice.recommended?.fullName })
      }, notes: AdviceSentences.absences(advice).map(\.text) + advice.caveats)
  }

  /// What distinguishes a row from all others.
  private static func key(_ row: SummaryRow) -> String { "\(row.cell.name) \(row.machine)" }
}

/// The command that measures a row again.
enum RepeatCommand {
  /// The flags of a cell. Saves into a log have a trial time of their own.
  static func cell(_ planned: PlannedCell, of plan: Plan) -> String {
    let cell = planned.cell
    var words = [
      "-b", ShellWords.quoted("\(cell.backend)"), "-w", ShellWords.quoted("\(cell.workload)"), "-n", "\(cell.records)",
    ]
    if cell.recordBytes != 100 { words += ["--record-bytes", "\(cell.recordBytes)"] }
    if let durability = cell.durability, durability != .shipped { words += ["--durability", durability.rawValue] }
    if cell.threads != 1 { words += ["--threads", "\(cell.threads)"] }
    if cell.cache == .cold { words += ["--cache", "cold"] }
    if cell.aged != 0 { words += ["--aged", "\(cell.aged)"] }
    if let memory = cell.memory { words += ["--memory", Quantity.size(memory)] }
    words += ["--trial-time", Quantity.time(plan.trialTime(planned))]
    return words.joined(separator: " ")
  }

  /// The flags that hold for all cells of a run.
  static func run(_ plan: Plan) -> String {
    var words = ["--rounds", "\(max(plan.rounds, 1))", "--seed", "\(plan.seed)"]
    if plan.payload != "random" { words += ["--payload", plan.payload] }
    if let rate = plan.rate { words += ["--rate", NumberFormat.plain(rate)] }
    if let dataset = plan.dataset { words += ["--dataset", ShellWords.quoted(dataset)] }
    for answer in plan.datasetMap ?? [] { words += ["--map", ShellWords.quoted(answer)] }
    return words.joined(separator: " ")
  }
}
