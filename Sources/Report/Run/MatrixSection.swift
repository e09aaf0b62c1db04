import StorageContract
import StorageRunFiles

/// The matrix, a line for each group and a column for each backend; a table for each promise.
enum MatrixSection: SectionBuilder {
  static func section(_ input: SectionInput) -> Section? {
    let model = input.model
    guard !model.rows.isEmpty else { return nil }
    var section = Section(id: "matrix", title: "The matrix")
    section.isOpenOnPhones = true
    let parts = MatrixTable.all(model.groups)
    section.lead = [
      "The median time of one operation (p50), and its ratio to the fastest of the line. Each table has all rows that promise at least its level."
    ]
    section.pictures = parts.compactMap { $0.chart(input) }
    section.tables = parts.flatMap { [$0.table, $0.settings].compactMap { $0 } }
    for (status, title) in [(Status.notAvailable, "Not available here"), (.skipped, "Skipped")] {
      let rows = model.rows(status)
      guard !rows.isEmpty else { continue }
      section.tables.append(
        Table(title, [.words("cell"), .words("why")], rows.map(VerdictSection.refusal), isFolded: true))
    }
    section.guide = guide + [loop(model.plan.rate)]
    return section
  }

  private static func loop(_ rate: Double?) -> RichText {
    guard let rate else {
      return
        "One operation starts when the one before has ended: these are service times, not times under a given load."
    }
    return
      "Operations were started on a schedule, \(NumberFormat.plain(rate)) a second, and their times count from when they were due: an operation that waits behind a slow one is slow, too."
  }

  private static let guide: [RichText] = [
    "p50: the median of the processes' medians. The factor beside it is that to the fastest of the line, taken round by round; shades follow the factor, and say nothing that the numbers do not.",
    "\(code: "~"): about equal to the fastest: the whole interval of the factor lies within 5 %. \(code: "?"): inconclusive: the rounds do not show whether it is slower than the fastest.",
    "\(code: "^"): \(Competition.exceeds). What can lose everything at once (fragile) competes with its like only.",
    "Levels: durable loses no acknowledged save; intact opens at some earlier save after a power cut; crash survives the death of the process; fragile may lose what was saved before; volatile keeps nothing.",
    "floor: what no store can beat; shown, never ranked. emulated: done by the suite as an app would do it, since the engine cannot. lookalike (\(code: "+")): our own engine with Core Data's rules, not Apple's. Neither is ever called the fastest: the factor of one that is faster than the fastest native engine lies under 1.",
    "x1: one operation, or opening the store before it, took over 250 ms, and one trial was made; it has no interval and never wins. batched: operations too short for the clock were timed together, and p50 is of the means of such batches.",
    "FAILED: it crashed, ran over its limit or returned something wrong; no figure is shown. n/a: the backend cannot. skipped: not run; predicted: what the smaller sizes say that an operation would take. -: not part of the plan, or not measured.",
  ]
}

/// The groups with one promise: a table of the matrix.
struct MatrixTable {
  /// The groups, all with the same durability asked and the same level.
  let groups: [ComparisonGroup]
  /// The backends that have a row in any of them, in the order of the plan.
  private let backends: [Spec]
  /// Who wins each group.
  private let outcomes: [ContestResult]

  private init(_ groups: [ComparisonGroup]) {
    self.groups = groups
    var seen: Set<Spec> = []
    backends = groups.flatMap(\.rows).map(\.cell.backend).filter { seen.insert($0).inserted }
    outcomes = groups.map(\.contest)
  }

  /// The sections: reads, then what was shipped from the strongest level down, then the levels asked for.
  static func all(_ groups: [ComparisonGroup]) -> [MatrixTable] {
    struct Key: Hashable {
      var durability: Durability?
      var level: Level?
    }
    let promises = groups.grouped { Key(durability: $0.durability, level: $0.level) }
    let durabilities = [nil] + Durability.allCases.map(Optional.some)
    let sorted = promises.sorted { one, other in
      let (left, right) = (one.key, other.key)
      let places = (
        durabilities.firstIndex(of: left.durability) ?? 0, durabilities.firstIndex(of: right.durability) ?? 0
      )
      if places.0 != places.1 { return places.0 < places.1 }
      return (left.level ?? .volatile) > (right.level ?? .volatile)
    }
    return sorted.map { MatrixTable($0.members) }
  }

  /// `Reads`, `Saves as shipped (durable)`.
  private var title: String { groups.first?.promise.map { "Saves \($0)" } ?? "Reads" }

  /// A part of file names.
  private var id: String {
    let group = groups.first
    return [
      group?.durability?.rawValue ?? "reads", group?.durability == .shipped ? group?.level?.rawValue : nil,
    ]
    .compactMap { $0 }.joined(separator: "-")
  }

  /// The backends as they are headed.
  private var names: [String] {
    backends.map { backend in
      let isLookalike = groups.contains { $0.row(of: backend)?.fidelity == .lookalike }
      return Phrases.name(backend, isLookalike: isLookalike)
    }
  }

