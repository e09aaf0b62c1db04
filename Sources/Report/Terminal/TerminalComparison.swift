import StorageContract
import StorageStatistics

/// What a comparison prints: the verdict, a line for each cell that is not as before, the times, what is to be done.
/// No line is wider than ``TerminalReport/width`` but for names and sentences that are; no colour, so that a log reads
/// the same.
public enum TerminalComparison {
  /// The whole text, with a line's end after each line.
  ///
  /// - Parameter paths: The files written.
  public static func text(_ comparison: Comparison, paths: [String] = []) -> String {
    var sections: [[String]] = [filled(opening(comparison)) + conditions(comparison)]
    sections.append(changes(comparison))
    sections.append(times(comparison))
    sections.append(comparison.notes.flatMap { filled($0) })
    sections.append(paths.isEmpty ? [] : ["Written: \(paths.joined(separator: " "))"])
    return sections.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
  }

  private static func opening(_ comparison: Comparison) -> String {
    comparison.subject == .noise
      ? "The smallest change that is detectable on this machine." : "\(ComparisonSentences.headline(comparison))"
  }

  private static func conditions(_ comparison: Comparison) -> [String] {
    var lines: [String] = []
    if comparison.subject != .noise, comparison.subject != .rules {
      lines += filled("Base: \(comparison.base.name). Head: \(comparison.head.name).")
    }
    let sentences = [
      ComparisonSentences.unfit(comparison), comparison.missing, ComparisonSentences.method(comparison),
      ComparisonSentences.detectable(comparison),
    ]
    return lines + sentences.compactMap { $0 }.flatMap { filled($0) }
  }

  /// A line for each cell whose verdict is more than "the same", the worst first.
  private static func changes(_ comparison: Comparison) -> [String] {
    let width = ChangeVerdict.allCases.map { ComparisonSentences.mark($0).count }.max() ?? 0
    return ChangeVerdict.allCases.filter { $0 != .same && $0 != .holds }.flatMap { verdict in
      comparison.judgements(verdict).flatMap { judgement in
        let mark = ComparisonSentences.mark(verdict).padded(to: width)
        let details = ComparisonSentences.details(judgement)
        return filled("\(mark)  \(judgement.name)" + (details.isEmpty ? "" : ": \(details)"), keeping: width + 2)
      }
    }
  }

  /// The table of times; cells are listed in their order.
  private static func times(_ comparison: Comparison) -> [String] {
    let rows = comparison.judgements.compactMap { judgement -> [String]? in
      guard let time = judgement.time else { return nil }
      return [
        judgement.name, NumberFormat.time(time.base), NumberFormat.time(time.head), NumberFormat.change(time.ratio),
        ComparisonSentences.interval(time) ?? "-", time.pairs > 0 ? String(time.pairs) : "-",
        verdict(judgement, time, comparison),
      ]
    }
    guard !rows.isEmpty else { return [] }
    let columns: [(title: String, alignment: TerminalTable.Alignment)] = [
      ("cell", .left), ("base", .right), ("head", .right), (ComparisonSentences.changeTitle(comparison), .right),
      ("interval", .left), ("pairs", .right), (comparison.subject == .noise ? "detectable from" : "verdict", .left),
    ]
    return TerminalTable(columns: columns, rows: rows, headerWidth: 22)
      .linesWithNames(width: TerminalReport.width)
  }

  /// `SLOWER`, or `same (from 5.2 %)`: what is the same tells from where on a change would have been found.
  private static func verdict(_ judgement: Judgement, _ time: TimeChange, _ comparison: Comparison) -> String {
    let detectable = ComparisonSentences.detectable(judgement)
    if comparison.subject == .noise { return detectable ?? "-" }
    guard time.pairs > 0 else { return "advice" }
    return ComparisonSentences.mark(judgement.verdict) + (detectable.map { " (from \($0))" } ?? "")
  }

  private static func filled(_ text: String, keeping: Int = 0) -> [String] {
    let head = String(text.prefix(keeping))
    let words = text.dropFirst(keeping).split(separator: " ").map(String.init)
    guard let first = words.first else { return [text] }
    return TerminalTable.filled(
      [head + first] + words.dropFirst(), width: TerminalReport.width,
      indent: String(repeating: " ", count: keeping + 2))
  }
}

extension String {
  func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
