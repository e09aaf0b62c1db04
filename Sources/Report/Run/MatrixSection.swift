import StorageContract
import StorageRunFiles

/// The report section with all times: a table for each safety level, with a row for each workload and store size.
enum MatrixSection {
  static func section(_ model: ReportModel) -> Section? {
    guard !model.rows.isEmpty else { return nil }
    var section = Section(id: "matrix", title: "The matrix")
    section.isOpenOnPhones = true
    let parts = MatrixTable.all(model.groups)
    section.lead = [
      "The median time of one operation (p50), and its ratio to the fastest of the line. Each table has all rows that promise at least its level; what competes with nothing has a table of times alone."
    ]
    section.pictures = parts.compactMap { $0.chart(model) }
    let refusals = [("Not available here", Status.notAvailable), ("Skipped", .skipped)].map { title, status in
      Table(title, of: model.rows(status), VerdictSection.refusals, isFolded: true)
    }
    section.tables =
      parts.flatMap { [$0.table, $0.settings].compactMap { $0 } }
      + [Likenesses(model.rows)?.table, statements(model)].compactMap { $0 } + refusals.filter { !$0.rows.isEmpty }
    section.guide = guide + [loop(model.plan.rate)]
    return section
  }

  private static func statements(_ model: ReportModel) -> Table? {
    let counted = model.rows.filter { $0.cost?.statements != nil }
    let backends = model.backends.filter { backend in counted.contains { $0.cell.backend == backend } }
    guard !backends.isEmpty else { return nil }
    let columns: [ItemColumn<ComparisonGroup>] = backends.map { backend in
      .number(backend.description) { $0.row(of: backend).flatMap { Figure.count($0, \.statements) } }
    }
    return Table(
      "SQL statements per operation", of: ComparisonGroup.all(in: counted), [.words("workload", \.title)] + columns,
      isFolded: true,
      footer: ["Counted up to the last acknowledgement; BEGIN and COMMIT are statements, what triggers do is not."])
  }

  private static func loop(_ rate: Double?) -> RichText {
    rate.map {
      "Operations were started on a schedule, \(NumberFormat.plain($0)) a second, and their times count from when they were due: an operation that waits behind a slow one is slow, too."
    } ?? "One operation starts when the one before has ended: these are service times, not times under a given load."
  }

  private static let guide: [RichText] = [
    "p50: the median of the processes' medians. The factor beside it is that to the fastest of the line, taken round by round; shades follow the factor, and say nothing that the numbers do not.",
    "\(Term.aboutEqual.definition). \(Term.inconclusive.definition).",
    "\(Term.exceeds.definition). What can lose everything at once (fragile) competes with its like only.",
    "Levels: durable loses no acknowledged save; intact opens at some earlier save after a power cut; crash survives the death of the process; fragile may lose what was saved before; volatile loses the saves that it has not written, in memory all of them.",
    "\(Term.floor.definition). \(Term.emulated.definition). \(Term.workAlike.definition). Neither is ever called the fastest: the factor of one that is faster than the fastest native engine lies under 1.",
    "\(Term.timedOnce.definition); the time is that of one operation, or of opening the store before it. \(Term.batched.definition), and p50 is of the means of such batches.",
    "FAILED: it crashed, ran over its limit or returned something wrong; no figure is shown. n/a: the backend cannot. skipped: not run; predicted: what the smaller sizes say that an operation would take. -: not part of the plan, or not measured.",
  ]
}

/// A summary of how well the imitations of Core Data resemble the original, for each workload.
struct Likenesses {
  private let groups: [(likeness: Resemblance, names: [String])]
  private let backends: [String]

  /// Summarizes the results of all imitations. Nil if there are none.
  init?(_ rows: [SummaryRow]) {
    let shown = rows.filter { $0.status == .ok && !$0.isFloor && $0.likeness != nil }
    let backends = shown.map(Phrases.name).unique
    self.backends = backends
    let found = shown.grouped { $0.likeness }.compactMap { likeness, members in
      let names = members.map { "\($0.cell.workload)" + (backends.count > 1 ? " (\(Phrases.name($0)))" : "") }
      return likeness.map { (likeness: $0, names: names.unique) }
    }
    groups = Resemblance.Shape.allCases.flatMap { shape in found.filter { $0.likeness.shape == shape } }
    if groups.isEmpty { return nil }
  }

