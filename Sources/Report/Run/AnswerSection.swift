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
      "Which to take: the backend that takes the least time known among all that promise at least what must survive, in whichever of its settings takes least. Where two could not be distinguished, both are named. \(code: "*"): extrapolated beyond the sizes measured; \(code: "<"): measured with more records only, so at most that.",
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

/// Whom to take: a line for each thing that must survive and each stretch of sizes with the same answer.
struct ChoiceTable {
  /// How many records are read for each one saved.
  private static let reads = 10.0

  /// Who leads at one size.
  private struct Choice {
    var records: Int
    var names: String
    var save: Estimate
  }

  private let choices: [(level: Durability, bySize: [Choice])]

  init(_ model: ReportModel) {
    // Of several machines each would have its own answer.
    guard Set(model.rows.map(\.machine)).count <= 1 else {
      choices = []
      return
    }
    let sizes = Set(CostSeries.saves(in: model.series).flatMap { $0.timed.map(\.cell.records) }).sorted()
    // The smallest, the largest, and the one in the middle.
    let shown = sizes.count <= 3 ? sizes : [sizes[0], sizes[sizes.count / 2], sizes[sizes.count - 1]]
    choices = [Durability.crash, .intact, .durable].map { level in
      let bySize = shown.compactMap { records in
        let app = AppDescription(records: records, readsPerSave: Self.reads, durability: level)
        return Self.choice(Advice(app, by: model), records)
      }
      return (level, bySize)
    }
  }

  /// The table; nil where nobody can be recommended at any size.
  var table: Table? {
    // What needs the same stands on one line.
    let lines = choices.filter { !$0.bySize.isEmpty }.grouped { $0.bySize.map { [String($0.records), $0.names] } }
      .flatMap { _, members in
        Self.stretches(members[0].bySize).enumerated().map { place, sizes in
          [.init(RichText(place == 0 ? Self.words(members.map(\.level)) : ""))] + Self.fields(sizes)
        }
      }
    guard !lines.isEmpty else { return nil }
    return Table(
      "Which to take",
      [.words("what must survive"), .words("records"), .words("take"), .number("a save takes")], lines,
      footer: [
        "By the least time known for a save with \(NumberFormat.perOperation(Self.reads)) reads.\(Self.legend(lines))"
      ])
  }

  /// What the marks of prices say, where there are any.
  private static func legend(_ lines: [[Table.Field]]) -> String {
    let prices = lines.compactMap { $0.last?.words.text }
    return (prices.contains { $0.contains("<") } ? " <: at most that, measured with more records." : "")
      + (prices.contains { $0.contains("*") } ? " *: extrapolated." : "")
  }

  /// Neighbouring sizes with the same answer.
  private static func stretches(_ choices: [Choice]) -> [[Choice]] {
    choices.reduce(into: []) { stretches, choice in
      if stretches.last?.last?.names == choice.names {
        stretches[stretches.count - 1].append(choice)
      } else {
        stretches.append([choice])
      }
    }
  }

  private static func fields(_ sizes: [Choice]) -> [Table.Field] {
    let ends = [sizes[0], sizes[sizes.count - 1]]
    func range(_ text: (Choice) -> String) -> String {
      let texts = ends.map(text)
      return texts[0] == texts[1] ? texts[0] : "\(texts[0]) to \(texts[1])"
    }
    return [
      .init(RichText(range { Quantity.grouped($0.records) })), .init("\(strong: sizes[0].names)", kind: .best),
      .init(RichText(range { time($0.save) })),
    ]
  }

  /// The most of what must survive; what needs nobody else than that does not get a line of its own.
  private static func words(_ levels: [Durability]) -> String {
    let words =
      switch levels.last ?? .crash {
      case .durable: "a power cut, nothing lost"
      case .intact: "a power cut, last saves at risk"
      case .crash, .shipped: "a crash of the app"
      }
    return levels.count > 1 ? "\(words) (or less)" : words
  }

  /// `lmdb`, or `lmdb or sqlite (durable)` where these could not be distinguished; nil where nobody was shown to lead.
  private static func choice(_ advice: Advice, _ records: Int) -> Choice? {
    guard let ranking = advice.rankings.first, let first = ranking.candidates.first, first.canWin else { return nil }
    let rivals = ranking.candidates.dropFirst().filter(\.canWin)
    // Without enough rounds nobody is known to be the first.
    guard rivals.allSatisfy({ $0.verdict != nil }) else { return nil }
    let leaders = [first] + rivals.filter(\.isLeader)
    // Where most could be the first, nothing was found out.
    guard leaders.count <= 3, leaders.count <= rivals.count || rivals.isEmpty else { return nil }
    let names = leaders.map { $0.name + ($0.durability == .shipped ? "" : " (\($0.durability.rawValue))") }.sorted()
    return Choice(records: records, names: Phrases.list(names, "or"), save: first.save)
  }

  private static func time(_ estimate: Estimate) -> String {
    switch estimate.basis {
    case .measured, .between: NumberFormat.time(estimate.time)
    case .extrapolated, .atLeast, .loading: NumberFormat.time(estimate.time) + "*"
    case .atMost: "<" + NumberFormat.time(estimate.time)
    }
  }
}
