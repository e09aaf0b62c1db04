import StorageRunFiles

/// The numbers of a row as they are shown, each with the column of `summary.csv` that it comes from.
extension Figure {
  /// The median of a row, or what stands for it; nil where it was not timed.
  static func time(_ row: SummaryRow) -> Figure? {
    guard let time = row.typicalTime else { return nil }
    return Figure(NumberFormat.time(time), time, of: timeSource(row))
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

  /// One count of a row by another.
  static func quotient(_ row: SummaryRow, _ value: Double?, _ column: String, by divisor: String) -> Figure? {
    value.map {
      Figure(
        NumberFormat.ratio($0), $0, of: Source(cell: row.cell.name, column: column),
        by: Source(cell: row.cell.name, column: divisor))
    }
  }
}
