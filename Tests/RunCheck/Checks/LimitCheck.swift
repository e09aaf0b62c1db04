/// Checks up to how many records a save fits into a frame, against the times at the measured sizes.
enum LimitCheck: RunCheck {
  static let name = "frame limit"

  static func problems(_ run: FinishedRun) -> [String] {
    let sentences = problems(run, under: "Up to how many records") { check($0, $1, 16.7e6) }
    let fields = run.page.tables.filter { $0.caption == "Frame limit" }.flatMap { table in
      table.rows.flatMap { row -> [String] in
        zip(table.columns, row).flatMap { column, field -> [String] in
          guard let limit = column.firstMatch(of: /under ([\d.]+) ms/).flatMap({ Double($0.1) }) else { return [] }
          // Half a frame of 16.7 ms is printed as 8.3.
          let rows = Series.rows(run, row[0].text, row[1].text)
          return check(field.text, rows, limit == 8.3 ? 8.35e6 : limit * 1e6).map {
            "\(row[0].text), \(row[1].text): \($0), but the table says \(field.text)"
          }
        }
      }
    }
    return sentences + fields
  }

  static func check(_ text: String, _ rows: [FinishedRun.Row], _ limit: Double) -> [String] {
    let timed = rows.filter(\.isTimed).compactMap { row in row.number("records").map { ($0, row.time ?? 0) } }
    guard let smallest = timed.first, let largest = timed.last else {
      return text == "not timed" ? [] : ["was not timed"]
    }
    let over = timed.first { $0.1 > limit }
    if text.hasPrefix("at every size measured") || text.hasPrefix("at the only size measured") {
      if text.hasPrefix("at every"), timed.count == 1 { return ["was measured at one size"] }
      if let over { return ["takes \(over.1) ns at \(over.0)"] }
      return outside(text) { $0.value + $0.slack >= largest.0 }
    }
    if let said = text.firstMatch(of: /^over one frame at ([\d,]+)/) {
      let size = Double(said.1.ungrouped)
      guard size == smallest.0, smallest.1 > limit else { return ["takes \(smallest.1) ns at \(smallest.0)"] }
      return outside(text) { $0.value - $0.slack <= smallest.0 }
    }
    guard let said = text.firstMatch(of: /^to (~[\d,]+)/), let crossing = Shown(said.1) else {
      return ["not understood: \(text)"]
    }
    guard let over, let under = timed.last(where: { $0.0 < over.0 }) else { return ["never crosses between two sizes"] }
    return crossing.value + crossing.slack >= under.0 && crossing.value - crossing.slack <= over.0
      ? [] : ["crosses between \(under.0) and \(over.0)"]
  }

  /// Checks that an extrapolated size is outside of the measured sizes.
  private static func outside(_ text: String, _ isOutside: (Shown) -> Bool) -> [String] {
    guard let said = text.firstMatch(of: /extrapolated: to (~[\d,]+)/), let size = Shown(said.1) else {
      return []
    }
    return isOutside(size) ? [] : ["extrapolated into what was measured"]
  }
}
