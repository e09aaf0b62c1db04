import StorageContract
import StorageRunFiles

/// A part of a report that is made from a run.
///
/// To add one, write a file with a conforming type and add its line to ``RunReport/builders``.
protocol SectionBuilder: Sendable {
  /// The section, or nil where the run has nothing for it.
  static func section(_ input: SectionInput) -> Section?
  /// Where it is shown: on the page, unless it says otherwise.
  static var media: Media { get }
  /// The folded part of the page that has it: the details, unless it says otherwise. Nil if it is shown at once.
  static var tab: Tab? { get }
}

extension SectionBuilder {
  static var media: Media { .page }
  static var tab: Tab? { .details }

  /// The section as it stands in the document; none where the run has nothing for it.
  static func sections(_ input: SectionInput) -> [Section] {
    guard var section = section(input) else { return [] }
    section.media = media
    section.tab = tab
    return [section]
  }
}

/// What sections are made from: the run, and how each backend is marked in all of its pictures.
struct SectionInput: Sendable {
  /// The run.
  let model: ReportModel
  private let marks: [Spec: SeriesMark]

  /// Tables with more lines than this are folded where a picture shows the same: beside a picture there is room for as
  /// many.
  static let longTable = 16

  /// Gives each backend of a run a mark.
  init(_ model: ReportModel) {
    self.model = model
    marks = model.marks
  }

  /// The colour, shape and dashes that distinguish a backend from the others.
  func mark(_ backend: Spec) -> SeriesMark { marks[backend] ?? SeriesMark(index: 0) }
}

/// The numbers of a row as they are shown, each with the column of `summary.csv` that it comes from.
extension Figure {
  /// The median of a row, or what stands for it; nil where it was not timed.
  static func time(_ row: SummaryRow) -> Figure? {
    guard let time = row.typicalTime else { return nil }
    return Figure(NumberFormat.time(time), time, of: timeSource(row))
  }

  /// ``SummaryRow/answerTime``, `33 us mean` where it is the mean; nil where the row was not timed.
  static func answer(_ row: SummaryRow) -> Figure? {
    guard row.meanDiffers, let mean = row.mean else { return time(row) }
    return Figure("\(NumberFormat.time(mean)) mean", mean, of: Source(cell: row.cell.name, column: "mean_ns"))
  }

  /// Where ``SummaryRow/typicalTime`` comes from: a mix has a rate, of which it is the inverse.
  private static func timeSource(_ row: SummaryRow) -> Source {
    Source(cell: row.cell.name, column: row.p50 == nil ? "ops_per_s" : "p50_ns")
  }

  /// One of a row's times in nanoseconds, by its column.
  static func time(_ value: Double?, _ column: String, of row: SummaryRow) -> Figure? {
    value.map { Figure(NumberFormat.time($0), $0, of: Source(cell: row.cell.name, column: column)) }
  }

  /// By which factor a row is slower than another: the number of the verdict.
  static func ratio(_ row: SummaryRow, to best: SummaryRow) -> Figure? {
    guard let factor = RowComparison.factor(base: best, head: row) else { return nil }
    return Figure(
      NumberFormat.ratio(factor), factor, of: timeSource(row), by: timeSource(best),
      isByRound: RowComparison(base: best, head: row) != nil)
  }

  /// A count of the cost pass per operation.
  static func count(
    _ row: SummaryRow, _ path: KeyPath<Cost, Int?>, _ column: String, _ unit: (Double) -> String
  ) -> Figure? {
    row.perOperation(path).map {
      Figure(
        unit($0), $0, of: Source(cell: row.cell.name, column: column),
        by: Source(cell: row.cell.name, column: "counted_operations"))
    }
  }

  /// A size in bytes of the cost pass.
  static func bytes(_ row: SummaryRow, _ path: KeyPath<Cost, Int?>, _ column: String) -> Figure? {
    row.cost?[keyPath: path].map {
      Figure(NumberFormat.bytes(Double($0)), Double($0), of: Source(cell: row.cell.name, column: column))
    }
  }

  /// A count of the cost pass as a whole.
  static func total(_ row: SummaryRow, _ path: KeyPath<Cost, Int?>, _ column: String) -> Figure? {
    row.cost?[keyPath: path].map {
      Figure(Quantity.grouped($0), Double($0), of: Source(cell: row.cell.name, column: column))
    }
  }

  /// One count of a row by another.
  static func quotient(_ row: SummaryRow, _ value: Double?, _ column: String, by divisor: String) -> Figure? {
    value.map {
      Figure(
        NumberFormat.ratio($0), $0, of: Source(cell: row.cell.name, column: column),
        by: Source(cell: row.cell.name, column: divisor))
    }
  }
}

extension ReportModel {
  /// The colour, shape and dashes of each backend. An engine has its own in every run; its options differ by dashes.
  var marks: [Spec: SeriesMark] {
    var appearances: [Spec: Appearance] = [:]
    for row in rows { appearances[row.cell.backend] = row.appearance }
    return SeriesMark.marks(of: backends) { appearances[$0] }
  }
}

extension SummaryRow {
  /// The workload with what differs from 100 bytes, 1 thread and so on.
  var task: String { (["\(cell.workload)"] + cell.conditionWords).joined(separator: ", ") }
}
