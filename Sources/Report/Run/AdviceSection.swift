import StorageContract
import StorageStatistics

/// Which backend to take, for three apps of different size; `advise` answers for any other.
enum AdviceSection: SectionBuilder {
  /// The apps: what is read and saved, and how much of it.
  static let apps: [(name: String, app: AppDescription)] = [
    ("Settings", AppDescription(records: 100, readsPerSave: 20)),
    ("Notes", AppDescription(records: 1_000, readsPerSave: 10)),
    ("A catalogue", AppDescription(records: 10_000, readsPerSave: 100, launchBudget: 100_000_000)),
  ]

  static func section(_ input: SectionInput) -> Section? {
    let answers = apps.map { (name: $0.name, advice: Advice($0.app, by: input.model)) }
      .filter { !$0.advice.rankings.isEmpty }
    guard !answers.isEmpty else { return nil }
    var section = Section(id: "advice", title: "Advice")
    section.lead = [
      "Backends ranked by the time of a save with the reads that go with it, for three apps. For yours: \(code: "\(input.model.plan.program) advise --records N --reads-per-save R")."
    ]
    for (name, advice) in answers {
      section.lists.append(.init("\(name): \(advice.app.inWords)", AdviceSentences.verdicts(advice)))
      section.tables.append(table(name, advice))
    }
    section.guide = [
      "\u{201C}rests on\u{201D} names the rows of summary.csv behind a number; \(code: "*") stands for all sizes, between which the fitted curve is read. Beyond the sizes measured a number is marked EXTRAPOLATED, with how far, and its interval allows the curve to bend on; with fewer than three sizes, more than ten times beyond, or where the interval would be wider than a factor of four, a backend is left out.",
      "The distance to the first is the median over rounds of the ratio, with its interval; \(code: "~") is about equal to the first, \(code: "?") inconclusive. Who competes is who shares a table of the matrix; \(code: "^") \(Competition.exceeds).",
      "A lookalike (\(code: "+")) and what is emulated are not ranked, whatever they take.",
      "What a ranking by time does not say: what is lost in a crash (see Safety), how much memory it takes to keep everything loaded (see Memory), and what the rest of the app needs.",
    ]
    return section
  }

  private static func table(_ name: String, _ advice: Advice) -> Table {
    let rows = advice.rankings.flatMap { ranking in
      ranking.candidates.enumerated().map { place, candidate -> [Table.Field] in
        [
          .init(RichText("\(ranking.level.rawValue) \(ranking.place(place).map(String.init) ?? "-")")),
          .init(
            RichText(candidate.name + (candidate.exceeds ? "^" : "")),
            kind: candidate.isNative && (place == 0 || candidate.isLeader) ? .best : .value
          ),
          .init(RichText(candidate.totalInShort)),
          .init(RichText(AdviceSentences.distance(ranking.candidates, place))),
          .init(RichText(candidate.save.inWords)), .init(text: candidate.read?.inWords ?? ""),
          .init(text: candidate.launch?.inWords ?? ""), .init(AdviceSentences.basis(candidate)),
        ]
      }
    }
    return Table(
      "\(name): the ranks and what they rest on",
      [
        .words("rank in its level"), .words("backend"), .number("a save with its reads"), .words("against the first"),
        .words("a save"), .words("a read"), .words("to the first screen"), .words("rests on"),
      ], rows, isFolded: true,
      footer: advice.refusals.map { "\(strong: $0.name) is out: it \($0.reason)." }
        + advice.caveats.map { RichText($0) })
  }
}
