/// The parsing and formatting of sizes, times and counts, for the command line and reports.
public enum Quantity {
  /// Parses a count or a size in bytes: `k` and `MB` are powers of 1,000, `KiB` and `MiB` powers of 1,024.
  ///
  /// - Returns: The number, or nil if the text is not a size or the number is too large.
  public static func bytes(_ text: String) -> Int? {
    let suffixes: [(String, Int)] = [
      ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40), ("kB", 1_000), ("MB", 1_000_000),
      ("GB", 1_000_000_000), ("TB", 1_000_000_000_000), ("k", 1_000), ("K", 1_000), ("M", 1_000_000),
      ("G", 1_000_000_000), ("T", 1_000_000_000_000), ("B", 1), ("", 1),
    ]
    guard let (suffix, factor) = suffixes.first(where: { text.hasSuffix($0.0) }) else { return nil }
    let digits = text.dropLast(suffix.count)
    let parts = digits.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy { $0.isASCII && $0.isNumber } }), let whole = Int(parts[0])
    else { return nil }
    let (product, overflow) = whole.multipliedReportingOverflow(by: factor)
    guard !overflow, parts.count == 2 else { return overflow ? nil : product }
    // A fraction such as 1.5GiB is accepted if it is a whole number of bytes.
    guard suffix.hasSuffix("B"), parts[1].count <= 6, let share = Int(parts[1]) else { return nil }
    let divisor = parts[1].reduce(1) { product, _ in product * 10 }
    guard (share * factor).isMultiple(of: divisor) else { return nil }
    let (sum, isTooLarge) = product.addingReportingOverflow(share * factor / divisor)
    return isTooLarge ? nil : sum
  }

  /// Formats a number of bytes in the largest unit that gives a whole number: `64MiB`, `100MB`, `123`.
  public static func size(_ bytes: Int) -> String {
    let units = [
      ("TiB", 1 << 40), ("TB", 1_000_000_000_000), ("GiB", 1 << 30), ("GB", 1_000_000_000), ("MiB", 1 << 20),
      ("MB", 1_000_000), ("KiB", 1 << 10), ("kB", 1_000),
    ]
    guard bytes > 0, let (unit, factor) = units.first(where: { bytes.isMultiple(of: $0.1) }) else { return "\(bytes)" }
    return "\(bytes / factor)\(unit)"
  }

  /// Parses a duration with its unit, such as `500ms` or `1h`, as nanoseconds. Returns nil for other texts.
  public static func nanoseconds(_ text: String) -> Int64? {
    let units: [(String, Double)] = [
      ("ns", 1), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9), ("m", 60e9), ("h", 3600e9),
    ]
    guard let (unit, factor) = units.first(where: { text.hasSuffix($0.0) }) else { return nil }
    let digits = text.dropLast(unit.count)
    guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }),
      let number = Double(digits), number * factor < 1e18
    else { return nil }
    // Rounded, not cut: 1.001 ms is 1,000,999.9999999999 ns in binary.
    return Int64((number * factor).rounded())
  }

  /// Formats nanoseconds in the largest unit that gives a whole number, such as `2h`.
  public static func time(_ nanoseconds: Int64) -> String {
    let units: [(String, Int64)] = [
      ("h", 3_600_000_000_000), ("m", 60_000_000_000), ("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000),
    ]
    guard nanoseconds != 0 else { return "0s" }
    let (unit, factor) = units.first { nanoseconds.isMultiple(of: $0.1) } ?? ("ns", 1)
    return "\(nanoseconds / factor)\(unit)"
  }

  /// Rounds a number to the nearest `Int`. A number out of range gives `Int.min` or `Int.max`, and NaN gives 0.
  public static func whole(_ number: Double) -> Int {
    if number.isNaN { return 0 }
    return Int(exactly: number.rounded()) ?? (number < 0 ? .min : .max)
  }

  /// Formats a number with a noun in the singular or plural: `1 cell`, `12,345 cells`.
  public static func counted(_ number: Int, _ noun: String) -> String {
    "\(grouped(number)) \(noun)\(number == 1 ? "" : "s")"
  }

  /// Formats a whole number with commas between groups of three digits: `12,345`.
  public static func grouped(_ number: Int) -> String {
    var digits = Array(String(number.magnitude))
    for index in stride(from: digits.count - 3, to: 0, by: -3) { digits.insert(",", at: index) }
    return (number < 0 ? "-" : "") + String(digits)
  }
}

extension Array {
  /// Returns the elements without duplicates. Of several elements with the same key, only the first one is kept.
  package func unique<Key: Hashable>(by key: (Element) -> Key) -> [Element] {
    var seen: Set<Key> = []
    return filter { seen.insert(key($0)).inserted }
  }
}

extension Array where Element: Hashable {
  package var unique: [Element] { unique(by: \.self) }
}
