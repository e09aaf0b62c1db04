import StorageContract
import StorageStatistics

/// The charts that compare the times of two runs, one chart for each workload and durability.
struct RunCurves {
  /// The times of one benchmark in nanoseconds: `base` in the earlier run, `head` in the later run.
  typealias Pair = (cell: Cell, base: Double, head: Double)

  /// The label of the earlier run, such as `before (a)` for a run named `a`.
  private let base: String
  private let head: String
  private let pairs: [Pair]
  private let mark: (Spec) -> SeriesMark
  private let name: (Spec) -> String

  static func section(_ comparison: Comparison) -> Section? {
    guard comparison.subject == .runs else { return nil }
    let pairs = comparison.judgements.compactMap { judgement -> Pair? in
      guard let time = judgement.time, let cell = Cell(named: judgement.name) else { return nil }
      return (cell, time.base, time.head)
    }
    func appearance(_ backend: Spec) -> Appearance? { comparison.looks?["\(backend)"] }
    let marks = SeriesMark.marks(of: pairs.map(\.cell.backend).unique, appearance)
    let curves = RunCurves(
      base: "before (\(comparison.base.name))", head: "now (\(comparison.head.name))", pairs: pairs,
      mark: { marks[$0] ?? SeriesMark(index: 0) }, name: { Phrases.name($0, appearance($0)) ?? "\($0)" })
    let shown = curves.shown
    guard !shown.isEmpty else { return nil }
    let lead: RichText =
      "The median time of one operation in both runs. They were not made side by side: a difference may be the machine's."
    var section = Section(
      id: "curves", title: "Both runs in one picture", media: .page, lead: [lead], tables: shown.map(\.table))
    section.charts = shown.map(\.chart)
    section.guide = [
      "Each backend has one colour. Its line in the earlier run is dashed and has hollow marks, in the later one it is whole and has filled marks. Where lines lie on each other, nothing changed."
    ]
    return section
  }

  private var shown: [(chart: any Chart, table: Table)] {
    pairs.grouped { pair in pair.cell.with { ($0.backend, $0.records) = (Spec(id: ""), 0) } }.map { work, members in
      let subject = (["\(work.workload)"] + work.conditionWords + [work.durability?.words].compactMap { $0 })
        .joined(separator: ", ")
      let sizes = Set(members.map(\.cell.records)).sorted()
      let chart: any Chart =
        sizes.count > 1 ? growth(work, subject, members) : dumbbells(work, subject, members, records: sizes[0])
      return (chart, table(subject, members))
    }
  }

  private func summary(_ members: [Pair]) -> String {
    let words = members.map { pair in
      let times = "\(NumberFormat.time(pair.base)) and \(NumberFormat.time(pair.head))"
      return "\(name(pair.cell.backend)) \(times) at \(Quantity.grouped(pair.cell.records)) records"
    }
    return "Before and now: \(words.joined(separator: "; "))."
  }

  private func growth(_ work: Cell, _ subject: String, _ members: [Pair]) -> GrowthChart {
    let lines = members.grouped { $0.cell.backend }.flatMap { backend, pairs -> [GrowthChart.Line] in
      let sorted = pairs.sorted { $0.cell.records < $1.cell.records }
      return [true, false].compactMap { isBefore in
        let points = sorted.map { pair in
          let time = isBefore ? pair.base : pair.head
          let hover = "\(isBefore ? base : head), \(Quantity.grouped(pair.cell.records)) records: "
          return GrowthChart.Point(x: Double(pair.cell.records), y: time, hover: hover + NumberFormat.time(time))
        }
        guard let fit = GrowthFit(points.map { ($0.x, $0.y) }) else { return nil }
        return .init(mark: mark(backend), name: name(backend), points: points, curve: fit.curve, isBefore: isBefore)
      }
    }
    return GrowthChart(
      id: work.chartID("runs", ofReads: "reads"), title: "\(subject): median time in both runs",
      summary: summary(members), note: "Dashed and hollow: \(base). Whole and filled: \(head).",
      unit: { NumberFormat.tick(NumberFormat.time($0)) }, lines: lines)
  }

  private func dumbbells(_ work: Cell, _ subject: String, _ members: [Pair], records: Int) -> IntervalChart {
    IntervalChart(
      id: work.chartID("runs", ofReads: "reads"),
      title: "\(subject), \(Quantity.grouped(records)) records: median time in both runs",
      summary: summary(members), note: "Hollow: \(base). Filled: \(head).",
      rows: members.map { pair in
        let times = (NumberFormat.time(pair.base), NumberFormat.time(pair.head))
        return .init(
          name: name(pair.cell.backend), value: pair.head,
          text: times.0 == times.1 ? times.0 : "\(times.0) to \(times.1)", mark: mark(pair.cell.backend),
          hover: "\(name(pair.cell.backend)): \(base) \(times.0), \(head) \(times.1)", before: pair.base)
      }, unit: { NumberFormat.tick(NumberFormat.time($0)) })
  }

  private func table(_ subject: String, _ members: [Pair]) -> Table {
    Table(
      "\(subject): the times of both runs", of: members,
      [
        .words("backend") { name($0.cell.backend) }, .number("records") { Quantity.grouped($0.cell.records) },
        .number(base) { NumberFormat.time($0.base) }, .number(head) { NumberFormat.time($0.head) },
        .number("change") { NumberFormat.change($0.head / $0.base) },
      ], isFolded: true)
  }
}

extension Cell {
  /// Parses the name of a benchmark, such as `sqlite/save-one/100/shipped`. Nil for any other text.
  init?(named name: String) {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.count >= 4, let records = Int(parts[2]) else { return nil }
    self.init(
      backend: Spec(verbatim: parts[0]), workload: Spec(verbatim: parts[1]), records: records,
      durability: Durability(rawValue: parts[3]))
    for part in parts.dropFirst(4) {
      let pair = part.split(separator: "=").map(String.init)
      switch (pair.first, pair.last.flatMap(Quantity.bytes)) {
      case ("bytes", let bytes?): recordBytes = bytes
      case ("threads", let count?): threads = count
      case ("cold", _): cache = .cold
      case ("aged", let times?): aged = times
      case ("memory", let bytes?): memory = bytes
      default: return nil
      }
    }
    guard self.name == name else { return nil }
  }
}
