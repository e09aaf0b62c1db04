import StorageContract
import StorageStatistics

/// What `advise` prints. No line is wider than ``TerminalReport/width`` but for names that are.
public enum AdviceReport {
  /// The whole text, with a line's end after each line.
  public static func text(_ advice: Advice) -> String {
    let width = TerminalReport.width
    func filled(_ text: String, indent: String = "  ") -> [String] {
      TerminalTable.filled(text.split(separator: " ").map(String.init), width: width, indent: indent)
    }
    var sections: [[String]] = [filled("For \(advice.app.inWords):")]
    sections.append(AdviceSentences.verdicts(advice).flatMap { filled($0.text) })
    for ranking in advice.rankings {
      let table = TerminalTable(
        columns: [
          ("", .left), (ranking.level.rawValue, .left), ("a save with its reads", .right), ("by the first", .left),
          ("a save", .right), ("a read", .right), ("launch", .right),
        ],
        rows: ranking.candidates.enumerated().map { place, candidate in
          [
            ranking.place(place).map { "\($0)." } ?? "-", candidate.name + (candidate.exceeds ? "^" : ""),
            NumberFormat.time(candidate.total),
            AdviceSentences.distance(candidate, place), time(candidate.save), candidate.read.map(time) ?? "-",
            candidate.launch.map(time) ?? "-",
          ]
        }, headerWidth: 21)
      sections.append(table.lines(width: width))
    }
    if advice.rankings.contains(where: { $0.candidates.contains(where: \.exceeds) }) {
      sections.append(["^ \(Competition.exceeds)"])
    }
    sections.append(basis(advice).flatMap { filled($0) })
    let out = advice.refusals.map { "Out: \($0.name) \($0.reason)." }
    sections.append((out + advice.caveats).flatMap { filled($0) })
    if let measure = advice.measure {
      sections.append(["To measure exactly this:", "  storage-bench \(measure)"])
    }
    return sections.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
  }

  /// A time with a mark of how far it is from what was measured: `*` beyond, `<` for at most.
  private static func time(_ estimate: Estimate) -> String {
    switch estimate.basis {
    case .measured, .between: NumberFormat.time(estimate.time)
    case .extrapolated, .atLeast, .loading: NumberFormat.time(estimate.time) + "*"
    case .atMost: "<" + NumberFormat.time(estimate.time)
    }
  }

  /// What the ranks rest on, said once for all backends whose data is alike.
  private static func basis(_ advice: Advice) -> [String] {
    var lines: [String] = []
    let candidates = advice.rankings.flatMap(\.candidates).grouped { $0.name }.map { $0.members[0] }
    let kinds: [(name: String, estimate: (Advice.Candidate) -> Estimate?)] = [
      ("Saves", { $0.save }), ("Reads", { $0.read }), ("Launches", { $0.launch }),
    ]
    for (name, estimate) in kinds {
      for (basis, members) in candidates.compactMap(estimate).grouped(by: \.basisInWords) {
        let mark = members[0].isExtrapolated ? " (*)" : ""
        let rows = members.map(\.cells).joined(separator: " ")
        lines.append("\(name) rest on \(rows): \(basis)\(mark).")
      }
    }
    return lines
  }
}
