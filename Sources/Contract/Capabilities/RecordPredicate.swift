import Foundation

/// Which records a query is about.
///
/// Texts are compared by their UTF-8 bytes, upper and lower case apart, differently composed characters apart: what
/// SQLite's BINARY collation and a key-value store's memcmp do, so that every engine gives one answer.
///
///     .and([.group("Europe"), .not(.score(0...1_000_000))])
public indirect enum RecordPredicate: Sendable {
  /// Every record.
  case everything
  /// Records of exactly this name.
  case name(String)
  /// Records whose name starts with the text; the empty text starts every name.
  case namePrefix(String)
  /// Records of exactly this group.
  case group(String)
  /// Records whose score lies in the range, bounds included. A score that is not a number lies in none.
  case score(ClosedRange<Double>)
  /// Records that all of the predicates find; with none given, every record.
  case and([RecordPredicate])
  /// Records that at least one of the predicates finds; with none given, no record.
  case or([RecordPredicate])
  /// Records that the predicate does not find, those whose score is not a number included.
  case not(RecordPredicate)

  /// Whether the predicate finds the record. Engines use it for the parts that their own look-up cannot decide.
  public func matches(_ record: RecordView) -> Bool {
    switch self {
    case .everything: true
    case .name(let text): record.name.count == text.utf8.count && Self.bytes(record.name, startWith: text)
    case .namePrefix(let text): Self.bytes(record.name, startWith: text)
    case .group(let text): record.group.count == text.utf8.count && Self.bytes(record.group, startWith: text)
    case .score(let range): range.contains(record.score)
    case .and(let parts): parts.allSatisfy { $0.matches(record) }
    case .or(let parts): parts.contains { $0.matches(record) }
    case .not(let part): !part.matches(record)
    }
  }

  private static func bytes(_ bytes: UnsafeRawBufferPointer, startWith text: String) -> Bool {
    var text = text
    return text.withUTF8 { prefix in
      guard prefix.count <= bytes.count else { return false }
      guard let left = bytes.baseAddress, let right = prefix.baseAddress else { return prefix.isEmpty }
      return memcmp(left, right, prefix.count) == 0
    }
  }
}
