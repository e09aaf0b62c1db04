import Foundation
import StorageContract

/// A parser of ISO 8601 dates, such as `2026-01-31` (midnight UTC) and `2026-01-31T12:00:00Z`. A time must have a zone.
enum ISODate {
  static let examples = "2026-01-31T12:00:00Z, 2026-01-31 12:00:00+01:00 or 2026-01-31"

  /// Converts a date such as `2026-01-31T12:00:00Z` to seconds since 2001-01-01 00:00 UTC.
  ///
  /// - Throws: ``UsageError`` with the reason. The caller adds the line and column.
  static func read(_ text: String) throws -> Double {
    func refusal(_ reason: String) -> UsageError { UsageError("'\(text.visible)' \(reason); write it as \(examples)") }
    var scanner = DateScanner(rest: text.utf8[...])
    guard let year = scanner.number(4), scanner.take("-") != nil, let month = scanner.number(2),
      scanner.take("-") != nil, let day = scanner.number(2)
    else { throw refusal("is not a date") }
    guard let seconds = seconds(year, month, day) else { throw refusal("names a day that does not exist") }
    if scanner.rest.isEmpty { return seconds }
    guard scanner.take("T ") != nil, let hour = scanner.number(2), scanner.take(":") != nil,
      let minute = scanner.number(2)
    else { throw refusal("has text after the day that is not a time") }
    var second = 0.0
    if scanner.take(":") != nil {
      guard let whole = scanner.number(2), let fraction = scanner.fraction() else {
        throw refusal("has text after the minutes that is not seconds")
      }
      second = Double(whole) + fraction
    }
    guard hour < 24, minute < 60, second < 60 else { throw refusal("names a time that does not exist") }
    guard !scanner.rest.isEmpty else { throw refusal("has a time without a zone") }
    guard let offset = scanner.zone(), scanner.rest.isEmpty else {
      throw refusal("has text after the time that is not a time zone")
    }
    return seconds + Double((hour * 60 + minute) * 60 - offset) + second
  }

  private struct DateScanner {
    var rest: Substring.UTF8View

    mutating func take(_ bytes: String) -> UInt8? {
      guard let first = rest.first, bytes.utf8.contains(first) else { return nil }
      rest = rest.dropFirst()
      return first
    }

    mutating func number(_ digits: Int) -> Int? {
      let found = rest.prefix(digits)
      guard found.count == digits, found.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
      rest = rest.dropFirst(digits)
      return found.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    /// Parses a fraction of a second, such as `.25`. A missing fraction is 0. A point without digits gives nil.
    mutating func fraction() -> Double? {
      guard take(".,") != nil else { return 0 }
      let digits = rest.prefix { (0x30...0x39).contains($0) }
      rest = rest.dropFirst(digits.count)
      return digits.isEmpty ? nil : Double("0." + String(decoding: digits, as: UTF8.self))
    }

    /// Parses a time zone, such as `+01:00`. Returns the offset from UTC in seconds, or nil if invalid.
    mutating func zone() -> Int? {
      guard let sign = take("Z+-") else { return nil }
      if sign == UInt8(ascii: "Z") { return 0 }
      guard let hours = number(2) else { return nil }
      let hasColon = take(":") != nil
      let minutes = rest.isEmpty && !hasColon ? 0 : number(2)
      guard let minutes, hours < 24, minutes < 60 else { return nil }
      return (sign == UInt8(ascii: "-") ? -1 : 1) * (hours * 60 + minutes) * 60
    }
  }

  /// Returns the seconds from 2001-01-01 to the beginning of a day (UTC), or nil if the day does not exist.
  static func seconds(_ year: Int, _ month: Int, _ day: Int) -> Double? {
    var time = tm()
    (time.tm_year, time.tm_mon, time.tm_mday) = (Int32(year - 1_900), Int32(month - 1), Int32(day))
    let seconds = timegm(&time)
    // timegm() changes a day that does not exist, such as February 30, to another day.
    guard year > 0, time.tm_mon == month - 1, time.tm_mday == day else { return nil }
    return Double(seconds - 978_307_200)
  }
}
