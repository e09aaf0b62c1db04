import Foundation

/// Checks the stated cost of ten times the records, against the textbook's slope through the summary.
enum GrowthCheck: RunCheck {
  static let name = "growth"

  static func problems(_ run: FinishedRun) -> [String] {
    problems(run, under: "What a small save costs", check) + laws(run)
  }

  private static func points(_ rows: [FinishedRun.Row], _ what: String) -> [(x: Double, y: Double)] {
    rows.compactMap { row in
      let value = what == "bytes" ? row.perOperation("bytes_written_settled") : row.isTimed ? row.time : nil
      guard let records = row.number("records"), let value, value > 0 else { return nil }
      return (records, value)
    }
  }

  /// Returns the exponent of the least-squares line through the logarithms. Nil for fewer than two sizes.
  private static func slope(of points: [(x: Double, y: Double)]) -> Double? {
    let logs = points.map { (x: log($0.x), y: log($0.y)) }
    guard Set(logs.map(\.x)).count > 1 else { return nil }
    let count = Double(logs.count)
    let middle = (x: logs.reduce(0) { $0 + $1.x } / count, y: logs.reduce(0) { $0 + $1.y } / count)
    let above = logs.reduce(0) { $0 + ($1.x - middle.x) * ($1.y - middle.y) }
    return above / logs.reduce(0) { $0 + ($1.x - middle.x) * ($1.x - middle.x) }
  }

  private static func check(_ text: String, _ rows: [FinishedRun.Row]) -> [String] {
    if text.hasPrefix("how the cost grows is not known") {
      let isKnown = ["bytes", "time"].contains { points(rows, $0).count > 1 }
      return isKnown ? ["there are two sizes"] : []
    }
    guard text.hasPrefix("10 times the records cost ") else { return ["not understood"] }
    let said = text.matches(of: /about (?:the same|(\S+) times the) (bytes and (?:the )?time|bytes|time)/)
    guard !said.isEmpty else { return ["not understood"] }
    let costs = said.flatMap { match in
      ["bytes", "time"].filter { match.2.contains($0) }.map { (what: $0, multiple: match.1.map(String.init)) }
    }
    return costs.flatMap { what, multiple -> [String] in
      let points = points(rows, what)
      guard let slope = slope(of: points), let first = points.map(\.x).min(), let last = points.map(\.x).max() else {
        return ["the \(what) were measured at fewer than two sizes"]
      }
      // Over all sizes.
      let change = abs(slope) * log(last / first)
      guard let multiple else {
        return change < log(1.101) ? [] : ["the \(what) change \(exp(change)) times from \(first) to \(last) records"]
      }
      if change < log(1.099) { return ["the \(what) hardly change, \(exp(change)) times"] }
      return Shown(multiple)?.says(pow(10, slope)) == true ? [] : ["the \(what) cost \(pow(10, slope)) times as much"]
    }
  }

  /// Checks the slopes in the tables of fitted curves.
  private static func laws(_ run: FinishedRun) -> [String] {
    run.page.tables.filter { $0.caption == "Fitted cost curves" }.flatMap { table in
      table.rows.flatMap { row -> [String] in
        let texts = table.texts(row)
        guard let name = texts["backend"], let workload = texts["workload"], let asked = texts["asked"] else {
          return []
        }
        let rows = Series.rows(run, name, asked == "-" ? "" : asked, workload: workload)
        return ["bytes", "time"].flatMap { what -> [String] in
          guard let text = texts["\(what) at 10 times the records"],
            let stated = text.firstMatch(of: /slope (-?[\d.]+)/).flatMap({ Double($0.1) }),
            let slope = slope(of: points(rows, what))
          else { return [] }
          return abs(stated - slope) < 0.0056
            ? [] : ["\(name), \(workload): the slope of the \(what) is \(slope), not \(stated)"]
        }
      }
    }
  }
}

extension RunCheck {
  /// Checks the sentences under a heading of the verdict, such as `plist and archive (durable): TEXT.`, for each name.
  static func problems(
    _ run: FinishedRun, under title: String, _ check: (_ text: String, _ rows: [FinishedRun.Row]) -> [String]
  ) -> [String] {
    problems(of: run.page.items("verdict", title)) { item in
      guard let said = item.wholeMatch(of: /(?s)(.+?)(?: \((\w+)\))?: (.+)./) else { return nil }
      return Series.names(said.1).flatMap { name in
        check(String(said.3), Series.rows(run, name, said.2.map(String.init) ?? "shipped")).map { "\(name): \($0)" }
      }
    }
  }
}

/// Rows that differ only in their number of records.
enum Series {
  /// Returns the names in `plist, archive and sqlite`.
  static func names(_ text: Substring) -> [String] {
    text.replacing(" and ", with: ", ").replacing(" or ", with: ", ").components(separatedBy: ", ")
  }

  /// Returns the rows of a backend with the name on a page, sorted by size, in the shape of the first row of the
  /// workload.
  static func rows(
    _ run: FinishedRun, _ name: String, _ asked: String, workload: String = "save-one"
  ) -> [FinishedRun.Row] {
    let backend = name.replacing("^", with: "")
    let shape = ["record_bytes", "threads", "cache"]
    guard let first = run.rows.first(where: { $0.text("workload") == workload }) else { return [] }
    return run.rows.filter { row in
      row.backend == backend && row.text("workload") == workload && row.text("durability") == asked
        && shape.allSatisfy { row.text($0) == first.text($0) }
    }.sorted { ($0.number("records") ?? 0) < ($1.number("records") ?? 0) }
  }
}
