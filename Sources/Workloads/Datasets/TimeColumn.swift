import StorageContract

/// The numbers of a column `modified`, read in the one unit that makes plausible dates of all of them.
struct TimeColumn {
  private typealias Unit = ColumnMap.TimeUnit

  /// Seconds since 2001 of 1990-01-01 and 2100-01-01, between which a date is plausible.
  private static let plausible = -347_155_200.0..<3_124_137_600.0

  /// Returns the unit of a column's numbers. 0 stands for no date, and tells nothing.
  ///
  /// - Parameters:
  ///   - numbers: The numbers with their lines.
  ///   - answer: What `--map` says.
  ///   - place: Names the file, the line and the column.
  ///   - column: The name of the column, for the answer.
  /// - Throws: ``UsageError`` that asks for the answer, where several units or none make plausible dates.
  static func unit(
    of numbers: [(line: Int, value: Double)], answer: ColumnMap.TimeUnit?, column: String, place: (Int) -> String
  ) throws -> ColumnMap.TimeUnit {
    if let answer { return answer }
    let dates = numbers.filter { $0.value != 0 }
    guard let first = dates.first else { return .apple }
    let units = Unit.allCases.filter { unit in dates.allSatisfy { plausible.contains(unit.seconds($0.value)) } }
    let isDay = dates.allSatisfy { isDayOrYear($0.value) }
    // Milliseconds are never taken without an answer.
    if units.count == 1, let unit = units.first, unit != .ms, !isDay { return unit }
    let odd = dates.first { date in !Unit.allCases.contains { plausible.contains($0.seconds(date.value)) } } ?? first
    let readings =
      isDay
      ? "looks like a day or a year; write such dates as 2026-01-31"
      : "could be \(words(units)); write the dates as \(ISODate.examples)"
    let quoted = column.visible.replacing("'", with: "'\\''")
    throw UsageError(
      "\(place(odd.line)): the number \(text(odd.value)) \(readings), or say how it counts with "
        + "--map 'modified=\(quoted):unix' (seconds since 1970), :apple (seconds since 2001) or :ms (milliseconds since 1970)"
    )
  }

  private static func words(_ units: [ColumnMap.TimeUnit]) -> String {
    let names = units.map { unit in
      switch unit {
      case .unix: "seconds since 1970"
      case .apple: "seconds since 2001"
      case .ms: "milliseconds since 1970"
      }
    }
    return names.isEmpty ? "no date between 1990 and 2100" : names.joined(separator: " or ")
  }

  /// Returns whether a number is a year, or a day as 20260131.
  private static func isDayOrYear(_ value: Double) -> Bool {
    guard let whole = Int(exactly: value) else { return false }
    if (1_900...2_100).contains(whole) { return true }
    let (year, month, day) = (whole / 10_000, whole / 100 % 100, whole % 100)
    return (1_900...2_100).contains(year) && (1...12).contains(month) && (1...ISODate.days(month, year)).contains(day)
  }

  private static func text(_ value: Double) -> String { Int64(exactly: value).map { "\($0)" } ?? "\(value)" }
}
