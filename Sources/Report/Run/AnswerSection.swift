import StorageContract
import StorageStatistics

/// The answer: which backend to take for small, medium and large stores, by what must survive, and what a reader of the
/// tables might not expect. All of it is made from the run, and nothing is said that its rounds do not show.
enum AnswerSection: SectionBuilder {
  /// Its name in links.
  static let id = "answer"
  static let media = Media.all

  /// What is looked for in a run, in the order in which it is told. To add a kind of sentence, add its line.
  static let rules: [any AnswerRule.Type] = [
    LimitRule.self,
    RewriteRule.self,
    SettingRule.self,
    PromiseRule.self,
    LibraryRule.self,
    LaunchRule.self,
  ]

  static func section(_ input: SectionInput) -> Section? {
    let model = input.model
    let sentences = rules.flatMap { $0.sentences(model) }
    let choice = ChoiceTable(model).table
    guard choice != nil || !sentences.isEmpty else { return nil }
    var section = Section(id: id, title: "The answer")
    section.isAnswer = true
    section.lists = [.init(nil, sentences)].filter { !$0.items.isEmpty }
    section.tables = [choice].compactMap { $0 }
    section.charts = [GrowthCharts.signature(input)].compactMap { $0 }
    section.guide = [
      "Which to take: the backend that is the fastest among all that promise at least what must survive, in whichever of its settings takes least. Where two could not be distinguished, both are named. \(code: "*"): extrapolated beyond the sizes measured; \(code: "<"): measured with more records only, so at most that.",
      "The sentences are found by rules: a limit that a user would notice, a better setting than the default, a stronger promise that is also faster, a library that costs more than its engine, a fast read that is paid for at launch. Each is said only where the rounds show it, or where it was counted.",
    ]
    return section
  }
}

/// A kind of sentence in the answer. It says something or nothing about a run, and asks of a workload no more than its
/// words: a later workload takes part by declaring some, see `WorkloadWords`.
///
/// To add one, write a conforming type and add its line to ``AnswerSection/rules``.
protocol AnswerRule: Sendable {
  /// What the run shows; empty where it shows nothing of the kind.
  static func sentences(_ model: ReportModel) -> [RichText]
}

/// Who to take: a line for each thing that must survive, a column for each of at most three sizes.
struct ChoiceTable {
  /// How many records are read for each one saved.
  private static let reads = 10.0

  private let advice: [(level: Durability, bySize: [(records: Int, advice: Advice)])]

  init(_ model: ReportModel) {
    let sizes = Set(CostSeries.saves(in: model.series).flatMap { $0.timed.map(\.cell.records) }).sorted()
    // The smallest, the largest, and the one in the middle.
    let shown = sizes.count <= 3 ? sizes : [sizes[0], sizes[sizes.count / 2], sizes[sizes.count - 1]]
    advice = [Durability.crash, .intact, .durable].map { level in
      (
        level,
        shown.map { records in
          (records, Advice(AppDescription(records: records, readsPerSave: Self.reads, durability: level), by: model))
        }
      )
    }
  }

  /// The table; nil where nobody can be recommended at any size.
  var table: Table? {
    let rows = advice.map { level, bySize in (level: level, fields: bySize.map { Self.field($0.advice) }) }
    guard let sizes = advice.first?.bySize.map(\.records), rows.contains(where: { $0.fields.contains { $0 != nil } })
    else { return nil }
    // What needs the same stands on one line.
    let lines = rows.grouped { $0.fields.map { $0?.words.text } }.map { _, members in
      [Table.Field(RichText(Self.words(members.map(\.level))))] + members[0].fields.map { $0 ?? .unmeasured }
    }
    return Table(
      "Which to take",
      [.words("what must survive")] + sizes.map { .words("\(Quantity.grouped($0)) records") }, lines,
      footer: [
        "The fastest at a save with \(NumberFormat.perOperation(Self.reads)) reads; the time is that of the save."
      ])
  }

  /// The most of what must survive; what needs no other backend than that is not told apart.
  private static func words(_ levels: [Durability]) -> String {
    let most = levels.last ?? .crash
    let words =
      switch most {
      case .durable: "a power cut, nothing lost"
      case .intact: "a power cut, last saves at risk"
      case .crash, .shipped: "a crash of the app"
      }
    return levels.count > 1 ? "\(words) (or less)" : words
  }

  /// `lmdb 254 us`, `lmdb or sqlite 151 us`; nil where nobody was shown to lead.
  private static func field(_ advice: Advice) -> Table.Field? {
    guard let ranking = advice.rankings.first, let first = ranking.candidates.first, first.canWin else { return nil }
    let rivals = ranking.candidates.dropFirst().filter(\.canWin)
    // Without enough rounds nobody is known to be the first.
    guard rivals.allSatisfy({ $0.verdict != nil }) else { return nil }
    let leaders = [first] + rivals.filter(\.isLeader)
    // Where most could be the first, nothing was found out.
    guard leaders.count <= 3, leaders.count <= rivals.count || rivals.isEmpty else { return nil }
    let names = leaders.map { $0.name + ($0.durability == .shipped ? "" : " (\($0.durability.rawValue))") }
    return .init("\(strong: Phrases.list(names, "or")) \(time(first.save))", kind: .best)
  }

  private static func time(_ estimate: Estimate) -> String {
    switch estimate.basis {
    case .measured, .between: NumberFormat.time(estimate.time)
    case .extrapolated, .atLeast, .loading: NumberFormat.time(estimate.time) + "*"
    case .atMost: "<" + NumberFormat.time(estimate.time)
    }
  }
}
