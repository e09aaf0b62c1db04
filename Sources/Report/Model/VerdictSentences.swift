import StorageContract

/// Who wins, in sentences.
enum VerdictSentences {
  /// A sentence for each workload and promise that has a winner, or several rows that may be the fastest, over all its
  /// sizes.
  static func winners(_ groups: [ComparisonGroup]) -> [RichText] {
    groups.grouped(by: subject).compactMap { subject, members in
      let parts = parts(members.sorted { $0.records < $1.records })
      return parts.isEmpty ? nil : "\(strong: subject): \(parts.joined(separator: "; "))."
    }
  }

  /// What a group is about but for N: `save-one, as shipped (intact)`.
  private static func subject(_ group: ComparisonGroup) -> String {
    (["\(group.workload)"] + group.shape + [group.promise].compactMap { $0 }).joined(separator: ", ")
  }

  /// The answers by size; a pair that stays the same is named once.
  private static func parts(_ groups: [ComparisonGroup]) -> [String] {
    var parts: [String] = []
    var last = ""
    var names = Names()
    for group in groups {
      guard let answer = answer(group) else {
        last = ""
        continue
      }
      let size = Quantity.grouped(group.records)
      if answer.who == last {
        parts[parts.count - 1] += ", \(answer.factor)at \(size)"
      } else {
        parts.append(answer.text(size, &names))
        last = answer.who
      }
    }
    guard !parts.isEmpty else { return [] }
    var seen: Set<String> = []
    return parts
      + groups.filter { group in Phrases.ahead(group, group.name).map { seen.insert($0).inserted } ?? false }
      .compactMap { group in Phrases.ahead(group) { names.name($0, in: group) } }
  }

  /// Names with what is at stake beside them where they are first mentioned: a save that waits for nothing must not look
  /// like one that does.
  private struct Names {
    private var mentioned: Set<Spec> = []

    mutating func name(_ row: SummaryRow, in group: ComparisonGroup) -> String {
      let name = group.name(row)
      guard group.level == .intact || group.level == .crash, mentioned.insert(row.cell.backend).inserted else {
        return name
      }
      return "\(name) (\(PowerCut.stake(row)))"
    }
  }

  private struct Answer {
    /// Who wins over whom, or who leads: what stays the same from size to size.
    var who: String
    /// `3.1x (2.9-3.4) `, or nothing where nobody is behind.
    var factor: String
    var text: (String, inout Names) -> String
  }

  private static func answer(_ group: ComparisonGroup) -> Answer? {
    guard case .decided(let leaders, let next) = group.contest else { return nil }
    func together(_ names: [String]) -> String {
      leaders.areAboutEqual
        ? "\(Phrases.list(names)) are about equal" : "\(Phrases.list(names, "or")) is the fastest (inconclusive)"
    }
    let first = group.name(leaders[0].row)
    let plain = together(leaders.map { group.name($0.row) })
    guard let next else {
      return Answer(who: plain, factor: "") { size, names in
        "\(together(leaders.map { names.name($0.row, in: group) })) at \(size) records"
      }
    }
    let factor = Phrases.factor(next.slower)
    let who = leaders.count > 1 ? "\(plain), and \(first) is" : "\(first) is"
    return Answer(who: "\(who) \(group.name(next.row))", factor: "\(factor) ") { size, names in
      let winners = leaders.map { names.name($0.row, in: group) }
      let who = leaders.count > 1 ? "\(together(winners)), and \(first) is" : "\(winners[0]) is"
      return "\(who) \(factor) faster than \(names.name(next.row, in: group)) at \(size) records"
    }
  }
}
