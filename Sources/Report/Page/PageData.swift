import Foundation
import StorageContract
import StorageRunFiles
import StorageStatistics

/// The data that the JavaScript of a run's HTML page reads: results, rankings and recommendations.
struct PageData {
  struct Backend: Encodable {
    /// The backend with its options as on the command line, such as `sqlite:journal=wal`.
    let id: String
    let name: String
    let css: String
    let dashes: String?
  }

  /// A row of the result table on a run's HTML page: one workload at one number of records.
  struct Line: Encodable {
    let work: String
    /// The title of a row in the result table, such as `save-one, 10,000 records`.
    let task: String
    let records: Int
  }

  /// The ranking of the backends for one workload, number of records and safety level.
  struct Contest: Encodable {
    /// The index in ``PageData/lines`` of the table row to which this ranking belongs.
    let line: Int
    /// The durability of the ranked saves as text: `durable`, or `as shipped (intact)` for default settings. Nil for a
    /// workload that only reads.
    let promise: String?
    let entries: [Entry]

    struct Entry: Encodable {
      let row: Int
      /// The factor by which the backend is slower than the fastest backend. Nil if the backend has no rank or no
      /// competitor.
      let factor: Double?
      /// The symbols beside the backend's time: `~` (about equal to the fastest), `?` (inconclusive), `^` (safer than
      /// required).
      let marks: [String]?
      /// Whether the backend is one of the fastest, within the accuracy of the measurement. Nil stands for false.
      let isBest: Bool?
    }
  }

  /// The result of one benchmark: one backend doing one workload at one number of records.
  struct Row: Encodable {
    /// The index in ``PageData/lines`` of the table row that shows this result.
    let line: Int
    /// The index in ``PageData/backends`` of the measured backend.
    let backend: Int
    let cell: String
    let durability: Durability?
    let level: Level?
    let status: String
    /// The time of one operation in nanoseconds. Nil if nothing was timed.
    let time: Double?
    let marks: [String]?
    /// The index in ``PageData/texts`` of the engine's settings, such as `synchronous=2`.
    let settings: Int
    /// The index in ``PageData/texts`` of the line of source code with which an app opens the store. Nil if unknown.
    let code: Int?
    /// The index in ``PageData/texts`` of a remark on the result. The remark may be empty.
    let note: Int
    /// The exact values of this benchmark's result, separated by commas, in the order of ``PageData/columns``.
    let exact: String
    /// The arguments of `storage-bench run` for this result only: `-b sqlite -w save-one -n 100`. The other arguments
    /// are in ``PageData/arguments``.
    let arguments: String
    /// The arguments that print an operation's system calls: `trace sqlite save-one -n 100`. Nil if `trace` cannot
    /// repeat the measurement.
    let trace: String?
    /// The typical time of an operation in each measuring process, in nanoseconds. Nil if not shown.
    let rounds: [Double]?
    let course: Course?

    /// The latencies of one process in chronological order, in nanoseconds. Very slow operations are listed separately.
    struct Course: Encodable {
      let operations: Int
      let means: [Double]
      /// The very slow operations. Each is a pair: an index in ``means``, and the operation's time in nanoseconds.
      let pauses: [[Double]]
    }
  }

  /// The recommendations on a run's HTML page, for apps with different numbers of records and of reads per save.
  struct Advice: Encodable {
    let columns: [String]
    let reads: [Int]
    /// The safety levels that a user can choose, as pairs of name and possible data loss: `crash` and
    /// `everything, in a power cut`.
    let losses: [[String]]
    let answers: [Answer]
    /// A sentence with the reason why the report recommends no backend. Nil if the report recommends one.
    let absence: String?
    let recordBytes: Int?
    let notes: [String]
  }

  /// The recommendation for apps with a number of records and of reads per save, such as 1,000 records and 10 reads.
  struct Answer: Encodable {
    let records: Int
    let reads: Int
    /// The recommendations as sentences, by the weakest safety level that the user accepts: `durable`, `intact`,
    /// `crash` or `any`.
    let recommendations: [String: String]
    let levels: [AnswerLevel]
    let notes: [String]
  }

