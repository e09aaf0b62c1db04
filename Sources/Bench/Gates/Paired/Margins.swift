import StorageContract
import StorageStatistics

/// The values of `--margin`: the differences in time that are ignored, such as `5%` for all benchmarks and
/// `12%@'sqlite/*'` for some.
struct Margins {
  /// The default margin, which is the difference in time that is ignored, as a fraction: 0.05 for 5 %.
  static let usual = RowVerdict.margin

  private var entries: [(share: Double, glob: Glob)] = []

  /// Parses the values of the option `--margin`, such as `5%` or `12%@'sqlite/*'`. `names` are the names of all
  /// benchmarks. If several patterns match a name, the last one applies.
  init(_ texts: [String], names: [String]) throws {
    for text in texts {
      let (number, glob) = try CellPattern.split(text, flag: "--margin", names: names)
      guard let percent = Percent(number), percent.share > 0 else {
        throw UsageError("--margin '\(text)' is not usable; give percent above 0, such as 5% or 12%@'sqlite/*'")
      }
      entries.append((percent.share, glob))
    }
  }

  func share(_ name: String) -> Double { entries.last { $0.glob.matches(name) }?.share ?? Self.usual }
}

/// An artificial slowdown that tests `paired`. With `--inject 1.2`, the operations of the new build take 1.2 times as
/// long. With `--inject 1.2@'sqlite/*'`, only the operations of benchmarks with a matching name take longer.
struct Injection {
  private let slowdown: Double
  private let glob: Glob

  init(_ text: String, names: [String]) throws {
    let (number, glob) = try CellPattern.split(text, flag: "--inject", names: names)
    guard let factor = RuleMetric.number(number), factor > 1, factor <= 100 else {
      throw UsageError("--inject '\(text)' is not usable; give a factor above 1, such as 1.2 or 1.2@'sqlite/*'")
    }
    slowdown = factor - 1
    self.glob = glob
  }

  /// Returns the artificial slowdown of each benchmark whose name matches the pattern of `--inject`, as a fraction of
  /// an operation's time (0.2 for `--inject 1.2`). The keys of the result are indices in `names`.
  func slowdowns(_ names: [String]) -> [Int: Double] {
    Dictionary(uniqueKeysWithValues: names.indices.filter { glob.matches(names[$0]) }.map { ($0, slowdown) })
  }
}

enum CellPattern {
  static func split(_ text: String, flag: String, names: [String]) throws -> (number: String, glob: Glob) {
    let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let glob = Glob(parts.count > 1 ? parts[1] : "*")
    guard names.contains(where: { glob.matches($0) }) else {
      throw UsageError(matchless: "\(flag) '\(text)'", names: names)
    }
    return (parts[0], glob)
  }
}
