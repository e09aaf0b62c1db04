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
    for group in groups {
      guard let answer = answer(group) else {
        last = ""
        continue
      }
      let size = Quantity.grouped(group.records)
      if answer.who == last {
        parts[parts.count - 1] += ", \(answer.factor)at \(size)"
      } else {
        parts.append(answer.text(size))
        last = answer.who
      }
    }
    var ahead: [String] = []
    for words in groups.compactMap(Phrases.ahead) where !ahead.contains(words) { ahead.append(words) }
    return parts.isEmpty ? [] : parts + ahead
  }

  private struct Answer {
    /// Who wins over whom, or who leads: what stays the same from size to size.
    var who: String
    /// `3.1x (2.9-3.4) `, or nothing where nobody is behind.
    var factor: String
    var text: (String) -> String
  }

  private static func answer(_ group: ComparisonGroup) -> Answer? {
    guard case .decided(let leaders, let next) = group.contest else { return nil }
    let names = leaders.map { Phrases.name($0.row) + (group.exceeds($0.row) ? "^" : "") }
    let together =
      leaders.areAboutEqual
      ? "\(Phrases.list(names)) are about equal" : "\(Phrases.list(names, "or")) is the fastest (inconclusive)"
    guard let next else {
      return Answer(who: together, factor: "", text: { "\(together) at \($0) records" })
    }
    let loser = Phrases.name(next.row) + (group.exceeds(next.row) ? "^" : "")
    let factor = Phrases.factor(next.slower)
    let who = leaders.count > 1 ? "\(together), and \(names[0]) is" : "\(names[0]) is"
    return Answer(
      who: "\(who) \(loser)", factor: "\(factor) ", text: { "\(who) \(factor) faster than \(loser) at \($0) records" })
  }
}
