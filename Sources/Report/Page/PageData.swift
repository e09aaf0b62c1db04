import Foundation
import StorageContract
import StorageRunFiles
import StorageStatistics

/// The writer of the data that the JavaScript of a run's HTML page reads: results, rankings and recommendations.
///
/// The data has indices in place of repeated parts: `line` is an index in `lines`, `backend` in `backends`, `row` in
/// `rows`; `settings`, `code` and `note` are indices in `texts`. Times are in nanoseconds.
enum PageData {
  /// Returns the data as JSON text.
  ///
  /// - Throws: The encoder's error for numbers that JSON cannot represent.
  static func text(_ model: ReportModel) throws -> String {
    var lines: [JSONObject] = []
    var rows: [(line: Int, row: SummaryRow)] = []
    var groups: [(line: Int, group: ComparisonGroup)] = []
    var positions: [String: Int] = [:]
    for (task, members) in model.groups.grouped(by: \.task) {
      groups += members.map { (lines.count, $0) }
      // A result can be part of several ranked groups, but is stored once.
      for row in members.flatMap(\.rows) where positions[key(row)] == nil {
        positions[key(row)] = rows.count
        rows.append((lines.count, row))
      }
      let work = (["\(members[0].workload)"] + members[0].shape).joined(separator: ", ")
      lines.append(JSONObject(["work": work, "task": task, "records": members[0].records]))
    }
    let contests = groups.lazy.map { line, group in
      let entries = group.rows.compactMap { row in positions[key(row)].map { entry(row, at: $0, in: group) } }
      return JSONObject(["line": line, "promise": group.promise, "entries": entries])
    }
    var texts = Texts()
    let backends = Dictionary(uniqueKeysWithValues: model.backends.enumerated().map { ($1, $0) })
    let planned = Dictionary(model.plan.cells.map { ($0.cell, $0) }, uniquingKeysWith: { first, _ in first })
    func code(_ row: SummaryRow) -> String? { row.status == .ok ? model.code(row.cell) : nil }
    // Objects are created when they are written, because all together would take much memory.
    let results = rows.lazy.map { line, row in
      let isShown = row.rounds.values.count > 1 && row.rounds.unit == .round
      return JSONObject([
        "line": line, "backend": backends[row.cell.backend] ?? 0, "cell": row.cell.name,
        "durability": row.cell.durability, "level": row.level, "status": Phrases.refusal(row) ?? "ok",
        "time": row.typicalTime.map { number($0) }, "marks": marks(Phrases.marks(row)),
        "settings": texts.index(row.settings), "code": code(row).map { texts.index($0) },
        "note": texts.index(row.note), "exact": columns.map { $0.text(row) }.joined(separator: ","),
        "arguments": planned[row.cell].map { RepeatCommand.cell($0, of: model.plan) } ?? "",
        "trace": row.status == .ok ? RepeatCommand.trace(row.cell) : nil,
        "rounds": isShown ? row.rounds.values.map { number($0.typical, digits: 4) } : nil, "course": course(row),
      ])
    }
    var text = ""
    var object = try JSONPieces(.compact) { text += $0 }
    try object.member("advice", advice(model))
    try object.member("arguments", RepeatCommand.run(model.plan).visible)
    try object.member("backends", self.backends(model))
    try object.member("columns", columns.map(\.name))
    try object.list("contests", contests)
    try object.list("lines", lines)
    try object.member("program", model.plan.program.visible)
    try object.list("rows", results)
    try object.member("signature", CostSeries.signature)
    try object.member("terms", Dictionary(uniqueKeysWithValues: Term.allCases.map { ($0.rawValue, $0.words) }))
    try object.member("texts", texts.all)
    try object.end()
    guard text.unicodeScalars.contains(where: { $0.steers && $0 != "\n" }) else { return text }
    // The encoder does not escape characters that control a terminal. Line breaks occur only between members.
    return text.unicodeScalars.map { $0.steers && $0 != "\n" ? "\\" + String($0).visible : String($0) }.joined()
  }

  /// The texts of all results, each once.
  private struct Texts {
    private(set) var all: [String] = []
    private var indices: [String: Int] = [:]

    mutating func index(_ text: String) -> Int {
      if let index = indices[text] { return index }
      indices[text] = all.count
      all.append(text.visible)
      return all.count - 1
    }
  }

  /// The columns of `summary.csv` whose values a result has in `exact`, separated by commas.
  private static let columns: [SummaryColumn] = {
    let names: Set = [
      "level", "processes", "operations", "p50_ns", "p50_low_ns", "p50_high_ns", "p90_ns", "p99_ns", "p999_ns",
      "max_ns", "ops_per_s", "counted_operations", "findings",
    ]
    let all = names.union(Measure.all.map(\.column))
    return SummaryColumn.all.filter { all.contains($0.name) }
  }()

  private static func backends(_ model: ReportModel) -> [JSONObject] {
    model.backends.map { backend in
      let mark = model.mark(backend)
      let name = Phrases.name(backend, like: model.rows.first { $0.cell.backend == backend })
      return JSONObject(["id": "\(backend)".visible, "name": name, "css": mark.css, "dashes": mark.dashes])
    }
  }

  private static func marks(_ marks: [String]) -> [String]? { marks.isEmpty ? nil : marks }

