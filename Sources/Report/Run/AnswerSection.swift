import StorageContract
import StorageStatistics

/// The report section with the recommended backends, and with sentences on results that may surprise a reader.
enum AnswerSection {
  static let id = "answer"

  /// The generators of the sentences on surprising results, in the order of the sentences. A new generator must be
  /// added here.
  static let rules: [@Sendable (ReportModel) -> [RichText]] = [
    CrossoverSentences.answers,
    LimitRule.sentences,
    RewriteRule.sentences,
    SettingRule.sentences,
    PromiseRule.sentences,
    LibraryRule.sentences,
    LaunchRule.sentences,
    SharingSection.sentences,
    { Array(AgeSection.sentences($0).prefix(3)) },
    LittleMemorySection.sentences,
    { Array(ListsSection.sentences($0.rows).prefix(2)) },
    { Array(TextsSection.sentences($0.rows).prefix(2)) },
  ]

  static func section(_ model: ReportModel) -> Section? {
    // If operations wait in a queue, their latency depends on the duration of the measurement. Workloads with an
    // operation per screen frame have no sentence here.
    guard !model.rows.contains(where: { $0.fellBehind && $0.overFrame == nil }) else { return nil }
    let sentences = rules.flatMap { $0(model) }
    let choices = ChoiceTable(model)
    var section = Section(id: id, title: "Recommendation")
    section.lead = [choices.absence(model)].compactMap { $0 }
    section.tables = [choices.table].compactMap { $0 }
    guard !section.tables.isEmpty || !sentences.isEmpty || !section.lead.isEmpty else { return nil }
    section.isAnswer = true
    section.headline = choices.headline ?? sentences.first?.text
    let unsaid = [choices.gap, Unmeasured.sentence(model)].compactMap { $0 }
    section.lists = [
      .init(title: "Worth knowing", items: sentences, pageLimit: 3),
      .init(title: Unmeasured.title, items: unsaid, media: .page, pageLimit: 0),
      .init(title: "Also fast enough", items: choices.alternatives, pageLimit: 0),
      .init(title: "In an app", items: choices.code, media: .page, pageLimit: 0),
    ]
    // The growth chart of saves is shown only in a report without bar charts.
    if StripSection.section(model) == nil { section.charts = [GrowthCharts.signature(model)].compactMap { $0 } }
    section.guide = [
      "Recommendation: a line for each safety level that was measured, and sizes with the same answer together. Times of two levels are not ranked against each other, and what was not measured at a size is not recommended there.",
      "A backend of which a cell failed is left out. Rules find the sentences: the size from which a file is slower than a database, a limit that a user would notice, a setting that is better than the default. Others name a safer backend that is also faster, a library that costs more than its engine, or a fast read that is paid for at launch. A sentence appears only where the rounds or the counts show it.",
    ]
    return section
  }
}
