import StorageContract
import StorageStatistics

/// The report section with the recommended backends for three example apps.
enum AdviceSection {
  static let apps: [(name: String, app: AppDescription)] = [
    ("Settings", AppDescription(records: 100, readsPerSave: 20)),
    ("Notes", AppDescription(records: 1_000, readsPerSave: 10)),
    ("A catalogue", AppDescription(records: 10_000, readsPerSave: 100)),
  ]

  static func section(_ model: ReportModel) -> Section? {
    let answers = apps.map { (name: $0.name, advice: Advice($0.app, by: model)) }
      .filter { !$0.advice.levels.isEmpty }
    guard let last = answers.last else { return nil }
    var section = Section(id: "advice", title: "Advice")
    section.lead = [
      "What is fast enough for three apps, and what to take of it. For yours: \(code: "\(model.plan.program) advise --records N --reads-per-save R")."
    ]
    for (name, advice) in answers {
      section.lists.append(.init(title: "\(name): \(advice.app.inWords)", items: AdviceSentences.levels(advice)))
      section.tables.append(
        Table(
          "\(name): the candidates and what they rest on",
          of: advice.levels.flatMap { choice in choice.candidates.map { (choice: choice, candidate: $0) } },
          [
            .words("level", \.choice.level.rawValue),
            .words("backend") { choice, candidate in
              let isFirst = candidate.fullName == choice.recommended?.fullName
              return Table.Field(RichText(candidate.fullName), kind: isFirst ? .best : .value)
            },
            .words("speed", \.candidate.speed.words),
            .number("bytes a save") { $0.candidate.bytes.map(NumberFormat.bytes) },
            .words("a save", \.candidate.save.inWords), .words("a read", \.candidate.read?.inWords),
            .number("a save with its reads") { NumberFormat.time($0.candidate.total) },
            .words("against the fastest") { AdviceSentences.distance($0.candidate, in: $0.choice) },
            .words("to the first screen", \.candidate.launch?.inWords),
            .words("rests on") { AdviceSentences.basis($0.candidate) },
          ], isFolded: true,
          footer: AdviceSentences.absences(advice) + advice.caveats.map { RichText($0) }))
    }
    section.guide =
      AdviceSentences.legend(last.advice) + [
        "What survives comes first: there is a choice for each safety level that was measured, and times of two levels are never ranked against each other. Reads are those of a store with the same settings. Two spellings of the same settings are one candidate.",
        "\u{201C}rests on\u{201D} names the rows of summary.csv behind a number; \(code: "*") stands for all sizes, between which the fitted curve is read. There are no figures outside of the measured sizes.",
        "The distance to the fastest is the median over rounds of the ratio, with its interval; \(code: "~") is about equal, \(code: "?") inconclusive. Work-alikes and emulated operations are never recommended.",
        "What this does not say: what is lost in a crash in detail (see Safety), how much memory it takes to keep everything loaded (see Memory), and what the rest of the app needs.",
      ]
    return section
  }
}
