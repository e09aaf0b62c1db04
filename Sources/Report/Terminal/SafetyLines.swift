import StorageContract
import StorageRunFiles

/// What `crashtest` prints: a line for each backend and durability, then the stories of what was broken.
public enum SafetyLines {
  /// The text.
  ///
  /// - Parameter paths: The files that were written.
  public static func text(_ report: SafetyReport, paths: [String]) -> String {
    var groups: [(key: [String], results: [SafetyReport.FaultResult])] = []
    for result in report.findings {
      let key = [result.backend, result.durability.rawValue, result.level.rawValue]
      if groups.last?.key == key {
        groups[groups.count - 1].results.append(result)
      } else {
        groups.append((key, [result]))
      }
    }
    let columns =
      ["backend", "asked", "level"].map { ($0, TerminalTable.Alignment.left) }
      + ["cases", "kept", "lost-within", "lost-against", "torn", "refused", "unnoticed", "crashed"].map {
        ($0, .right)
      }
    let table = groups.map { key, results in
      func sum(_ value: (SafetyReport.FaultResult) -> Int) -> String {
        Quantity.grouped(results.reduce(0) { $0 + value($1) })
      }
      return key + [
        sum { $0.cases }, sum { $0.kept }, sum { $0.lostWithinPromise }, sum { $0.lostAgainstPromise },
        sum { $0.torn }, sum { $0.refused }, sum { $0.unnoticed }, sum { $0.crashed },
      ]
    }
    let lines = TerminalTable(columns: columns, rows: table).lines(width: 100)
    let broken = report.findings.filter { $0.broken > 0 }
    let stories = broken.flatMap { result in
      result.failures.prefix(1).map { failure in
        (failure.story + ["Again: \(failure.command)"]).joined(separator: "\n  ")
      }
    }
    let lead = SafetySentences.lead(report.findings).map(\.text)
    return
      ([lines.joined(separator: "\n")] + [lead.joined(separator: "\n")] + stories + [
        paths.map { "Found: \($0)" }.joined(separator: "\n")
      ]).filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
  }
}
