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
    CrossoverRule.self,
    LimitRule.self,
    RewriteRule.self,
    SettingRule.self,
    PromiseRule.self,
    LibraryRule.self,
    LaunchRule.self,
    SharingRule.self,
    AgeRule.self,
    LittleMemoryRule.self,
    ListsRule.self,
    TextsRule.self,
  ]

  static func section(_ input: SectionInput) -> Section? {
    let model = input.model
    // What waits in a queue tells how long the trial was, and nothing of the store. Workloads that keep to the screen's
    // pace by themselves are in no sentence.
    guard !model.rows.contains(where: { $0.fellBehind && $0.overFrame == nil }) else { return nil }
    let sentences = rules.flatMap { $0.sentences(model) }
    let choices = ChoiceTable(model)
    let choice = choices.table
    guard choice != nil || !sentences.isEmpty else { return nil }
    var section = Section(id: id, title: "The answer")
    section.isAnswer = true
    section.headline = choices.headline ?? sentences.first?.text
    section.lists = [.init(nil, sentences)].filter { !$0.items.isEmpty }
    let unsaid = [choices.gap, Unmeasured.sentence(model)].compactMap { $0 }
    if !unsaid.isEmpty { section.lists.append(.init(Unmeasured.title, unsaid, media: .page)) }
    section.tables = [choice].compactMap { $0 }
    section.charts = [GrowthCharts.signature(input)].compactMap { $0 }
    section.guide = [
      "Which to take: the backend that takes the least time known among all that promise at least what must survive, in whichever of its settings takes least. Where two could not be distinguished, both are named. \(code: "*"): extrapolated beyond the sizes measured; \(code: "<"): measured with more records only, so at most that.",
      "A backend of which a cell failed is left out. The sentences are found by rules: the size from which on a file is slower than a database, a limit that a user would notice, a better setting than the default, a stronger promise that is also faster, a library that costs more than its engine, a fast read that is paid for at launch. Each is said only where the rounds show it, or where it was counted.",
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

  /// How many sizes are looked at; of more, as many from the smallest to the largest.
  private static let mostSizes = 12

  /// By size; nil where nobody leads.
  private let choices: [(level: Durability, bySize: [Choice?])]
  /// The sizes looked at.
  private let sizes: [Int]
  private let hasReads: Bool

  init(_ model: ReportModel) {
    hasReads = model.series.contains { $0.pattern.workload == Spec(id: "read-one") && !$0.timed.isEmpty }
    let saves = CostSeries.saves(in: model.series)
    // Of several machines each would have its own answer, and one backend alone is no choice.
    let rivals = Set(saves.filter { !$0.isFloor && $0.isNative }.map(\.backend))
    guard Set(model.rows.map(\.machine)).count <= 1, rivals.count > 1 else {
      (choices, self.sizes) = ([], [])
      return
    }
    let sizes = Set(saves.flatMap { $0.timed.map(\.cell.records) }).sorted()
    let step = max(1, (sizes.count + Self.mostSizes - 1) / Self.mostSizes)
    let shown = sizes.enumerated().filter { $0.offset.isMultiple(of: step) || $0.offset == sizes.count - 1 }.map(
      \.element)
    self.sizes = shown
    choices = [Durability.crash, .intact, .durable].map { level in
      let bySize = shown.map { records in
        let app = AppDescription(records: records, readsPerSave: Self.reads, durability: level)
        return Self.choice(Advice(app, by: model), records, saves)
      }
      return (level, bySize)
    }
  }

  /// `Which to take at 100 and 1,000 records: the rounds do not show it.` Nil where every size has somebody at some
  /// level, and where there is no choice at all.
  var gap: RichText? {
    guard let sizes = choices.first.map({ $0.bySize.indices }) else { return nil }
    let open = sizes.filter { place in choices.allSatisfy { $0.bySize[place] == nil } }.map { self.sizes[$0] }
    guard !open.isEmpty else { return nil }
    return "Which to take at \(Phrases.list(open.map(Quantity.grouped))) records: the rounds do not show it."
  }

  /// The table; nil where nobody can be recommended at any size.
  var table: Table? {
    // What needs the same stands on one line.
    let lines = choices.filter { $0.bySize.contains { $0 != nil } }
      .grouped { $0.bySize.map { choice in choice.map { [String($0.records), $0.names] } } }
      .flatMap { _, members in
        Self.stretches(members[0].bySize).map { sizes in
          [.init(RichText(Self.words(members.map(\.level))))] + Self.fields(sizes)
        }
      }
    guard !lines.isEmpty else { return nil }
    return Table(
      "Which to take",
      [.words("what must survive"), .words("records"), .words("take"), .number("a save takes")], lines,
      footer: [
        "By the least time known for a save\(hasReads ? " with \(NumberFormat.perOperation(Self.reads)) reads" : "").\(Self.legend(lines))"
      ])
  }

  /// Whom to take for the most that must survive, in a sentence: `To lose nothing in a power cut, take lmdb.` Nil where
  /// nobody can be recommended at any size.
  var headline: String? {
    guard let (level, bySize) = choices.last(where: { $0.bySize.contains { $0 != nil } }) else { return nil }
    let aim =
      switch level {
      case .durable: "To lose nothing in a power cut"
      case .intact: "For data that survives a power cut"
      case .crash, .shipped: "For data that survives a crash of the app"
      }
    let stretches = Self.stretches(bySize)
    if stretches.count == 1, !bySize.contains(where: { $0 == nil }) { return "\(aim), take \(stretches[0][0].names)." }
    let parts = stretches.map { sizes in
      let ends = [sizes[0], sizes[sizes.count - 1]].map { Quantity.grouped($0.records) }
      return "\(sizes[0].names) at \(ends[0] == ends[1] ? ends[0] : "\(ends[0]) to \(ends[1])") records"
    }
    return "\(aim), take \(parts.joined(separator: "; "))."
  }

  /// What the marks of prices say, where there are any.
  private static func legend(_ lines: [[Table.Field]]) -> String {
    let prices = lines.compactMap { $0.last?.words.text }
    return (prices.contains { $0.contains("<") } ? " <: at most that, measured with more records." : "")
      + (prices.contains { $0.contains("*") } ? " *: extrapolated." : "")
  }

  /// Neighbouring sizes with the same answer.
  private static func stretches(_ choices: [Choice?]) -> [[Choice]] {
    var stretches: [[Choice]] = []
    var last: String?
    for choice in choices {
      if let choice {
        if last == choice.names { stretches[stretches.count - 1].append(choice) } else { stretches.append([choice]) }
      }
      last = choice?.names
    }
    return stretches
  }

  private static func fields(_ sizes: [Choice]) -> [Table.Field] {
    let ends = [sizes[0], sizes[sizes.count - 1]]
    func range(_ text: (Choice) -> String) -> String {
      let texts = ends.map(text)
      return texts[0] == texts[1] ? texts[0] : "\(texts[0]) to \(texts[1])"
    }
    return [
      .init(RichText(range { Quantity.grouped($0.records) })), .init("\(strong: sizes[0].names)", kind: .best),
      .init(RichText(price(sizes))),
    ]
  }

  /// What a save takes, from the least to the most of the sizes.
  private static func price(_ sizes: [Choice]) -> String {
    let sorted = sizes.map(\.save).sorted { $0.time < $1.time }
    let ends = [sorted[0].inShort, sorted[sorted.count - 1].inShort]
    // A bound and the measured time that it comes from are one figure.
    let bare = ends.map { $0.filter { $0 != "<" } }
    if bare[0] == bare[1] { return ends.first { $0.hasPrefix("<") } ?? ends[0] }
    return "\(ends[0]) to \(ends[1])"
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
  private static func choice(_ advice: Advice, _ records: Int, _ saves: [CostSeries]) -> Choice? {
    guard let ranking = advice.rankings.first, let first = ranking.candidates.first, first.canWin,
      first.rounds.count >= MedianInterval.fewestValues,
      // What would take its place is not known.
      !advice.refusals.contains(where: { $0.couldLead(ranking) })
    else { return nil }
    let rivals = ranking.candidates.dropFirst().filter(\.canWin)
    // Not timed at this size, but slower with fewer records already.
    let beaten = advice.refusals.count { Competition.takesPart($0.unknownAt, at: ranking.level) }
    // Without enough rounds nobody is known to be the first.
    guard rivals.allSatisfy({ $0.verdict != nil }) else { return nil }
    // One that is faster than the first in the rounds, but was not chosen for its time, leaves the matter open.
    let leaders = [first] + rivals.filter { $0.isLeader || $0.verdict == .faster }
    // Where most could be the first, nothing was found out.
    guard leaders.count <= 3, leaders.count <= rivals.count + beaten || rivals.isEmpty else { return nil }
    let names = leaders.map { name($0, saves) }.sorted()
    return Choice(records: records, names: Phrases.list(names, "or"), save: first.save)
  }

  /// `sqlite (durable)`: with the level where it was set to one, unless that changes nothing.
  private static func name(_ candidate: Advice.Candidate, _ saves: [CostSeries]) -> String {
    guard candidate.durability != .shipped else { return candidate.name }
    func settings(_ durability: Durability) -> String? {
      saves.first { $0.name == candidate.name && $0.durability == durability }?.rows.lazy.map(\.settings)
        .first { !$0.isEmpty }
    }
    let isAsShipped = settings(.shipped).map { $0 == settings(candidate.durability) } ?? false
    return isAsShipped ? candidate.name : "\(candidate.name) (\(candidate.durability.rawValue))"
  }
}
