import StorageContract
import StorageRunFiles

/// The data of a report section: the run, and the color and shape of each backend in charts.
struct SectionInput: Sendable {
  let model: ReportModel
  private let marks: [Spec: SeriesMark]

  /// The number of rows above which a table beside a chart is collapsed. A chart is about as high as 16 rows.
  static let longTable = 16

  init(_ model: ReportModel) {
    self.model = model
    marks = model.marks
  }

  func mark(_ backend: Spec) -> SeriesMark { marks[backend] ?? SeriesMark(index: 0) }
}

/// Functions that create the numbers of a report. Each number refers to its field of `summary.csv`.
extension Figure {
  static func time(_ row: SummaryRow) -> Figure? {
    guard let time = row.typicalTime else { return nil }
    return Figure(NumberFormat.time(time), time, of: timeSource(row))
  }

  /// Returns an operation's time: usually the median or, if much longer, the mean, marked with the word `mean`. Nil if
  /// nothing was timed.
  static func answer(_ row: SummaryRow) -> Figure? {
    guard row.meanDiffers, let mean = row.mean else { return time(row) }
    return Figure("\(NumberFormat.time(mean)) mean", mean, of: Source(cell: row.cell.name, column: "mean_ns"))
  }

  /// Returns the field of `summary.csv` from which an operation's time comes, usually the median time.
  private static func timeSource(_ row: SummaryRow) -> Source {
    Source(cell: row.cell.name, column: row.p50 == nil ? "ops_per_s" : "p50_ns")
  }

  static func time(_ value: Double?, _ column: String, of row: SummaryRow) -> Figure? {
    value.map { Figure(NumberFormat.time($0), $0, of: Source(cell: row.cell.name, column: column)) }
  }

  /// Returns the factor by which a result is slower than the result `best`. Nil if one of the two was not timed.
  static func ratio(_ row: SummaryRow, to best: SummaryRow) -> Figure? {
    guard let factor = RowComparison.factor(base: best, head: row) else { return nil }
    return Figure(
      NumberFormat.ratio(factor), factor, of: timeSource(row), by: timeSource(best),
      isByRound: RowComparison(base: best, head: row) != nil)
  }

  static func count(
    _ row: SummaryRow, _ path: KeyPath<Cost, Int?>, _ column: String, _ unit: (Double) -> String
  ) -> Figure? {
    row.perOperation(path).map {
      Figure(
        unit($0), $0, of: Source(cell: row.cell.name, column: column),
        by: Source(cell: row.cell.name, column: "counted_operations"))
    }
  }

  static func bytes(_ row: SummaryRow, _ path: KeyPath<Cost, Int?>, _ column: String) -> Figure? {
    row.cost?[keyPath: path].map {
      Figure(NumberFormat.bytes(Double($0)), Double($0), of: Source(cell: row.cell.name, column: column))
    }
  }

  static func total(_ row: SummaryRow, _ path: KeyPath<Cost, Int?>, _ column: String) -> Figure? {
    row.cost?[keyPath: path].map {
      Figure(Quantity.grouped($0), Double($0), of: Source(cell: row.cell.name, column: column))
    }
  }

  static func quotient(_ row: SummaryRow, _ value: Double?, _ column: String, by divisor: String) -> Figure? {
    value.map {
      Figure(
        NumberFormat.ratio($0), $0, of: Source(cell: row.cell.name, column: column),
        by: Source(cell: row.cell.name, column: divisor))
    }
  }
}

extension ReportModel {
  /// The color, shape and dashes of each backend in charts. Backends that differ only in options differ only in dashes.
  var marks: [Spec: SeriesMark] {
    var appearances: [Spec: Appearance] = [:]
    for row in rows { appearances[row.cell.backend] = row.appearance }
    return SeriesMark.marks(of: backends) { appearances[$0] }
  }
}

extension SummaryRow {
  var task: String { (["\(cell.workload)"] + cell.conditionWords).joined(separator: ", ") }
}
