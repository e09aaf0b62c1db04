import StorageContract

/// The table of the signature comparison: what one small save costs as the store grows.
struct SignatureTable {
  /// A line for each.
  let series: [CostSeries]
  /// The sizes that have a column: the smallest and the largest where there are too many.
  private var sizes: [Int]

  init(series: [CostSeries]) {
    // Strongest promise first, so that no order by speed runs across levels; floors last.
    self.series = series.enumerated().sorted { left, right in
      let keys = (Self.key(left.element), Self.key(right.element))
      return keys.0 != keys.1 ? keys.0 < keys.1 : left.offset < right.offset
    }.map(\.element)
    let all = Set(series.flatMap { $0.rows.map(\.cell.records) }).sorted()
    sizes = all.count <= 4 ? all : [all[0]] + all.suffix(3)
  }

  private static func key(_ series: CostSeries) -> (Int, Double) {
    let place = Level.allCases.firstIndex(of: series.level ?? .volatile) ?? 0
    let time = series.rows.last { $0.status == .ok && $0.typicalTime != nil }?.typicalTime ?? .infinity
    return (series.isFloor ? 1 : -place, time)
  }

  /// The title and the table.
  func lines(width: Int) -> [String] {
    var copy = self
    // The middle sizes go first where the terminal is too narrow: growth is seen from the ends.
    while copy.sizes.count > 2, copy.widest(names: Self.shortestName) > width { copy.sizes.remove(at: 1) }
    let title = "One small save into a store of N records"
    let asked = series.first?.durability
    let note =
      asked == .shipped ? "each library as it ships" : "every library set to \(asked?.rawValue ?? "-")"
    let space = String(repeating: " ", count: max(2, min(55, width - note.count) - title.count))
    return [title + space + note] + copy.body(width)
  }

  /// Room that is left for a name before sizes are dropped for it.
  private static let shortestName = 13

  private func widest(names: Int) -> Int { table(names: names).lines(width: .max).map(\.count).max() ?? 0 }

  private func table(names: Int) -> TerminalTable {
    let rows = series.map { [Self.name($0, names)] + fields($0) }
    return TerminalTable(
      columns: [("", .left)] + sizes.map { (Quantity.grouped($0), .right) }
        + [
          ("bytes/save", .right), ("syncs", .right), ("under 1 frame", .left), ("after a power cut", .left),
        ],
      rows: rows, headerWidth: 20)
  }

  /// The table; names that would make it too wide have their options on a line of their own below the figures.
  private func body(_ width: Int) -> [String] {
    let longest = series.map { Self.name($0, .max).count }.max() ?? 0
    let room = longest - max(0, widest(names: .max) - width)
    let table = table(names: room)
    let lines = table.lines(width: width)
    guard lines.count == series.count + 1 else { return lines }
    return [lines[0]]
      + zip(series, lines.dropFirst()).flatMap { series, line in
        Self.name(series, .max).count > room ? [line, "  \(series.backend.options)"] : [line]
      }
  }

  private static func name(_ series: CostSeries, _ room: Int) -> String {
    let name = series.name
    if name.count <= room || series.backend.options.isEmpty { return name }
    return Phrases.name(Spec(id: series.backend.id), isLookalike: series.isLookalike) + ":"
  }

  private func fields(_ series: CostSeries) -> [String] {
    let times = sizes.map { size -> String in
      guard let row = series.rows.first(where: { $0.cell.records == size }) else { return "-" }
      if let refusal = Phrases.refusal(row) { return refusal }
      return row.typicalTime.map { NumberFormat.time($0) + (row.isTimedOnce ? " x1" : "") } ?? "-"
    }
    let counted = series.largestCounted
    return times + [
      counted?.perOperation(\.bytesWrittenSettled).map(NumberFormat.bytes) ?? "-",
      counted?.perOperation(\.syncs).map(NumberFormat.perOperation) ?? "-",
      series.rows.contains { $0.status == .ok && $0.typicalTime != nil }
        ? SizeLimit(SizeLimit.frame, of: series).inWords : "-",
      series.isFloor ? "floor, not ranked" : series.afterPowerCut,
    ]
  }
}
