import CStoragePage
import StorageContract
import StorageStatistics

/// The formats of numbers for people.
public enum NumberFormat {
  /// Returns a time as text, from nanoseconds: `31 ns`, `253 µs`, `2.7 ms`, `1.4 s`.
  public static func time(_ nanoseconds: Double) -> String {
    scaled(nanoseconds, units: ["ns", "µs", "ms", "s"])
  }

  /// Returns a time with its interval, if there is one, as text: `218 µs (205 µs to 230 µs)`.
  static func time(_ nanoseconds: Double, _ interval: MedianInterval?) -> String {
    time(nanoseconds) + (interval.map { " (\(times($0)))" } ?? "")
  }

  /// Returns an interval of times as text: `253 µs to 1.2 ms`.
  static func times(_ interval: MedianInterval) -> String { "\(time(interval.low)) to \(time(interval.high))" }

  static func tick(_ text: String) -> String { text.replacing(".0 ", with: " ") }

  /// Returns a number of bytes as text, in powers of 1,000: `108 B`, `13 kB`, `2.5 MB`.
  public static func bytes(_ bytes: Double) -> String { scaled(bytes, units: ["B", "kB", "MB", "GB", "TB"]) }

  /// Returns a factor as text: `1.0×`, `3.1×`, `38×`, `1,800×`.
  public static func ratio(_ ratio: Double) -> String { digits(ratio) + "×" }

  /// Returns a factor with its interval as text, such as `3.1× (2.9-3.4)` or `1.25× (1.21-1.30)`.
  public static func ratio(_ ratio: Double, low: Double, high: Double) -> String {
    if ratio < 2 { return "\(fixed(ratio, 2))× (\(fixed(low, 2))-\(fixed(high, 2)))" }
    if digits(low) == digits(high), ratio < 100 {
      let decimals = ratio < 9.95 ? 2 : 1
      return "\(fixed(ratio, decimals))× (\(fixed(low, decimals))-\(fixed(high, decimals)))"
    }
    return "\(digits(ratio))× (\(digits(low))-\(digits(high)))"
  }

  /// Returns a count per operation, such as the number of syncs, as text: `0`, `0.01`, `1`, `4`, `1.5`.
  public static func perOperation(_ count: Double) -> String {
    if count == 0 { return "0" }
    if count < 0.01 { return "<0.01" }
    if abs(count - count.rounded()) < 0.005 { return Quantity.grouped(Quantity.whole(count)) }
    return count < 10 ? trimmed(fixed(count, 2)) : digits(count)
  }

  /// Returns a share as text in percent, with `±`: `±4 %`.
  public static func plusMinus(_ share: Double) -> String { "±\(percent(share))" }

  /// Returns an estimated number of records as text with two significant digits: `~650`, `~5,000`.
  public static func about(_ records: Double) -> String {
    guard records >= 10 else { return "~\(Quantity.whole(records))" }
    var unit = 1.0
    while records / unit >= 100 { unit *= 10 }
    return "~" + Quantity.grouped(Quantity.whole((records / unit).rounded() * unit))
  }

  /// Returns an interval of numbers of records as text: `600-700`. An end above the largest measured number becomes
  /// `over 10,000`.
  static func sizes(_ interval: MedianInterval, smallest: Int, largest: Int) -> String {
    [interval.low, interval.high].map { end in
      if end < Double(smallest) { return "under \(Quantity.grouped(smallest))" }
      if end > Double(largest) { return "over \(Quantity.grouped(largest))" }
      return String(about(end).dropFirst())
    }.joined(separator: "-")
  }

  /// Returns a range of numbers of records as text: `600-700`. An end that is 0 or infinite becomes `?`, as in `600-?`.
  static func extrapolatedSizes(_ interval: MedianInterval) -> String {
    [interval.low, interval.high].map { $0 > 0 && $0.isFinite ? String(about($0).dropFirst()) : "?" }
      .joined(separator: "-")
  }

  static func percent(_ share: Double) -> String { "\(fixed(share * 100, share * 100 < 0.95 ? 1 : 0)) %" }

  /// Returns a number of records as short text: `100`, `10k`, `1M`. Only whole thousands and millions are abbreviated.
  public static func short(_ count: Int) -> String {
    if count >= 1_000_000, count.isMultiple(of: 1_000_000) { return "\(count / 1_000_000)M" }
    if count >= 1000, count.isMultiple(of: 1000) { return "\(count / 1000)k" }
    return String(count)
  }

  /// Returns a number of operations per second as text: `3,954`, `1.2M`.
  public static func rate(_ perSecond: Double) -> String {
    if perSecond >= 999_500 {
      return scaled(perSecond / 1e6, units: ["M", "G"]).filter { $0 != " " }
    }
    return perSecond >= 10 ? Quantity.grouped(Quantity.whole(perSecond)) : fixed(perSecond, 1)
  }

  /// Returns a number as text for other programs, with at most three decimals and usually without an exponent.
  public static func plain(_ number: Double) -> String {
    let rounded = (number * 1000).rounded() / 1000
    if rounded == rounded.rounded(), abs(rounded) < 1e15 { return String(Int(rounded)) }
    return String(rounded)
  }

  /// Returns a text in ASCII for CSV files, with `us`, `x` and `+-` in place of `µs`, `×` and `±`.
  static func ascii(_ text: String) -> String {
    text.replacing("µ", with: "u").replacing("×", with: "x").replacing("±", with: "+-")
  }

  static func fixed(_ number: Double, _ decimals: Int) -> String { printed("%.*f", decimals, number) }

  /// Returns a number formatted by C's `printf` with the precision `digits`. `String(format:)` is several times slower.
  static func printed(_ format: String, _ digits: Int, _ number: Double) -> String {
    // The buffer suffices: the largest number has 309 digits before the point.
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 400 + digits) { text in
      csp_print(text.baseAddress, text.count, format, Int32(digits), number)
      return text.baseAddress.map { String(cString: $0) } ?? ""
    }
  }

  private static func scaled(_ number: Double, units: [String]) -> String {
    var value = number
    var unit = 0
    // A value such as 999.6 would be rounded to 1000 of its unit, so the next larger unit is used.
    while abs(value) >= 999.5, unit + 1 < units.count {
      value /= 1000
      unit += 1
    }
    let text = unit == 0 && value == value.rounded() ? String(Quantity.whole(value)) : digits(value)
    return "\(text) \(units[unit])"
  }

  private static func digits(_ value: Double) -> String {
    if value == 0 { return "0" }
    if abs(value) < 9.95 { return fixed(value, abs(value) < 0.095 ? 3 : abs(value) < 0.95 ? 2 : 1) }
    if abs(value) < 999.5 { return fixed(value, 0) }
    var unit = 1.0
    while abs(value) / unit >= 99.5 { unit *= 10 }
    return abs(value) < 1e15 ? Quantity.grouped(Quantity.whole((value / unit).rounded() * unit)) : fixed(value, 0)
  }

  private static func trimmed(_ text: String) -> String {
    var text = text
    while text.contains("."), let last = text.last, last == "0" || last == "." { text.removeLast() }
    return text
  }
}
