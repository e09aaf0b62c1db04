import StorageContract
import StorageRunFiles

/// Functions that create the numbers of a report. Each number refers to its field of `summary.csv`.
extension Figure {
  /// Creates a figure that refers to the column `column` of a result in `summary.csv`, divided by that of `divisor`.
  init(_ text: String, _ value: Double, of row: SummaryRow, _ column: String, by divisor: String? = nil) {
    func source(_ column: String) -> Source { Source(cell: row.cell.name, column: column) }
    self.init(text: text, value: value, source: source(column), divisor: divisor.map(source))
  }

  static func time(_ row: SummaryRow) -> Figure? { time(row.typicalTime, timeSource(row).column, of: row) }

  /// Returns an operation's time, if timed: usually the median or, if much longer, the mean, marked as such.
  static func answer(_ row: SummaryRow) -> Figure? {
    guard row.meanDiffers, let mean = row.mean else { return time(row) }
    return Figure("\(NumberFormat.time(mean)) mean", mean, of: row, "mean_ns")
  }

  /// Returns the field of `summary.csv` from which an operation's time comes, usually the median time.
  private static func timeSource(_ row: SummaryRow) -> Source {
    Source(cell: row.cell.name, column: row.p50 == nil ? "ops_per_s" : "p50_ns")
  }

  static func time(_ value: Double?, _ column: String, of row: SummaryRow) -> Figure? {
    value.map { Figure(NumberFormat.time($0), $0, of: row, column) }
  }

  static func operations(_ count: Int, _ column: String, of row: SummaryRow) -> Figure {
    Figure(Quantity.grouped(count), Double(count), of: row, column)
  }

  static func rate(_ row: SummaryRow) -> Figure? {
    row.operationsPerSecond.map { Figure(NumberFormat.rate($0), $0, of: row, "ops_per_s") }
  }

  /// Returns the factor by which a result is slower than the result `best`. Nil if one of the two was not timed.
  static func ratio(_ row: SummaryRow, to best: SummaryRow) -> Figure? {
    guard let factor = RowComparison.factor(base: best, head: row) else { return nil }
    return Figure(
      text: NumberFormat.ratio(factor.value), value: factor.value, source: timeSource(row), divisor: timeSource(best),
      isByRound: factor.isByRound)
  }

  /// Returns a count per operation, such as of syncs. Nil if not counted.
  static func count(_ row: SummaryRow, _ path: KeyPath<Cost, Int?>) -> Figure? {
    guard let measure = measure(path), let count = row.perOperation(path) else { return nil }
    let text = measure.unit == .bytes ? NumberFormat.bytes(count) : NumberFormat.perOperation(count)
    return Figure(text, count, of: row, measure.column, by: "counted_operations")
  }

  /// Returns a number of the whole measurement, such as the size of the store's files. Nil if not measured.
  static func total(_ row: SummaryRow, _ path: KeyPath<Cost, Int?>) -> Figure? {
    guard let measure = measure(path), let total = row.cost?[keyPath: path] else { return nil }
    let text = measure.unit == .bytes ? NumberFormat.bytes(Double(total)) : Quantity.grouped(total)
    return Figure(text, Double(total), of: row, measure.column)
  }

  /// Returns the quotient of two numbers of the whole measurement. Nil if one is not measured, or if the divisor is 0.
  static func quotient(_ row: SummaryRow, _ path: KeyPath<Cost, Int?>, by divisor: KeyPath<Cost, Int?>) -> Figure? {
    guard let measure = measure(path), let divisorMeasure = self.measure(divisor), let total = row.cost?[keyPath: path],
      let other = row.cost?[keyPath: divisor], other > 0
    else { return nil }
    let quotient = Double(total) / Double(other)
    return Figure(NumberFormat.ratio(quotient), quotient, of: row, measure.column, by: divisorMeasure.column)
  }

  /// Returns the measure whose value is at `path`. The measure also names the column of the value in `summary.csv`.
  private static func measure(_ path: KeyPath<Cost, Int?>) -> Measure? { Measure.all.first { $0.path == path } }

  static func finding(_ row: SummaryRow, _ name: String, _ unit: (Double) -> String) -> Figure? {
    row.finding(name).map { Figure(unit($0), $0, of: row, "findings") }
  }
}

extension Table {
  /// The number of rows above which a table beside a chart is collapsed. A chart is about as high as 16 rows.
  static let long = 16
}

extension Table.Field {
  /// Returns the field shown instead of a time, such as `FAILED`, followed by `more`. Nil if the benchmark succeeded.
  static func refusal(_ row: SummaryRow, _ more: String = "", hover: String? = nil) -> Table.Field? {
    Phrases.refusal(row).map {
      .init(RichText($0 + more), kind: row.status == .failed ? .failed : .absent, hover: hover)
    }
  }

  /// Returns the field of a time, marked with `×1` if only one process timed it, or the field shown instead of a time.
  static func time(_ row: SummaryRow, _ time: Figure?, hover: String? = nil) -> Table.Field {
    refusal(row, hover: hover) ?? time.map { .init(row.isTimedOnce ? "\($0) ×1" : "\($0)") } ?? .unmeasured
  }
}

extension [SummaryRow] {
  /// Returns the successful results of the workload `id` with any options.
  func measured(_ id: String) -> [SummaryRow] { filter { $0.cell.workload.id == id && $0.status == .ok } }
}

/// Columns that several tables of benchmark results have.
extension ItemColumn<SummaryRow> {
  static var cell: Self { .words("cell") { row in RichText([.code(row.cell.name)]) } }
  static var backend: Self { .words("backend", Phrases.name) }
  static var workload: Self { .words("workload", \.task) }
  static var records: Self { .number("records") { Quantity.grouped($0.cell.records) } }
  static var p50: Self { .number("p50") { Figure.time($0) } }
  static var p99: Self { .number("p99") { Figure.time($0.p99, "p99_ns", of: $0) } }
  static var max: Self { .number("max") { Figure.time($0.max, "max_ns", of: $0) } }
}

/// Columns that several tables of costs by number of records have.
extension ItemColumn<CostSeries> {
  static var backend: Self { .words("backend", \.name) }
  static var workload: Self { .words("workload") { "\($0.pattern.workload)" } }
  static var asked: Self { .words("asked") { $0.durability?.rawValue ?? "-" } }
  static var level: Self { .words("level") { $0.level?.rawValue ?? "-" } }
}

extension SummaryRow {
  var task: String { (["\(cell.workload)"] + cell.conditionWords).joined(separator: ", ") }

  var isMix: Bool { cell.workload.id == "mix" || !kinds.isEmpty }

  /// Whether the benchmark has a result to show: a time, counts, or a failure (`FAILED`).
  var isSeen: Bool { processes > 0 || cost != nil || status == .failed }
}