  /// The table.
  var table: Table {
    let rows = zip(groups, outcomes).map { group, outcome in
      [Table.Field(RichText(group.task))] + backends.map { field(group, outcome, $0) }
    }
    var footer: [RichText] = []
    if groups.first?.durability != nil {
      let promises = backends.compactMap { backend -> String? in
        let row = groups.lazy.flatMap(\.rows).first { $0.cell.backend == backend && $0.level != nil }
        return row.map { "\(Phrases.name($0)): \(PowerCut.stake($0))" }
      }
      if !promises.isEmpty { footer.append("After a power cut: \(promises.joined(separator: "; ")).") }
    }
    return Table("\(title), p50", [.words("workload")] + names.map { .number($0) }, rows, footer: footer)
  }

  /// The literal settings of each backend; nil where none are known.
  var settings: Table? {
    let rows = backends.compactMap { backend -> [Table.Field]? in
      var seen: Set<String> = []
      let texts = groups.flatMap(\.rows).filter { $0.cell.backend == backend && !$0.settings.isEmpty }
        .map(\.settings).filter { seen.insert($0).inserted }
      guard !texts.isEmpty else { return nil }
      return [.init(RichText(backend.description)), .init(RichText.joined(texts.map { "\(code: $0)" }, " or "))]
    }
    guard !rows.isEmpty else { return nil }
    return Table("\(title), the settings", [.words("backend"), .words("settings")], rows, isFolded: true)
  }

  /// The picture; nil where there is nothing to compare.
  func chart(_ input: SectionInput) -> HeatChart? {
    guard backends.count > 1, groups.contains(where: { $0.ranking.count > 1 }) else { return nil }
    let rows = zip(groups, outcomes).map { group, outcome in
      (name: group.task, fields: backends.map { heat(group, outcome, $0) })
    }
    let best = groups.compactMap { group in
      group.best.map { "\(group.task): \(Phrases.name($0)) \(NumberFormat.time($0.typicalTime ?? 0))" }
    }
    return HeatChart(
      id: "matrix-\(id)", title: "\(title): median time and factor to the fastest",
      summary:
        "A table of \(rows.count) workloads by \(backends.count) backends. Fastest of each line: \(best.joined(separator: "; ")).",
      note:
        "The stronger the colour, the slower. Bold: fastest, or not shown to be slower; ~: about equal; ?: inconclusive; x1: timed once; em.: emulated.",
      columns: names,
      rows: rows)
  }

  private func heat(_ group: ComparisonGroup, _ outcome: ContestResult, _ backend: Spec) -> HeatChart.Field {
    let field = field(group, outcome, backend)
    let hover = "\(backend), \(group.title): \(field.words.text)" + (field.hover.map { ". \($0)" } ?? "")
    guard let row = group.row(of: backend), field.kind != .absent, field.kind != .failed, let time = row.typicalTime
    else {
      return .init(
        text: group.row(of: backend).flatMap(Phrases.refusal) ?? field.words.text, detail: "", ratio: nil,
        isBest: false, hover: hover)
    }
    // The long marks stand in the hover text, and the lookalike's at its name.
    let words = field.words.text.split(separator: " ").dropFirst(2).map(String.init)
    let short = words.filter { !["batched", Fidelity.lookalike.rawValue].contains($0) }
      .map { $0 == Fidelity.emulated.rawValue ? "em." : $0 }
    return .init(
      text: NumberFormat.time(time), detail: short.joined(separator: " "), ratio: field.ratio,
      isBest: field.kind == .best,
      hover: hover)
  }

  /// One field: the median, its ratio to the line's best, and everything that must be said of it.
  func field(_ group: ComparisonGroup, _ outcome: ContestResult, _ backend: Spec) -> Table.Field {
    guard let row = group.row(of: backend) else { return .unmeasured }
    if let refusal = Phrases.refusal(row) {
      let predicted = row.predicted.map { ", predicted \(NumberFormat.time($0))" } ?? ""
      return .init(
        RichText(refusal + predicted), kind: row.status == .failed ? .failed : .absent, hover: row.note)
    }
    guard let time = Figure.time(row) else { return .init("not timed", kind: .absent, hover: row.note) }
    var words: RichText = "\(time)"
    var marks: [String] = []
    var ratio: Figure?
    var kind = Table.Field.Kind.value
    if ComparisonGroup.isRanked(row) {
      if let best = group.best {
        ratio = Figure.ratio(row, to: best)
        if case .decided(let leaders, _) = outcome, leaders.contains(where: { $0.row.cell == row.cell }) {
          kind = .best
        }
        // Said of each row, whether or not all of them can be compared.
        if let mark = group.mark(of: row) { marks.append(mark) }
      }
      if group.exceeds(row) { marks.append("^") }
    } else {
      marks.append("floor")
    }
    if row.isTimedOnce { marks.append("x1") }
    if row.isBatched { marks.append("batched") }
    if row.fidelity != .native { marks.append(row.fidelity.rawValue) }
    if let ratio { words = "\(words) \(ratio)" }
    if !marks.isEmpty { words = "\(words) \(marks.joined(separator: " "))" }
    let interval = row.p50Interval.map { "\(NumberFormat.time($0.low)) to \(NumberFormat.time($0.high))" }
    return .init(
      words, kind: kind, ratio: ratio?.value,
      hover: ([interval, row.note.isEmpty ? nil : row.note, row.level.map { "level \($0.rawValue)" }]
        .compactMap { $0 }).joined(separator: "; "))
  }
}

extension ComparisonGroup {
  /// The row of a backend.
  func row(of backend: Spec) -> SummaryRow? { rows.first { $0.cell.backend == backend } }
}