  struct AnswerLevel: Encodable {
    let level: Level
    /// The backends at one safety level as table rows, the best first. A row has a text for each of
    /// ``PageData/Advice/columns``.
    let rows: [[String]]
    /// The index in ``rows`` of the recommended backend. Nil if no backend is recommended.
    let first: Int?
  }

  let signature = CostSeries.signature
  let backends: [Backend]
  let lines: [Line]
  let rows: [Row]
  let contests: [Contest]
  let texts: [String]
  let columns: [String]
  let program: String
  /// The arguments of `storage-bench run` that all measurements of this run share, such as `--rounds 6 --seed 1`.
  let arguments: String
  /// The recommendations for apps. Nil if the run has no saves, or if its results are from several machines.
  let advice: Advice?
  let terms = Dictionary(uniqueKeysWithValues: Term.allCases.map { ($0.rawValue, $0.words) })

  /// Returns the data of the HTML page as JSON text.
  ///
  /// - Throws: The encoder's error for numbers that JSON cannot represent.
  func text() throws -> String {
    var text = ""
    var object = try JSONPieces(.compact) { text += $0 }
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
    // The encoder does not escape characters that control a terminal. Line breaks occur only between members.
    return text.unicodeScalars.map { $0.steers && $0 != "\n" ? "\\" + String($0).visible : String($0) }.joined()
  }
}

extension PageData {
  init(_ model: ReportModel) {
    var texts: [String] = []
    var textIndices: [String: Int] = [:]
    func textIndex(_ text: String) -> Int {
      if let index = textIndices[text] { return index }
      textIndices[text] = texts.count
      texts.append(text.visible)
      return texts.count - 1
    }
    let backendIndices = Dictionary(uniqueKeysWithValues: model.backends.enumerated().map { ($1, $0) })
    let planned = Dictionary(model.plan.cells.map { ($0.cell, $0) }, uniquingKeysWith: { first, _ in first })
    var lines: [Line] = []
    var rows: [Row] = []
    var rowIndices: [String: Int] = [:]
    var contests: [Contest] = []
    let columns = SummaryColumn.all.filter { Self.shown.contains($0.name) }
    for (_, groups) in model.groups.grouped(by: \.task) {
      let first = groups[0]
      lines.append(
        Line(
          work: (["\(first.workload)"] + first.shape).joined(separator: ", "), task: first.task,
          records: first.records))
      // A result can be part of several ranked groups, but is stored once.
      for row in groups.flatMap(\.rows) where rowIndices[Self.key(row)] == nil {
        rowIndices[Self.key(row)] = rows.count
        rows.append(
          Row(
            line: lines.count - 1, backend: backendIndices[row.cell.backend] ?? 0, cell: row.cell.name,
            durability: row.cell.durability, level: row.level, status: Phrases.refusal(row) ?? "ok",
            time: row.typicalTime.map { Self.number($0) },
            marks: Self.marks(Phrases.marks(row)), settings: textIndex(row.settings),
            code: row.status == .ok ? model.code(row.cell).map(textIndex) : nil, note: textIndex(row.note),
            exact: columns.map { $0.text(row) }.joined(separator: ","),
            arguments: planned[row.cell].map { RepeatCommand.cell($0, of: model.plan) } ?? "",
            trace: row.status == .ok ? RepeatCommand.trace(row.cell) : nil,
            rounds: row.rounds.values.count > 1 && row.rounds.unit == .round
              ? row.rounds.values.map { Self.number($0.typical, digits: 4) } : nil,
            course: Self.course(row)))
      }
      contests += groups.map { group in
        Contest(
          line: lines.count - 1, promise: group.promise,
          entries: group.rows.compactMap { row in rowIndices[Self.key(row)].map { Self.entry(row, at: $0, in: group) } }
        )
      }
    }
    let marks = model.marks
    backends = model.backends.map { backend in
      let mark = marks[backend] ?? SeriesMark(index: 0)
      let name = Phrases.name(backend, like: model.rows.first { $0.cell.backend == backend })
      return Backend(id: "\(backend)".visible, name: name, css: mark.css, dashes: mark.dashes)
    }
    (self.lines, self.rows, self.contests, self.texts) = (lines, rows, contests, texts)
    self.columns = columns.map(\.name)
    program = model.plan.program.visible
    arguments = RepeatCommand.run(model.plan).visible
    advice = Self.advice(model)
  }

