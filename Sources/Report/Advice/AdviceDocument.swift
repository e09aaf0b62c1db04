import StorageContract
import StorageStatistics

extension Advice {
  /// What `advise` prints.
  public var document: Document {
    var answer = Section(id: "advice", title: "Advice")
    answer.isAnswer = true
    answer.lead = ["For \(app.inWords):"] + AdviceSentences.verdicts(self)
    var ranks = Section(id: "ranks", title: "Ranks")
    ranks.tables = rankings.map(Self.table)
    if rankings.contains(where: { $0.candidates.contains(where: \.exceeds) }), !ranks.tables.isEmpty {
      ranks.tables[ranks.tables.count - 1].footer = ["^ \(Competition.exceeds)"]
    }
    var basis = Section(id: "basis", title: "What it rests on")
    let out = refusals.map { "Out: \($0.name) \($0.reason)." }
    basis.lists = [.init(nil, self.basis.map { RichText($0) }), .init(nil, (out + caveats).map { RichText($0) })]
    if let measure {
      var more = Section(id: "measure", title: "To measure exactly this")
      more.lead = ["To measure exactly this:"]
      more.code = [measure]
      basis.sections = [more]
    }
    return Document(title: "storage-bench advise", sections: [answer, ranks, basis])
  }

  private static func table(_ ranking: Ranking) -> Table {
    Table(
      "",
      [
        .words(""), .words(ranking.level.rawValue), .number("a save with its reads"), .words("against the first"),
        .number("a save"), .number("a read"), .number("launch"),
      ],
      ranking.candidates.enumerated().map { place, candidate in
        [
          ranking.place(place).map { "\($0)." } ?? "-", candidate.name + (candidate.exceeds ? "^" : ""),
          candidate.totalInShort, AdviceSentences.distance(ranking.candidates, place), candidate.save.inShort,
          candidate.read?.inShort ?? "-", candidate.launch?.inShort ?? "-",
        ].map { .init(RichText($0)) }
      })
  }

  /// What the ranks rest on, said once for all backends whose data is alike.
  private var basis: [String] {
    var lines: [String] = []
    let candidates = rankings.flatMap(\.candidates).grouped { $0.name }.map { $0.members[0] }
    let kinds: [(name: String, estimate: (Candidate) -> Estimate?)] = [
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
      let unknown = advice.refusals.filter { $0.couldLead(ranking) }.map(\.name)
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
        "\(level): \(strong: name(first))\(hasStakes ? " (\(first.stake))" : ""), \(first.totalInShort) for a save with its reads"
      if !equal.isEmpty { words = "\(words); \(Phrases.list(equal)) \(equal.count == 1 ? "is" : "are") about equal" }
      if !open.isEmpty { words = "\(words); whether \(Phrases.list(open, "or")) is slower is inconclusive" }
      if let next = rivals.first(where: { !$0.isLeader && $0.slower != nil }), let ratio = next.slower {
        words = "\(words); \(full(next)) takes \(bound(next, first) ?? Phrases.factor(ratio)) as long"
      } else if rivals.isEmpty, unknown.isEmpty {
        words = "\(words); no other native backend of the run is in this class"
      } else if !rivals.isEmpty, equal.isEmpty && open.isEmpty {
        words = "\(words); the rounds are too few to tell how far the others are behind"
      }
      if !unknown.isEmpty { words = "\(words); what \(Phrases.list(unknown)) would take is not known" }
      for candidate in ranking.candidates where !candidate.isNative && candidate.total < first.total {
        let factor =
          bound(candidate, first) ?? candidate.slower.map(Phrases.factor)
          ?? NumberFormat.ratio(candidate.total / first.total)
        words = "\(words); \(full(candidate)), unranked, takes \(factor) as long"
      }
      if first.save.isExtrapolated || first.read?.isExtrapolated == true { words = "\(words) (extrapolated)" }
      return "\(words)."
    }
  }

  /// `at most 460x` where only the candidate's save is a bound, `at least 3x` where only the first one's is: an interval
  /// of what was measured elsewhere would say too much. Nil where neither is, or both are.
  private static func bound(_ candidate: Advice.Candidate, _ first: Advice.Candidate) -> String? {
    guard candidate.save.isAtMost != first.save.isAtMost, first.total > 0 else { return nil }
    let factor = NumberFormat.ratio(candidate.slower?.ratio ?? candidate.total / first.total)
    return "\(candidate.save.isAtMost ? "at most" : "at least") \(factor)"
  }

  /// `first`, `1.3x (1.2-1.4)`, `1.01x (1.00-1.02) ~` where about equal, `1.1x (0.9-1.4) ?` where inconclusive, `at most
  /// 460x` for bounds.
  static func distance(_ candidates: [Advice.Candidate], _ place: Int) -> String {
    if place == 0 { return "first" }
    let candidate = candidates[place]
    if let bound = bound(candidate, candidates[0]) { return bound }
    guard let slower = candidate.slower else { return "not judged" }
    // A faster one that may win was not chosen for its time, which leaves the matter open. One that is unranked is faster.
    let mark: [RowVerdict: String] = [
      .aboutEqual: " ~", .inconclusive: " ?", .faster: candidate.isNative ? " ?" : "",
    ]
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
