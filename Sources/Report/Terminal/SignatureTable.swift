import Contract

/// The table of the signature question: what one small save costs as the store grows.
struct SignatureTable {
  /// A line for each.
  let series: [SaveCost]
  /// The sizes that have a column: the smallest and the largest where there are too many.
  private let sizes: [Int]

  init(series: [SaveCost]) {
    // Strongest promise first, so that no order by speed runs across levels; floors last.
    self.series = series.enumerated().sorted { left, right in
      let keys = (Self.key(left.element), Self.key(right.element))
      return keys.0 != keys.1 ? keys.0 < keys.1 : left.offset < right.offset
    }.map(\.element)
    let all = Set(series.flatMap { $0.rows.map(\.cell.records) }).sorted()
    sizes = all.count <= 4 ? all : [all[0]] + all.suffix(3)
  }

  private static func key(_ series: SaveCost) -> (Int, Double) {
    let place = Level.allCases.firstIndex(of: series.level ?? .volatile) ?? 0
    let time = series.rows.last { $0.status == .ok && $0.typicalTime != nil }?.typicalTime ?? .infinity
    return (series.isFloor ? 1 : -place, time)
  }

  /// The title and the table.
  func lines(width: Int) -> [String] {
    let columns =
      [("", TerminalTable.Alignment.left)] + sizes.map { (Quantity.grouped($0), .right) }
      + [("bytes/save", .right), ("syncs", .right), ("under 1 frame", .left), ("after a power cut", .left)]
    let rows = series.map(fields)
    var table = TerminalTable(columns: columns, rows: rows, headerWidth: 20)
    let widest = table.lines(width: .max).map(\.count).max() ?? 0
    if widest > width {
      // Long options wrap under their backend rather than push the last columns off.
      let room = max(12, (rows.map { $0[0].count }.max() ?? 0) - (widest - width))
      table.rows = rows.flatMap { row -> [[String]] in
        let names = TerminalTable.wrapped(row[0], to: room)
        return [[names[0]] + row.dropFirst()]
          + names.dropFirst().map { ["  " + $0] + row.dropFirst().map { _ in "" } }
      }
    }
    let title = "One small save into a store of N records"
    let note = "each library as it ships"
    let space = String(repeating: " ", count: max(2, min(55, width - note.count) - title.count))
    return [title + space + note] + table.lines(width: width)
  }

  private func fields(_ series: SaveCost) -> [String] {
    let name = Verdict.name(series.backend, isLookalike: series.isLookalike)
    let times = sizes.map { size -> String in
      guard let row = series.rows.first(where: { $0.cell.records == size }) else { return "-" }
      if let refusal = Verdict.refusal(row) { return refusal }
      return row.typicalTime.map { Figures.time($0) + (row.isTimedOnce ? " x1" : "") } ?? "-"
    }
    let counted = series.largestCounted
    return [name] + times + [
      counted?.perOperation(\.bytesWrittenSettled).map(Figures.bytes) ?? "-",
      counted?.perOperation(\.syncs).map(Figures.perOperation) ?? "-",
      series.rows.contains { $0.status == .ok && $0.typicalTime != nil }
        ? series.limit(SaveCost.frame).inWords : "-",
      series.isFloor ? "floor, not ranked" : series.afterPowerCut,
    ]
  }
}
