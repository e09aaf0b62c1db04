import Foundation

extension StringProtocol {
  /// The digits of a number, without the commas between thousands.
  var ungrouped: String { String(self).replacing(",", with: "") }
}

/// A rounded number for readers, and the possible difference from the exact one.
struct Shown {
  var value: Double
  var slack: Double

  /// Parses `626 µs`, `3.1×`, `1,800×`, `~650`, `0.95`. The exact number may differ by half of the last digit; numbers
  /// with commas have two significant digits.
  init?(_ text: some StringProtocol) {
    let units: [String: Double] = [
      "ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9, "B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9,
    ]
    let parts = String(text).replacing("~", with: "").split(separator: " ").map(String.init)
    guard var digits = parts.first else { return nil }
    var unit: Double? = parts.count > 1 ? units[parts[1]] : 1
    for (suffix, factor) in [("×", 1.0), ("M", 1e6), ("G", 1e9)] where digits.hasSuffix(suffix) {
      digits.removeLast()
      unit = factor
    }
    let plain = digits.ungrouped
    guard let number = Double(plain), let unit else { return nil }
    let decimals = plain.split(separator: ".").dropFirst().first.map(\.count) ?? 0
    let isRounded = text.hasPrefix("~") && number >= 100
    let last = digits.contains(",") || isRounded ? pow(10, floor(log10(number)) - 1) : pow(10, -Double(decimals))
    (value, slack) = (number * unit, last * unit * 0.5001)
  }

  /// Returns whether an exact number would be printed like this.
  func says(_ exact: Double) -> Bool { abs(exact - value) <= slack + abs(exact) * 1e-4 }

  /// Returns whether the ends of exact numbers would be printed as a text such as `1.8 MB to 2.5 MB`.
  static func says(_ range: Substring, _ exact: [Double]) -> Bool {
    let ends = range.components(separatedBy: " to ").compactMap { Shown($0) }
    guard let low = ends.first, let high = ends.last, let least = exact.min(), let most = exact.max() else {
      return false
    }
    return low.says(least) && high.says(most)
  }
}

/// Two cells compared round by round, with the rules that the page states.
struct Pairs {
  /// The ratio of the second time to the first.
  var ratio: Double
  var low: Double
  var high: Double
  private var difference: Double
  private var resolution: Double

  /// Compares two cells. Nil if they have fewer than six rounds in common.
  init?(_ base: [Int: FinishedRun.Trial]?, _ head: [Int: FinishedRun.Trial]?) {
    guard let base, let head else { return nil }
    let pairs = base.compactMap { round, one in head[round].map { (one, $0) } }
    let isMixed = pairs.contains { ($0.batch == nil) != ($1.batch == nil) }
    let times = pairs.map { isMixed ? ($0.mean, $1.mean) : ($0.typical, $1.typical) }
    let ratios = times.map { $1 / $0 }.sorted()
    guard ratios.count >= 6 else { return nil }
    let count = ratios.count
    ratio = (ratios[(count - 1) / 2] * ratios[count / 2]).squareRoot()
    // The order statistics that contain the median with a probability of at least 95.8 %.
    var (rank, sum, term) = (0, 0.0, pow(0.5, Double(count)))
    sum = term
    while sum <= 0.021 {
      rank += 1
      term *= Double(count - rank + 1) / Double(rank)
      sum += term
    }
    (low, high) = (ratios[rank - 1], ratios[count - rank])
    let differences = times.map { abs($1 - $0) }.sorted()
    difference = (differences[(count - 1) / 2] + differences[count / 2]) / 2
    resolution = pairs.map { max($0.resolution, $1.resolution) }.max() ?? 0
  }

  private static let margin = 1.05

  /// Whether the interval excludes 1 and the median exceeds the margin.
  var isSlower: Bool { low > 1 && ratio > Self.margin && difference > resolution }
  /// The same, by three quarters of the interval's width, which a winner among several needs.
  var isClearlySlower: Bool { isSlower && log(low) > 0.75 * log(high / low) }
  var isFaster: Bool { high < 1 && ratio < 1 / Self.margin && difference > resolution }
  var isClearlyFaster: Bool { isFaster && -log(high) > 0.75 * log(high / low) }
  /// Whether the whole interval is within the margin.
  var isAboutEqual: Bool { low >= 1 / Self.margin && high <= Self.margin }
}
