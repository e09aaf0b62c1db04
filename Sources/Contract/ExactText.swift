/// A text that is equal to another only byte for byte, and sorts by its UTF-8 bytes: what stores mean by a text.
///
/// As a dictionary's key, String itself puts differently composed characters into one place; `<` of String orders some
/// texts unlike their bytes.
public struct ExactText: Hashable, Comparable, Sendable {
  /// The text.
  public let text: String

  /// Wraps a text.
  public init(_ text: String) { self.text = text }

  public static func == (left: Self, right: Self) -> Bool { left.text.hasSameBytes(as: right.text) }

  public static func < (left: Self, right: Self) -> Bool { RecordQuery.compareBytes(left.text, right.text) < 0 }

  public func hash(into hasher: inout Hasher) {
    text.withLentUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