  var table: Table {
    Table(
      "How far \(Phrases.list(backends)) \(backends.count == 1 ? "stands" : "stand") for Core Data", of: groups,
      [
        .words("shape", \.likeness.shape.rawValue), .words("workloads") { Phrases.list($0.names) },
        .words("why", \.likeness.reason), .words("source", \.likeness.source),
      ],
      isFolded: true,
      footer: [
        "Times are never those of Core Data: the code is another one. What can carry over is the shape: what is written, synced and asked, and how it grows."
      ])
  }

  var sentence: RichText {
    let parts = groups.grouped { $0.likeness.shape }.map { shape, members in
      "\(shape.rawValue) in \(Phrases.list(members.flatMap(\.names)))"
    }
    return RichText(
      "\(Phrases.list(backends)) beside Core Data: \(parts.joined(separator: "; ")). Times are never Core Data's.")
  }
}

struct MatrixTable {
  let groups: [ComparisonGroup]
  private let backends: [Spec]
  /// Whether a row of the table compares two or more backends. If not, the table shows times without ratios.
  let isContest: Bool

  /// Creates a table of results with a column for each backend. A backend has no column if all its results are in
  /// `shown`, the set of results in other tables.
  private init(_ groups: [ComparisonGroup], without shown: Set<Cell> = []) {
    self.groups = groups
    let kept = Set(groups.flatMap(\.rows).map(\.cell).filter { !shown.contains($0) }.map(\.backend))
    backends = groups.flatMap(\.rows).map(\.cell.backend).unique.filter(kept.contains)
    isContest = groups.contains { $0.ranking.count > 1 }
  }

  /// Returns a report's tables of times: read-only workloads, then saves by durability. Tables without a comparison
  /// come last.
  static func all(_ groups: [ComparisonGroup]) -> [MatrixTable] {
    let tables = byPromise(groups)
    let contests = tables.filter(\.isContest)
    let ranked = Set(contests.flatMap(\.groups).flatMap(\.rows).map(\.cell))
    let alone = tables.filter { !$0.isContest }.grouped { $0.groups.first?.durability }.map { _, members in
      MatrixTable(members.flatMap(\.groups), without: ranked)
    }
    return contests + alone.filter { !$0.backends.isEmpty }
  }

  private static func byPromise(_ groups: [ComparisonGroup]) -> [MatrixTable] {
    let durabilities = [nil] + Durability.allCases.map(Optional.some)
    return durabilities.flatMap { durability in
      let levels = groups.filter { $0.durability == durability }.grouped { $0.level }
      return levels.sorted { ($0.key ?? .volatile) > ($1.key ?? .volatile) }.map { MatrixTable($0.members) }
    }
  }

  private var title: String {
    guard let durability = groups.first?.durability, let promise = groups.first?.promise else {
      return "Reads\(isContest ? "" : ", nothing to compare with")"
    }
    // The backends may have different safety levels with default settings, so that the title without contest has none.
    return isContest ? "Saves \(promise)" : "Saves \(durability.words), nothing to compare with"
  }

  private var id: String {
    let group = groups.first
    let level = group?.durability == .shipped ? group?.level?.rawValue : nil
    return [group?.durability?.rawValue ?? "reads", level].compactMap { $0 }.joined(separator: "-")
  }

  private var names: [String] {
    backends.map { backend in Phrases.name(backend, like: groups.lazy.compactMap { $0.row(of: backend) }.first) }
  }

  var table: Table {
    let promises =
      groups.first?.durability == nil
      ? []
      : backends.compactMap { backend -> String? in
        let row = groups.lazy.flatMap(\.rows).first { $0.cell.backend == backend && $0.level != nil }
        return row.map { "\(Phrases.name($0)): \(PowerCut.stake($0))" }
      }
    let footer: [RichText?] = [
      isContest ? nil : "No ratios: nothing else of this run competes with any of these.",
      promises.isEmpty ? nil : "After a power cut: \(promises.joined(separator: "; ")).",
    ]
    // Backends without a competitor are in separate groups, but share the table row of their workload.
    var table = Table(
      "\(title), p50", of: groups.grouped(by: \.task),
      [.words("workload", \.key)]
        + zip(backends, names).map { backend, name in
          .number(name) { line in line.members.first { $0.row(of: backend) != nil }.map { field($0, backend) } }
        }, footer: footer.compactMap { $0 })
    table.rows.removeAll { $0.dropFirst().allSatisfy { $0 == .unmeasured } }
    return table
  }

