import Foundation

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

  public static func < (left: Self, right: Self) -> Bool { compare(left.text, right.text) < 0 }

  public func hash(into hasher: inout Hasher) {
    text.withLentUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }

  /// Negative, zero or positive as the first text is less, equal or greater by its UTF-8 bytes.
  static func compare(_ first: String, _ second: String) -> Int {
    var (first, second) = (first, second)
    return first.withUTF8 { first in
      second.withUTF8 { second in
        let common = min(first.count, second.count)
        if common > 0, let left = first.baseAddress, let right = second.baseAddress {
          let sign = Int(memcmp(left, right, common))
          if sign != 0 { return sign }
        }
        return first.count - second.count
      }
    }
  }
}
