import StorageContract

/// The detection of the unit of numeric modification times in a data file, such as seconds since 1970.
extension ColumnMap.TimeUnit {
  /// The range of plausible dates, 1990-01-01 to 2100-01-01, in seconds since 2001.
  private static let plausible = -347_155_200.0..<3_124_137_600.0

  /// Returns the unit in which all numbers except 0 are dates from 1990 to 2100. Throws ``UsageError`` if that unit is
  /// milliseconds, or not clear from the numbers.
  static func detect(
    in numbers: [(row: Int, value: Double)], column: String, location: (Int) -> String
  ) throws -> ColumnMap.TimeUnit {
    let dates = numbers.filter { $0.value != 0 }
    guard let first = dates.first else { return .apple }
    let units = allCases.filter { unit in dates.allSatisfy { plausible.contains(unit.seconds($0.value)) } }
    let isDay = dates.allSatisfy { isDayOrYear($0.value) }
    // Milliseconds are accepted only if given by the option `--map`.
    if units.count == 1, let unit = units.first, unit != .ms, !isDay { return unit }
    let odd = dates.first { date in !allCases.contains { plausible.contains($0.seconds(date.value)) } } ?? first
    let possible =
      units.isEmpty ? "no date between 1990 and 2100" : units.map(\.words).joined(separator: " or ")
    let readings =
      isDay
      ? "looks like a day or a year; write such dates as 2026-01-31"
      : "could be \(possible); write the dates as \(ISODate.examples)"
    let number = Int64(exactly: odd.value).map { "\($0)" } ?? "\(odd.value)"
    let quoted = column.visible.replacing("'", with: "'\\''")
    throw UsageError(
      "\(location(odd.row)): the number \(number) \(readings), or give its unit with "
        + "--map 'modified=\(quoted):unix' (seconds since 1970), :apple (seconds since 2001) or :ms (milliseconds since 1970)"
    )
  }

  /// Returns whether a number looks like a year, or like a day in the form 20260131.
  private static func isDayOrYear(_ value: Double) -> Bool {
    guard let whole = Int(exactly: value) else { return false }
    if (1_900...2_100).contains(whole) { return true }
    let (year, month, day) = (whole / 10_000, whole / 100 % 100, whole % 100)
    return (1_900...2_100).contains(year) && ISODate.seconds(year, month, day) != nil
  }
}
