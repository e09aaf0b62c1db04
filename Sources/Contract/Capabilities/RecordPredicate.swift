/// A condition that selects records. Texts are compared by their UTF-8 bytes, so case matters.
///
///     .and([.group("Europe"), .not(.score(0...1_000_000))])
public indirect enum RecordPredicate: Sendable {
  /// The condition that every record fulfills.
  case everything
  /// The condition that the record has exactly the given name.
  case name(String)
  /// The condition that the record's name starts with the text.
  case namePrefix(String)
  /// The condition that the record comes after the given name and key in a list sorted by name and then by key.
  case after(name: String, key: Int64)
  /// The condition that the record has exactly the given group.
  case group(String)
  /// The condition that the record's score is in the range, bounds included. No range contains NaN.
  case score(ClosedRange<Double>)
  /// The condition that the record fulfills all of the predicates. An empty list selects every record.
  case and([RecordPredicate])
  /// The condition that the record fulfills at least one of the predicates. An empty list selects no record.
  case or([RecordPredicate])
  /// The condition that the record does not fulfill the predicate. A record with a NaN score fulfills
  /// `.not(.score(range))`.
  case not(RecordPredicate)

  /// Returns whether the record fulfills the condition.
  public func matches(_ record: RecordView) -> Bool {
    switch self {
    case .everything: true
    case .name(let text): record.name.count == text.utf8.count && Self.compare(record.name, text) == 0
    case .namePrefix(let text):
      Self.compare(UnsafeRawBufferPointer(rebasing: record.name.prefix(text.utf8.count)), text) == 0
    case .after(let name, let key):
      switch Self.compare(record.name, name) {
      case 0: record.id > key
      case let sign: sign > 0
      }
    case .group(let text): record.group.count == text.utf8.count && Self.compare(record.group, text) == 0
    case .score(let range): range.contains(record.score)
    case .and(let parts): parts.allSatisfy { $0.matches(record) }
    case .or(let parts): parts.contains { $0.matches(record) }
    case .not(let part): !part.matches(record)
    }
  }

  private static func compare(_ bytes: UnsafeRawBufferPointer, _ text: String) -> Int {
    text.withLentUTF8 { ExactText.compare(bytes, UnsafeRawBufferPointer($0)) }
  }
}