  var settings: Table? {
    let rows = groups.flatMap(\.rows).filter { !$0.settings.isEmpty }
    let shown = backends.filter { backend in rows.contains { $0.cell.backend == backend } }
    guard !shown.isEmpty else { return nil }
    return Table(
      "\(title), the settings", of: shown,
      [
        .words("backend", \.description),
        .words("settings") { backend in
          let texts = rows.filter { $0.cell.backend == backend }.map(\.settings).unique
          return RichText.joined(texts.map { "\(code: $0)" }, " or ")
        },
      ], isFolded: true)
  }

  func chart(_ model: ReportModel) -> HeatChart? {
    guard isContest else { return nil }
    let rows = groups.map { group in (name: group.task, fields: backends.map { heat(group, $0) }) }
    let best = groups.compactMap { group in
      group.best.map { "\(group.task): \(Phrases.name($0)) \(NumberFormat.time($0.typicalTime ?? 0))" }
    }
    return HeatChart(
      id: "matrix-\(id)", title: "\(title): median time and factor to the fastest",
      summary:
        "A table of \(rows.count) workloads by \(backends.count) backends. Fastest of each line: \(best.joined(separator: "; ")).",
      note:
        "The stronger the colour, the slower. Bold: fastest, or not shown to be slower; ~: about equal; ?: inconclusive; ^: safer than required here; ×1: timed once; em.: emulated; opt., pes., n.c.: it does less than Apple's, more, or what cannot be compared.",
      columns: names, rows: rows)
  }

  private static let short = [
    Fidelity.emulated.rawValue: "em.", Resemblance.Shape.optimistic.rawValue: "opt.",
    Resemblance.Shape.pessimistic.rawValue: "pes.",
  ]

  private func heat(_ group: ComparisonGroup, _ backend: Spec) -> HeatChart.Field {
    let field = field(group, backend)
    let hover = "\(backend), \(group.title): \(field.words.text)" + (field.hover.map { ". \($0)" } ?? "")
    guard let row = group.row(of: backend), field.kind != .absent, field.kind != .failed, let time = row.typicalTime
    else {
      return .init(
        text: group.row(of: backend).flatMap(Phrases.refusal) ?? field.words.text, detail: "", ratio: nil,
        isBest: false, hover: hover)
    }
    // Table fields have little space, so `batched` and `work-alike` are left out. The tooltip has all marks.
    let words = field.words.text.replacing(Term.notComparable.rawValue, with: "n.c.").split(separator: " ").dropFirst(2)
    let short = words.map(String.init).filter { !["batched", Fidelity.workAlike.rawValue].contains($0) }
      .map { Self.short[$0] ?? $0 }
    return .init(
      text: NumberFormat.time(time), detail: short.joined(separator: " "), ratio: field.ratio,
      isBest: field.kind == .best, hover: hover)
  }

  /// Returns the table field of a backend: the median time, the ratio to the fastest backend, and marks such as `~`
  /// (about as fast).
  func field(_ group: ComparisonGroup, _ backend: Spec) -> Table.Field {
    guard let row = group.row(of: backend) else { return .unmeasured }
    let predicted = row.predicted.map { ", predicted \(NumberFormat.time($0))" } ?? ""
    if let refusal = Table.Field.refusal(row, predicted, hover: row.note) { return refusal }
    guard let time = Figure.time(row) else { return .init("not timed", kind: .absent, hover: row.note) }
    let isRanked = ComparisonGroup.isRanked(row)
    // With one ranked result, the ratio would compare that result with itself.
    let best = isRanked && group.ranking.count > 1 ? group.best : nil
    let ratio = best.flatMap { Figure.ratio(row, to: $0) }
    let mark = best == nil ? nil : group.mark(of: row)
    let marks = [mark, isRanked && group.exceeds(row) ? "^" : nil].compactMap { $0 } + Phrases.marks(row)
    let words = "\(time)" + (ratio.map { " \($0)" } ?? "") + RichText(marks.map { " \($0)" }.joined())
    let hover = [
      row.p50Interval.map(NumberFormat.times), row.note.isEmpty ? nil : row.note,
      row.level.map { "level \($0.rawValue)" },
    ].compactMap { $0 }
    let isLeading = best != nil && group.isLeading(row)
    return .init(words, kind: isLeading ? .best : .value, ratio: ratio?.value, hover: hover.joined(separator: "; "))
  }
}

extension ComparisonGroup {
  var pattern: Cell { work.with { $0.durability = durability } }

  func row(of backend: Spec) -> SummaryRow? { rows.first { $0.cell.backend == backend } }
}
