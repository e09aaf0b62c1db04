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
