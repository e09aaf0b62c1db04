/// Checks that the figures of a row agree with each other and with its trials.
enum FigureCheck: RunCheck {
  static let name = "figures"

  static func problems(_ run: FinishedRun) -> [String] {
    run.rows.flatMap { row -> [String] in
      guard row.text("status") == "ok" else { return [] }
      var problems: [String] = []
      let ends = (row.number("p50_low_ns"), row.number("p50_high_ns"))
      if let p50 = row.number("p50_ns"), let low = ends.0, let high = ends.1, !(low...max(low, high) ~= p50) {
        problems.append("\(row.cell): p50 \(p50) lies outside of its interval, \(low) to \(high)")
      }
      let tail = ["p50_ns", "p90_ns", "p99_ns", "p999_ns", "max_ns"].compactMap { column in
        row.number(column).map { (column, $0) }
      }
      for (one, next) in zip(tail, tail.dropFirst()) where one.1 > next.1 {
        problems.append("\(row.cell): \(one.0) is \(one.1), more than \(next.0), \(next.1)")
      }
      let typical = (run.trials[row.cell] ?? [:]).values.map(\.typical).sorted()
      if let p50 = row.number("p50_ns"), !typical.isEmpty {
        let median = (typical[(typical.count - 1) / 2] + typical[typical.count / 2]) / 2
        if abs(median - p50) > max(1, 1e-3 * median) {
          problems.append("\(row.cell): p50 is \(p50), the median of its trials \(median)")
        }
      }
      return problems
    }
  }
}
