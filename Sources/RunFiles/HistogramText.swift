import Foundation

/// A latency histogram as one short string: base64 of (value delta, count) pairs, each a varint.
///
/// A hundred thousand trial lines are read in seconds this way, where arrays of numbers take most of a minute.
public struct HistogramText: Sendable, Equatable {
  /// Values in nanoseconds, ascending, each with how often it was seen.
  public var buckets: [(value: UInt64, count: UInt64)]

  /// Creates a histogram from ascending values.
  public init(_ buckets: [(value: UInt64, count: UInt64)] = []) { self.buckets = buckets }

  public static func == (left: Self, right: Self) -> Bool {
    left.buckets.elementsEqual(right.buckets) { $0.value == $1.value && $0.count == $1.count }
  }

  /// Writes the string.
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

  /// Reads the string; nil if it is not one.
  public init?(text: String) {
    guard let bytes = Data(base64Encoded: text) else { return nil }
    guard let numbers = bytes.withUnsafeBytes({ Self.numbers($0) }), numbers.count.isMultiple(of: 2) else { return nil }
    buckets = []
    buckets.reserveCapacity(numbers.count / 2)
    var value: UInt64 = 0
    for index in stride(from: 0, to: numbers.count, by: 2) {
      let (sum, overflow) = value.addingReportingOverflow(numbers[index])
      guard !overflow else { return nil }
      value = sum
      buckets.append((value, numbers[index + 1]))
    }
  }

  /// The varints of some bytes; nil if the last one has no end or one is too long.
  private static func numbers(_ bytes: UnsafeRawBufferPointer) -> [UInt64]? {
    var numbers: [UInt64] = []
    numbers.reserveCapacity(bytes.count)
    var number: UInt64 = 0
    var shift: UInt64 = 0
    for byte in bytes {
      guard shift < 64 else { return nil }
      number |= UInt64(byte & 0x7F) << shift
      shift += 7
      if byte & 0x80 == 0 {
        numbers.append(number)
        number = 0
        shift = 0
      }
    }
    return shift == 0 ? numbers : nil
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
