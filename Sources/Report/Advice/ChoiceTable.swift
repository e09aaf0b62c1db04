import StorageContract
import StorageStatistics

/// The table of recommended backends by safety level (what survives a crash) and store size.
struct ChoiceTable {
  /// The number of reads per save that the recommendations assume.
  private static let reads = 10.0

  private struct Choice {
    var records: Int
    var first: Advice.Candidate
    /// The recommended backend, and all backends that are about equal to it.
    var leaders: [Advice.Candidate]
    var others: [String]
    var names: [String] { leaders.map(\.fullName) }
  }

  /// The recommendations for each safety level, the strongest first, and for each store size. Nil means no
  /// recommendation.
  private var choices: [(level: Level, bySize: [Choice?])] = []
  private var sizes: [Int] = []
  private let hasReads: Bool
  private(set) var changes: RichText?
  private(set) var code: [RichText] = []

  init(_ model: ReportModel) {
    let basis = AdviceBasis(model)
    hasReads = basis.reads.contains { !$0.timed.isEmpty }
    // Each machine would need its own recommendation, and with one backend there is no choice.
    let rivals = Set(basis.saves.filter(\.isNative).map(\.backend))
    guard Set(model.rows.map(\.machine)).count <= 1, rivals.count > 1 else { return }
    let all = Set(basis.saves.flatMap { $0.timed.map(\.cell.records) }).sorted()
    let step = max(1, (all.count + Advice.mostSizes - 1) / Advice.mostSizes)
    sizes = all.enumerated().filter { $0.offset.isMultiple(of: step) || $0.offset == all.count - 1 }.map(\.element)
    let reads = hasReads ? Self.reads : 0
    let advice = sizes.map { Advice(AppDescription(records: $0, readsPerSave: reads), by: model, basis) }
    let measured = Set(advice.flatMap(\.levels).map(\.level)).sorted(by: >)
    // Safety levels at which a crash can lose everything are left out if a safer level was measured.
    let levels = measured.filter { $0 > .fragile }.isEmpty ? measured : measured.filter { $0 > .fragile }
    choices = levels.map { level in
      let bySize = zip(sizes, advice).map { records, advice -> Choice? in
        guard let choice = advice.levels.first(where: { $0.level == level }), let first = choice.recommended else {
          return nil
        }
        let others = choice.alsoFastEnough.map(\.fullName)
        return Choice(records: records, first: first, leaders: choice.leaders, others: others)
      }
      return (level, bySize)
    }
    let recommended = lines.flatMap { line in
      line.sizes[0].leaders.filter { Self.names(line.sizes).contains($0.fullName) }
    }
    code = recommended.compactMap { Self.code($0, model) }.grouped(by: \.text).map(\.members[0])
    let changed = recommended.compactMap { Self.changes($0, model) }.unique
    if !changed.isEmpty { changes = RichText("Settings: \(changed.joined(separator: "; ")).") }
  }

  /// Returns a backend's name and the line of source code that opens a store of this backend in an app. Nil if the line
  /// is unknown.
  private static func code(_ candidate: Advice.Candidate, _ model: ReportModel) -> RichText? {
    let row = model.rows.first {
      $0.cell.durability == candidate.durability && $0.typicalTime != nil && Phrases.name($0) == candidate.name
    }
    return row.flatMap { model.code($0.cell) }.map { "\(candidate.fullName): \(code: $0)" }
  }

  /// Returns a text on a backend's settings if some of them differ from the defaults, otherwise nil. SQLite's
  /// `synchronous` is always included, because its default depends on the build.
  private static func changes(_ candidate: Advice.Candidate, _ model: ReportModel) -> String? {
    func settings(_ durability: Durability) -> [Substring]? {
      model.rows.first {
        $0.cell.durability == durability && !$0.settings.isEmpty && Phrases.name($0) == candidate.name
      }?.settings.split(separator: " ")
    }
    guard let shipped = settings(.shipped), let own = settings(candidate.durability), !Set(own).isSubset(of: shipped)
    else { return nil }
    let shown = own.compactMap { setting -> String? in
      let (name, value) = parts(setting)
      let usual = shipped.map(parts).first { $0.name == name }?.value
      guard usual != value else { return name == "synchronous" ? "\(name)=\(value)" : nil }
      return "\(name)=\(value)" + (usual.map { " (not \($0))" } ?? "")
    }
    return "\(candidate.fullName): \(shown.joined(separator: " "))"
  }

  /// Splits a setting such as `journal_mode=wal` into name and value. The value of SQLite's `synchronous=2` becomes
  /// `FULL`.
  private static func parts(_ setting: Substring) -> (name: Substring, value: String) {
    let name = setting.prefix { $0 != "=" }
    let value = String(setting.dropFirst(name.count + 1))
    let levels = ["0": "OFF", "1": "NORMAL", "2": "FULL", "3": "EXTRA"]
    return (name, name == "synchronous" ? levels[value] ?? value : value)
  }

