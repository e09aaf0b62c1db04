import Contract

/// The matrix of questions by backends, a table for each level.
enum MarkdownMatrix {
  /// The tables: reads, then what was shipped from the strongest level down, then the levels asked for.
  static func blocks(_ questions: [Question]) -> [MarkdownBlock] {
    struct Key: Hashable {
      var durability: Durability?
      var level: Level?
    }
    var order: [Key] = []
    var groups: [Key: [Question]] = [:]
    for question in questions {
      let key = Key(durability: question.durability, level: question.level)
      if groups[key] == nil { order.append(key) }
      groups[key, default: []].append(question)
    }
    let durabilities = [nil] + Durability.allCases.map(Optional.some)
    order.sort { left, right in
      let places = (
        durabilities.firstIndex(of: left.durability) ?? 0, durabilities.firstIndex(of: right.durability) ?? 0
      )
      if places.0 != places.1 { return places.0 < places.1 }
      return (left.level ?? .volatile) > (right.level ?? .volatile)
    }
    return order.compactMap { groups[$0].map(block) }
  }

  private static func block(_ questions: [Question]) -> MarkdownBlock {
    var backends: [Spec] = []
    var settings: [Spec: [String]] = [:]
    for row in questions.flatMap(\.rows) {
      if !backends.contains(row.cell.backend) { backends.append(row.cell.backend) }
      if !row.settings.isEmpty, !settings[row.cell.backend, default: []].contains(row.settings) {
        settings[row.cell.backend, default: []].append(row.settings)
      }
    }
    let promise = questions.first?.promise
    return MarkdownBlock(
      heading: "p50, " + (promise.map { "saves \($0)" } ?? "reads"),
      columns: ["workload"] + backends.map(\.description),
      rows: questions.map { question in
        [question.task] + backends.map { field(question, $0) }
      },
      summary:
        "\(questions.count) \(questions.count == 1 ? "workload" : "workloads") by \(backends.count) \(backends.count == 1 ? "backend" : "backends")",
      footer: settings.isEmpty
        ? []
        : [
          "Settings: "
            + backends.compactMap { backend in
              settings[backend].map { "\(backend): `\($0.joined(separator: "` or `"))`" }
            }.joined(separator: "; ") + "."
        ])
  }

  /// One field: the median, its ratio to the line's best, and everything that must be said of it.
  static func field(_ question: Question, _ backend: Spec) -> String {
    guard let row = question.rows.first(where: { $0.cell.backend == backend }) else {
      return MarkdownPage.unmeasured
    }
    if let refusal = Verdict.refusal(row) { return refusal }
    var parts = [row.typicalTime.map(Figures.time) ?? "not timed"]
    if !Question.isRanked(row) {
      if row.typicalTime != nil { parts.append("floor") }
    } else if let best = question.best, let time = row.typicalTime, let least = best.typicalTime, least > 0 {
      parts.append(Figures.ratio(time / least))
      if best.cell.backend != backend, RowComparison(base: best, head: row)?.verdict == .same {
        parts.append("~")
      }
      if question.exceeds(row) { parts.append("^") }
    }
    if row.isTimedOnce { parts.append("x1") }
    if row.fidelity != .native { parts.append(row.fidelity.rawValue) }
    return parts.joined(separator: " ")
  }
}
