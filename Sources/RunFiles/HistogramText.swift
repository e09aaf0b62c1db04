import Foundation

/// A latency histogram as a base64 string of varints: each latency minus the previous latency, then its count. Reading
/// an array would take longer.
public struct HistogramText: Sendable {
  /// The latencies of the histogram in nanoseconds, ascending, each with its number of occurrences.
  public var buckets: [(value: UInt64, count: UInt64)]

  /// Creates a histogram from ascending latencies in nanoseconds, each with its number of occurrences.
  public init(_ buckets: [(value: UInt64, count: UInt64)] = []) { self.buckets = buckets }

  /// The latency histogram encoded as a base64 string.
  public var text: String {
    var bytes = Data()
    var last: UInt64 = 0
    for (value, count) in buckets {
      Self.append(value - last, to: &bytes)
      Self.append(count, to: &bytes)
      last = value
    }
    return bytes.base64EncodedString()
  }

  /// Decodes a latency histogram from a base64 string, or returns nil if the string is not a histogram.
  public init?(text: String) {
    var read: [(value: UInt64, count: UInt64)] = []
    read.reserveCapacity(text.utf8.count / 4)
    guard Self.forEachBucket(of: text, { read.append(($0, $1)) }) else { return nil }
    buckets = read
  }

  static func isValid(_ text: String) -> Bool { forEachBucket(of: text) { _, _ in } }

  /// Decodes a histogram and passes each latency and count to `body`. Returns false if the text is invalid or out of
  /// range.
  private static func forEachBucket(of text: String, _ body: (_ value: UInt64, _ count: UInt64) -> Void) -> Bool {
    // Foundation also decodes texts that go on after the padding.
    let (length, padding) = (text.utf8.count, text.utf8.reversed().prefix { $0 == UInt8(ascii: "=") }.count)
    guard length.isMultiple(of: 4), padding < 3, let bytes = Data(base64Encoded: text),
      bytes.count == length / 4 * 3 - padding
    else { return false }
    let (mostTime, mostCount) = (UInt64(FileNumbers.nanoseconds.upperBound), UInt64(FileNumbers.count.upperBound))
    // Each byte adds seven bits until the number ends.
    var (number, shift): (UInt64, UInt64) = (0, 0)
    var (value, total): (UInt64, UInt64) = (0, 0)
    var isCount = false
    return bytes.withUnsafeBytes { bytes in
      for byte in bytes {
        // Nine bytes carry 63 bits (7 each), and the sum of two such numbers fits into 64 bits.
        guard shift < 63 else { return false }
        number |= UInt64(byte & 0x7F) << shift
        shift += 7
        guard byte & 0x80 == 0 else { continue }
        if isCount {
          total += number
          guard total <= mostCount else { return false }
          body(value, number)
        } else {
          value += number
          guard value <= mostTime else { return false }
        }
        isCount.toggle()
        (number, shift) = (0, 0)
      }
      return shift == 0 && !isCount
    }
  }

  private static func append(_ number: UInt64, to bytes: inout Data) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}
