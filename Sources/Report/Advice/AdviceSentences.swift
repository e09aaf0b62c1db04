import StorageContract
import StorageStatistics

/// Advice in sentences, for the page and the terminal.
enum AdviceSentences {
  /// A sentence for each ranking: who is first, by how much.
  static func verdicts(_ advice: Advice) -> [RichText] {
    advice.rankings.map { ranking in
      let level = advice.app.durability == .shipped ? ranking.level.rawValue : "at least \(ranking.level.rawValue)"
      guard let first = ranking.candidates.first, first.isNative else {
        let names = Phrases.list(ranking.candidates.map(\.name))
        return "\(level): only \(names), which is not ranked."
      }
      let rivals = ranking.candidates.dropFirst().filter(\.isNative)
      let ties = rivals.filter(\.isTie).map(\.name)
      var words: RichText =
        "\(level): \(strong: first.name), \(NumberFormat.time(first.total)) for a save with its reads"
      if !ties.isEmpty { words = "\(words); \(Phrases.list(ties)) cannot be told apart from it" }
      if let next = rivals.first(where: { !$0.isTie && $0.slower != nil }), let ratio = next.slower {
        words = "\(words); \(next.name) takes \(Phrases.factor(ratio)) as long"
      } else if rivals.isEmpty {
        words = "\(words); no other native backend of the run is in this class"
      } else if ties.isEmpty {
        words = "\(words); the rounds are too few to tell how far the others are behind"
      }
      for candidate in ranking.candidates where !candidate.isNative && candidate.total < first.total {
        let factor = candidate.slower.map(Phrases.factor) ?? NumberFormat.ratio(candidate.total / first.total)
        words = "\(words); \(candidate.name), which is no native engine, takes \(factor) as long"
      }
      if first.save.isExtrapolated || first.read?.isExtrapolated == true { words = "\(words) (extrapolated)" }
      return "\(words)."
    }
  }

  /// `-` for the first, `1.3x (1.2-1.4)`, `1.1x ~`.
  static func distance(_ candidate: Advice.Candidate, _ place: Int) -> String {
    if place == 0 { return "first" }
    guard let slower = candidate.slower else { return "not judged" }
    return Phrases.factor(slower) + (candidate.isTie ? " ~" : "")
  }

  /// What a place rests on: the rows, and how far they are from the app.
  static func basis(_ candidate: Advice.Candidate) -> RichText {
    let estimates: [(name: String, estimate: Estimate?)] = [
      ("save", candidate.save), ("read", candidate.read), ("launch", candidate.launch),
    ]
    return RichText.joined(
      estimates.compactMap { name, estimate in
        estimate.map { "\(name): \(code: $0.cells), \($0.basisInWords)" }
      }, "; ")
  }
}

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
    case .extrapolated, .atLeast: NumberFormat.time(estimate.time) + "*"
    case .atMost: "<" + NumberFormat.time(estimate.time)
    }
  }

  /// What the ranks rest on, said once for all backends whose data is alike.
  private static func basis(_ advice: Advice) -> [String] {
    var lines: [String] = []
    let candidates = advice.rankings.flatMap(\.candidates)
    let kinds: [(name: String, estimate: (Advice.Candidate) -> Estimate?)] = [
      ("Saves", { $0.save }), ("Reads", { $0.read }), ("Launches", { $0.launch }),
    ]
    for (name, estimate) in kinds {
      var order: [String] = []
      var groups: [String: [Estimate]] = [:]
      for candidate in candidates {
        guard let estimate = estimate(candidate) else { continue }
        if groups[estimate.basisInWords] == nil { order.append(estimate.basisInWords) }
        groups[estimate.basisInWords, default: []].append(estimate)
      }
      for basis in order {
        guard let members = groups[basis], let first = members.first else { continue }
        let mark = first.isExtrapolated ? " (*)" : ""
        let rows = members.map(\.cells).joined(separator: " ")
        lines.append("\(name) rest on \(rows): \(basis)\(mark).")
      }
    }
    return lines
  }
}