  func absence(_ model: ReportModel) -> RichText? {
    let saves = AdviceBasis(model).saves.filter(\.isNative)
    guard table == nil, saves.contains(where: { $0.rows.contains(where: \.isSeen) }) else { return nil }
    let rows = saves.flatMap(\.rows)
    let disturbed = rows.count(where: \.isDisturbed)
    let isUntimed = saves.allSatisfy { $0.timed.isEmpty }
    let reason =
      if Set(model.rows.map(\.machine)).count > 1 {
        "the rows are of several machines, each of which has its own answer"
      } else if Set(saves.map(\.backend)).count < 2 {
        "only \(Phrases.list(Set(saves.map(\.name)).sorted())) was measured, so there is no choice"
      } else if isUntimed, disturbed > 0 {
        "other work on the machine disturbed every save; run again when it is quiet"
      } else if isUntimed {
        "no save was timed"
      } else if disturbed * 2 > rows.count {
        "other work on the machine disturbed \(disturbed) of \(rows.count) rows of saves; run again when it is quiet"
      } else {
        "no backend that was measured is fast enough, or none may be ranked"
      }
    return "\(strong: "No recommendation:") \(reason)."
  }

  /// A sentence on the store sizes for which no backend is recommended. Nil if there are no such sizes.
  var gap: RichText? {
    guard !choices.isEmpty else { return nil }
    let open = sizes.indices.filter { index in choices.allSatisfy { $0.bySize[index] == nil } }.map { sizes[$0] }
    guard !open.isEmpty else { return nil }
    return "Recommendation at \(Phrases.list(open.map(Quantity.grouped))) records: nothing fast enough was measured."
  }

  /// Neighboring store sizes with the same recommendation, as a line of a table.
  private typealias Stretch = (level: Level, sizes: [Choice])

  private var lines: [Stretch] { choices.flatMap { level, bySize in Self.stretches(bySize).map { (level, $0) } } }

  private static var columns: [ItemColumn<Stretch>] {
    [
      .words("you can afford to lose", \.level.words.loss),
      .words("records") { records($0.sizes) },
      .words("recommended") { Table.Field("\(strong: name($0.sizes))", kind: .best) },
    ]
  }

  private static func time(_ line: Stretch) -> String {
    range(line.sizes.sorted { $0.first.save.time < $1.first.save.time }.map(\.first.save.inShort))
  }

  var table: Table? {
    guard !lines.isEmpty else { return nil }
    let app = hasReads ? "a save with \(NumberFormat.perOperation(Self.reads)) reads" : "a save"
    return Table(
      "Recommendation", of: lines,
      Self.columns + [
        .number("a save writes") { Self.range($0.sizes.compactMap(\.first.bytes).sorted().map(NumberFormat.bytes)) },
        .number("a save takes", Self.time),
      ],
      footer: [
        "Of what is fast enough (\(app) within one frame, a launch within \(NumberFormat.time(Speed.launch))), the one that writes fewest bytes."
      ] + [changes].compactMap { $0 })
  }

  var brief: Table? {
    guard !lines.isEmpty else { return nil }
    var columns = Self.columns + [.number("one save", Self.time)]
    if lines.contains(where: { $0.sizes.contains { !$0.others.isEmpty } }) {
      columns.append(
        .words("also fast enough", isOptional: true) { Self.others($0.sizes).joined(separator: ", ") })
    }
    return Table("", of: lines, columns, footer: [changes].compactMap { $0 })
  }

  private static func others(_ answers: [Choice]) -> [String] {
    answers.flatMap(\.others).unique.map { name in
      let sizes = answers.filter { $0.others.contains(name) }.map { Quantity.grouped($0.records) }
      return sizes.count == answers.count ? name : "\(name) (at \(Phrases.list(sizes)) records)"
    }
  }

  var alternatives: [RichText] {
    choices.compactMap { level, bySize in
      let names = Self.others(bySize.compactMap(\.self))
      return names.isEmpty ? nil : "\(level.rawValue): \(names.joined(separator: ", "))."
    }
  }

  var headline: String? {
    guard let (level, bySize) = choices.first(where: { $0.bySize.contains { $0?.first.speed == .fastEnough } })
    else { return nil }
    let stretches = Self.stretches(bySize)
    let isForAllSizes = stretches.count == 1 && stretches[0].count == sizes.count
    let parts = stretches.map { Self.name($0) + (isForAllSizes ? "" : " at \(Self.records($0)) records") }
    return "\(level.words.aim), take \(parts.joined(separator: "; "))."
  }

  /// Groups neighboring store sizes that share a recommended backend and a speed class. A size without a recommendation
  /// is in no group.
  private static func stretches(_ choices: [Choice?]) -> [[Choice]] {
    var stretches: [[Choice]] = [[]]
    for choice in choices {
      let last = stretches[stretches.count - 1]
      if let choice, last.first?.first.speed == choice.first.speed, !names(last + [choice]).isEmpty {
        stretches[stretches.count - 1].append(choice)
      } else {
        stretches.append([choice].compactMap { $0 })
      }
    }
    return stretches.filter { !$0.isEmpty }
  }

  private static func names(_ sizes: [Choice]) -> [String] {
    (sizes.first?.names ?? []).filter { name in sizes.allSatisfy { $0.names.contains(name) } }
  }

  private static func name(_ sizes: [Choice]) -> String {
    let names = Phrases.list(names(sizes), "or")
    return sizes[0].first.speed == .fastEnough ? names : "\(names), \(sizes[0].first.speed.words)"
  }

  private static func records(_ sizes: [Choice]) -> String { range(sizes.map { Quantity.grouped($0.records) }) }

  private static func range(_ texts: [String]) -> String {
    guard let first = texts.first, let last = texts.last, first != last else { return texts.first ?? "" }
    return "\(first) to \(last)"
  }
}
