import Foundation

/// Checks the data of the page's script: every row of the summary, with its fields and its time.
enum PageDataCheck: RunCheck {
  static let name = "page data"

  static func problems(_ run: FinishedRun) -> [String] {
    guard let data = FinishedRun.object(run.page.data),
      let rows = data["rows"] as? [[String: Any]], let columns = data["columns"] as? [String],
      let lines = data["lines"] as? [[String: Any]], let backends = data["backends"] as? [[String: Any]]
    else { return ["the page has no data that its script could read"] }
    var problems: [String] = []
    if rows.count != run.rows.count { problems.append("\(rows.count) rows, the summary has \(run.rows.count)") }
    // Cells of runs merged from several machines occur once per machine.
    let summaries = Dictionary(grouping: run.rows, by: \.cell)
    for row in rows {
      let cell = row["cell"] as? String ?? ""
      guard let known = summaries[cell], known.count == 1, let summary = known.first else {
        if summaries[cell] == nil { problems.append("\(cell) is not in the summary") }
        continue
      }
      let fields = Dictionary(
        zip(columns, (row["exact"] as? String ?? "").components(separatedBy: ",")),
        uniquingKeysWith: { first, _ in first })
      for (column, value) in fields where value != summary.text(column) {
        problems.append("\(cell): \(column) is \(value), the summary says \(summary.text(column))")
      }
      let time = (row["time"] as? NSNumber)?.doubleValue
      let exact = summary.text("status") == "ok" ? summary.time : nil
      if !areEqual(time, exact) {
        problems.append("\(cell): its time is \(time ?? 0), the summary says \(exact ?? 0)")
      }
      let line = lines[row["line"] as? Int ?? 0]
      if "\(line["records"] ?? "")" != summary.text("records") { problems.append("\(cell) is on another size's line") }
      let name = backends[row["backend"] as? Int ?? 0]["name"] as? String ?? ""
      if name != summary.backend { problems.append("\(cell) is in the column \(name)") }
    }
    return problems
  }

  /// Compares numbers with the precision of the page and of the summary.
  private static func areEqual(_ one: Double?, _ other: Double?) -> Bool {
    guard let one, let other else { return one == nil && other == nil }
    return abs(one - other) <= max(0.001, abs(other) * 1e-6)
  }
}
