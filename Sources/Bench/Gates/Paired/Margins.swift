import StorageContract
import StorageStatistics

/// The values of the option `--margin`: the differences in time to ignore, such as `5%` or `12%@'sqlite/*'`.
struct Margins {
  private var entries: [(share: Double, glob: Glob)] = []

  init() {}

  /// Parses values of `--margin` such as `12%@'sqlite/*'`. The last value that matches a benchmark's name applies.
  init(_ texts: [String], names: [String]) throws {
    for text in texts {
      let (number, glob) = try split(text, flag: "--margin", names: names)
      guard let share = Tolerances.share(ofPercent: number), share > 0 else {
        throw UsageError("--margin '\(text)' is not usable; give a percentage above 0, such as 5% or 12%@'sqlite/*'")
      }
      entries.append((share, glob))
    }
  }

  func share(_ name: String) -> Double { entries.last { $0.glob.matches(name) }?.share ?? RowVerdict.margin }
}

/// An artificial slowdown of the new build, to test `paired`: `--inject 1.2` makes operations take 1.2 times as long.
enum Injection {
  /// Returns the slowdowns that `--inject` sets, by index in `names`: 0.2 makes operations 20 % longer.
  static func slowdowns(_ text: String, names: [String]) throws -> [Int: Double] {
    let (number, glob) = try split(text, flag: "--inject", names: names)
    guard let factor = RuleMetric.number(number), factor > 1, factor <= 100 else {
      throw UsageError(
        "--inject '\(text)' is not usable; give a factor above 1, at most 100, such as 1.2 or 1.2@'sqlite/*'")
    }
    return Dictionary(uniqueKeysWithValues: names.indices.filter { glob.matches(names[$0]) }.map { ($0, factor - 1) })
  }
}

private func split(_ text: String, flag: String, names: [String]) throws -> (number: String, glob: Glob) {
  let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
  let glob = Glob(parts.count > 1 ? parts[1] : "*")
  guard names.contains(where: glob.matches) else {
    throw UsageError(matchless: "\(flag) '\(text)'", names: names)
  }
  return (parts[0], glob)
}
