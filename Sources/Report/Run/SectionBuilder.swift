import StorageContract
import StorageRunFiles

/// A builder of one section of a run's report.
///
/// To add a section, write a file with a conforming type and add its line to ``RunReport/builders``.
protocol SectionBuilder: Sendable {
  /// Returns the section, or nil if the run has no data for it.
  static func section(_ input: SectionInput) -> Section?
  /// The media that show the section. The default is the page.
  static var media: Media { get }
  /// The folded part of the page that contains the section, by default the details. Nil if the section is not folded.
  static var tab: Tab? { get }
}

extension SectionBuilder {
  static var media: Media { .page }
  static var tab: Tab? { .details }

  /// Returns the section with its media, or an empty list if the run has no data for it.
  static func sections(_ input: SectionInput) -> [Section] {
    guard var section = section(input) else { return [] }
    section.media = media
    section.tab = tab
    return [section]
  }
}

/// The input of section builders: the run, and the mark of each backend in all charts.
struct SectionInput: Sendable {
  let model: ReportModel
  private let marks: [Spec: SeriesMark]

  /// The number of rows above which a table is folded if a chart shows the same. That many fit beside a chart.
  static let longTable = 16

  init(_ model: ReportModel) {
    self.model = model
    marks = model.marks
  }

  /// Returns the colour, shape and dashes of a backend in charts.
  func mark(_ backend: Spec) -> SeriesMark { marks[backend] ?? SeriesMark(index: 0) }
}

/// The figures of a row as shown, each with its column of `summary.csv`.
extension Figure {
  /// Returns the typical time of a row as a figure. Nil if the row was not timed.
  static func time(_ row: SummaryRow) -> Figure? {
    guard let time = row.typicalTime else { return nil }
    return Figure(NumberFormat.time(time), time, of: timeSource(row))
  }

  /// Returns ``SummaryRow/answerTime`` as a figure, with the word `mean` if it is the mean. Nil if not timed.
  static func answer(_ row: SummaryRow) -> Figure? {
    guard row.meanDiffers, let mean = row.mean else { return time(row) }
    return Figure("\(NumberFormat.time(mean)) mean", mean, of: Source(cell: row.cell.name, column: "mean_ns"))
  }

  /// Returns the source of ``SummaryRow/typicalTime``. For a mix it is the rate, of which the time is the inverse.
  private static func timeSource(_ row: SummaryRow) -> Source {
    Source(cell: row.cell.name, column: row.p50 == nil ? "ops_per_s" : "p50_ns")
  }

  /// Returns one of a row's times as a figure, from nanoseconds and the name of the column.
  static func time(_ value: Double?, _ column: String, of row: SummaryRow) -> Figure? {
    value.map { Figure(NumberFormat.time($0), $0, of: Source(cell: row.cell.name, column: column)) }
  }

  /// Returns the factor by which a row is slower than the best as a figure, as in the verdict.
  static func ratio(_ row: SummaryRow, to best: SummaryRow) -> Figure? {
    guard let factor = RowComparison.factor(base: best, head: row) else { return nil }
    return Figure(
      NumberFormat.ratio(factor), factor, of: timeSource(row), by: timeSource(best),
      isByRound: RowComparison(base: best, head: row) != nil)
  }

  /// Returns a count of the cost pass per operation as a figure.
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

  /// Returns one count of a row divided by another as a figure.
  static func quotient(_ row: SummaryRow, _ value: Double?, _ column: String, by divisor: String) -> Figure? {
    value.map {
      Figure(
        NumberFormat.ratio($0), $0, of: Source(cell: row.cell.name, column: column),
        by: Source(cell: row.cell.name, column: divisor))
    }
  }
}

extension ReportModel {
  /// The mark of each backend in charts. An engine has one colour and shape in all runs; options differ by dashes.
  var marks: [Spec: SeriesMark] {
    var appearances: [Spec: Appearance] = [:]
    for row in rows { appearances[row.cell.backend] = row.appearance }
    return SeriesMark.marks(of: backends) { appearances[$0] }
  }
}

extension SummaryRow {
  /// The workload of the row with the conditions that differ from the defaults, such as 100 bytes and 1 thread.
  var task: String { (["\(cell.workload)"] + cell.conditionWords).joined(separator: ", ") }
}
