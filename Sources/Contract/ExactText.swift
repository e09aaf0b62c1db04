import Foundation

/// A text that is compared, sorted and hashed by its UTF-8 bytes, as in databases. `String` equates different encodings
/// of an é.
public struct ExactText: Hashable, Comparable, Sendable {
  /// The Swift string whose UTF-8 bytes are compared, sorted and hashed.
  public let text: String

  /// Creates a text that is compared by its UTF-8 bytes.
  public init(_ text: String) { self.text = text }

  public static func == (left: Self, right: Self) -> Bool { left.text.hasSameBytes(as: right.text) }

  public static func < (left: Self, right: Self) -> Bool { compare(left.text, right.text) < 0 }

  public func hash(into hasher: inout Hasher) {
    text.withLentUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }

  static func compare(_ first: String, _ second: String) -> Int {
    first.withLentUTF8 { first in
      second.withLentUTF8 { compare(UnsafeRawBufferPointer(first), UnsafeRawBufferPointer($0)) }
    }
  }

  static func compare(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Int {
    let common = min(first.count, second.count)
    if common > 0, let left = first.baseAddress, let right = second.baseAddress {
      let sign = Int(memcmp(left, right, common))
      if sign != 0 { return sign }
    }
    return first.count - second.count
  }
}