  /// Returns the latencies of one process in chronological order, in nanoseconds. A pause, which is a very slow
  /// operation, has the index of its mean and its time.
  private static func course(_ row: SummaryRow) -> JSONObject? {
    guard let course = CourseChart.Row(row, name: Phrases.name(row), mark: SeriesMark(index: 0)) else { return nil }
    let pauses = course.pauses.map { [Double($0), number(Double(course.course.slowest[$0]), digits: 3)] }
    let means = course.course.means.map { number($0, digits: 3) }
    return JSONObject(["operations": course.operations, "means": means, "pauses": pauses])
  }

  /// Rounds a number to `digits` significant digits, to make the HTML page smaller.
  private static func number(_ value: Double, digits: Int = 9) -> Double {
    Double(NumberFormat.printed("%.*g", digits, value)) ?? value
  }

  private static func entry(_ row: SummaryRow, at position: Int, in group: ComparisonGroup) -> JSONObject {
    JSONObject([
      "row": position, "factor": group.ranking.count > 1 ? group.factor(of: row).map { number($0) } : nil,
      "marks": marks([group.mark(of: row), group.exceeds(row) ? "^" : nil].compactMap { $0 }),
      "isBest": group.isLeading(row) ? true : nil,
    ])
  }

  private static let reads = [0, 1, 10, 100, 1_000]

  /// The safety levels that a user can choose.
  private static let required: [(name: String, level: Level)] = [
    ("any", .volatile), ("crash", .crash), ("intact", .intact), ("durable", .durable),
  ]

  /// Returns the recommendations for apps. Nil if the run has no saves, or if its results are from several machines.
  static func advice(_ model: ReportModel) -> JSONObject? {
    let basis = AdviceBasis(model)
    guard !basis.saves.isEmpty, Set(model.rows.map(\.machine)).count == 1 else { return nil }
    let sizes = Set(basis.saves.flatMap { $0.timed.map(\.cell.records) }).sorted()
    let advice = sizes.prefix(Advice.mostSizes).flatMap { records in
      reads.map { Advice(AppDescription(records: records, readsPerSave: Double($0)), by: model, basis) }
    }
    guard let first = advice.first else { return nil }
    return JSONObject([
      "columns": Advice.columns, "reads": reads, "losses": required.map { [$0.name, $0.level.words.loss] },
      "answers": advice.map(answer), "absence": ChoiceTable(model).absence(model)?.text,
      "recordBytes": basis.recordBytes, "notes": AdviceSentences.legend(first).map(\.text) + model.warnings.prefix(1),
    ])
  }

  private static func answer(_ advice: Advice) -> JSONObject {
    let recommendations = required.compactMap { name, level in
      AdviceSentences.recommendation(advice, atLeast: level).map { (name, $0.text) }
    }
    let levels = advice.levels.map { choice in
      // A row has a text for each of the columns. `first` is the index of the recommended backend.
      JSONObject([
        "level": choice.level, "rows": choice.candidates.map { choice.fields($0) },
        "first": choice.candidates.firstIndex { $0.fullName == choice.recommended?.fullName },
      ])
    }
    return JSONObject([
      "records": advice.app.records, "reads": Int(advice.app.readsPerSave),
      "recommendations": Dictionary(uniqueKeysWithValues: recommendations), "levels": levels,
      "notes": AdviceSentences.absences(advice).map(\.text) + advice.caveats,
    ])
  }

  private static func key(_ row: SummaryRow) -> String { "\(row.cell.name) \(row.machine)" }
}

/// The command lines with which a reader can repeat a measurement.
enum RepeatCommand {
  static func cell(_ planned: PlannedCell, of plan: Plan) -> String {
    let cell = planned.cell
    let words = [
      "-b", ShellWords.quoted("\(cell.backend)"), "-w", ShellWords.quoted("\(cell.workload)"), "-n", "\(cell.records)",
      cell.recordBytes == 100 ? nil : "--record-bytes \(cell.recordBytes)", durability(cell),
      cell.threads == 1 ? nil : "--threads \(cell.threads)", cell.cache == .cold ? "--cache cold" : nil,
      cell.aged == 0 ? nil : "--aged \(cell.aged)", cell.memory.map { "--memory \(Quantity.size($0))" },
      "--trial-time", Quantity.time(plan.trialTime(planned)),
    ]
    return words.compactMap { $0 }.joined(separator: " ")
  }

  private static func durability(_ cell: Cell) -> String? {
    cell.durability.flatMap { $0 == .shipped ? nil : "--durability \($0.rawValue)" }
  }

  /// Returns the arguments that print an operation's system calls: `trace sqlite save-one -n 100`. Nil if `trace`
  /// cannot repeat the measurement.
  static func trace(_ cell: Cell) -> String? {
    guard cell.conditionWords.isEmpty else { return nil }
    let words = [
      "trace", ShellWords.quoted("\(cell.backend)"), ShellWords.quoted("\(cell.workload)"), "-n", "\(cell.records)",
      durability(cell),
    ]
    return words.compactMap { $0 }.joined(separator: " ")
  }

  static func run(_ plan: Plan) -> String {
    let words = [
      "--rounds \(max(plan.rounds, 1)) --seed \(plan.seed)",
      plan.payload == "random" ? nil : "--payload \(plan.payload)",
      plan.rate.map { "--rate \(NumberFormat.plain($0))" },
      plan.dataset.map { "--dataset \(ShellWords.quoted($0))" },
    ]
    let answers = (plan.datasetMap ?? []).map { "--map \(ShellWords.quoted($0))" }
    return (words.compactMap { $0 } + answers).joined(separator: " ")
  }
}