  private static let shown = Set(
    [
      "level", "processes", "operations", "p50_ns", "p50_low_ns", "p50_high_ns", "p90_ns", "p99_ns", "p999_ns",
      "max_ns",
      "ops_per_s", "counted_operations", "findings",
    ] + Measure.all.map(\.column))

  private static func marks(_ marks: [String]) -> [String]? { marks.isEmpty ? nil : marks }

  private static func course(_ row: SummaryRow) -> Row.Course? {
    guard let course = CourseChart.Row(row, mark: SeriesMark(index: 0)) else { return nil }
    return Row.Course(
      operations: course.operations, means: course.course.means.map { number($0, digits: 3) },
      pauses: course.pauses.map { [Double($0), number(Double(course.course.slowest[$0]), digits: 3)] })
  }

  /// Rounds a number to `digits` significant digits, to make the HTML page smaller.
  private static func number(_ value: Double, digits: Int = 9) -> Double {
    Double(NumberFormat.printed("%.*g", digits, value)) ?? value
  }

  private static func entry(_ row: SummaryRow, at position: Int, in group: ComparisonGroup) -> Contest.Entry {
    let marks = [group.mark(of: row), group.exceeds(row) ? "^" : nil].compactMap { $0 }
    return Contest.Entry(
      row: position, factor: group.ranking.count > 1 ? group.factor(of: row).map { number($0) } : nil,
      marks: Self.marks(marks), isBest: group.isLeading(row) ? true : nil)
  }

  private static let reads = [0, 1, 10, 100, 1_000]

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
      columns: StorageReport.Advice.columns, reads: reads,
      losses: required.map { [$0.name, Phrases.loss($0.level)] }, answers: advice.map(answer),
      absence: ChoiceTable(model).absence(model)?.text, recordBytes: basis.recordBytes,
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

  private static func key(_ row: SummaryRow) -> String { "\(row.cell.name) \(row.machine)" }
}

/// The command lines with which a reader can repeat a measurement.
enum RepeatCommand {
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

  /// Returns the arguments that print an operation's system calls: `trace sqlite save-one -n 100`. Nil if `trace`
  /// cannot repeat the measurement.
  static func trace(_ cell: Cell) -> String? {
    guard cell.recordBytes == 100, cell.threads == 1, cell.cache != .cold, cell.aged == 0, cell.memory == nil else {
      return nil
    }
    var words = [
      "trace", ShellWords.quoted("\(cell.backend)"), ShellWords.quoted("\(cell.workload)"), "-n", "\(cell.records)",
    ]
    if let durability = cell.durability, durability != .shipped { words += ["--durability", durability.rawValue] }
    return words.joined(separator: " ")
  }

  static func run(_ plan: Plan) -> String {
    var words = ["--rounds", "\(max(plan.rounds, 1))", "--seed", "\(plan.seed)"]
    if plan.payload != "random" { words += ["--payload", plan.payload] }
    if let rate = plan.rate { words += ["--rate", NumberFormat.plain(rate)] }
    if let dataset = plan.dataset { words += ["--dataset", ShellWords.quoted(dataset)] }
    for answer in plan.datasetMap ?? [] { words += ["--map", ShellWords.quoted(answer)] }
    return words.joined(separator: " ")
  }
}
