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
        return "\(level): only \(names), unranked."
      }
      let rivals = ranking.candidates.dropFirst().filter(\.isNative)
      let unknown = advice.refusals.filter { Competition.takesPart($0.unknownAt, at: ranking.level) }.map(\.name)
      func name(_ candidate: Advice.Candidate) -> String { candidate.name + (candidate.exceeds ? "^" : "") }
      // A save that waits for nothing must not look like one that does.
      let hasStakes = ranking.level == .intact || ranking.level == .crash
      func full(_ candidate: Advice.Candidate) -> String {
        name(candidate) + (hasStakes ? " (\(candidate.stake))" : "")
      }
      let equal = rivals.filter { $0.verdict == .aboutEqual }.map(full)
      // One that is faster than the first in the rounds, but was not chosen for its time, leaves the matter open.
      let open = rivals.filter { $0.verdict == .inconclusive || $0.verdict == .faster }.map(full)
      var words: RichText =
        "\(level): \(strong: name(first))\(hasStakes ? " (\(first.stake))" : ""), \(NumberFormat.time(first.total)) for a save with its reads"
      if !equal.isEmpty { words = "\(words); \(Phrases.list(equal)) \(equal.count == 1 ? "is" : "are") about equal" }
      if !open.isEmpty { words = "\(words); whether \(Phrases.list(open, "or")) is slower is inconclusive" }
      if let next = rivals.first(where: { !$0.isLeader && $0.slower != nil }), let ratio = next.slower {
        words = "\(words); \(full(next)) takes \(Phrases.factor(ratio)) as long"
      } else if rivals.isEmpty, unknown.isEmpty {
        words = "\(words); no other native backend of the run is in this class"
      } else if !rivals.isEmpty, equal.isEmpty && open.isEmpty {
        words = "\(words); the rounds are too few to tell how far the others are behind"
      }
      if !unknown.isEmpty { words = "\(words); what \(Phrases.list(unknown)) would take is not known" }
      for candidate in ranking.candidates where !candidate.isNative && candidate.total < first.total {
        let factor = candidate.slower.map(Phrases.factor) ?? NumberFormat.ratio(candidate.total / first.total)
        words = "\(words); \(full(candidate)), unranked, takes \(factor) as long"
      }
      if first.save.isExtrapolated || first.read?.isExtrapolated == true { words = "\(words) (extrapolated)" }
      return "\(words)."
    }
  }

  /// `first`, `1.3x (1.2-1.4)`, `1.01x (1.00-1.02) ~` where about equal, `1.1x (0.9-1.4) ?` where inconclusive.
  static func distance(_ candidate: Advice.Candidate, _ place: Int) -> String {
    if place == 0 { return "first" }
    guard let slower = candidate.slower else { return "not judged" }
    let mark: [RowVerdict: String] = [.aboutEqual: " ~", .inconclusive: " ?", .faster: " ?"]
    return Phrases.factor(slower) + (candidate.verdict.flatMap { mark[$0] } ?? "")
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
