import Foundation

/// A number as it is written for people, and by how much the exact one may differ from it.
struct Shown {
  var value: Double
  var slack: Double

  /// Reads `626 us`, `3.1x`, `1,800x`, `~650`, `0.95`: half of the last digit is open; numbers with commas have two.
  init?(_ text: String) {
    let units: [String: Double] = [
      "ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9,
    ]
    let parts = text.replacing("~", with: "").split(separator: " ").map(String.init)
    guard var digits = parts.first else { return nil }
    var unit: Double? = parts.count > 1 ? units[parts[1]] : 1
    for (suffix, factor) in [("x", 1.0), ("M", 1e6), ("G", 1e9)] where digits.hasSuffix(suffix) {
      digits.removeLast()
      unit = factor
    }
    let plain = digits.replacing(",", with: "")
    guard let number = Double(plain), let unit else { return nil }
    let decimals = plain.split(separator: ".").dropFirst().first.map(\.count) ?? 0
    let isRounded = text.hasPrefix("~") && number >= 100
    let last = digits.contains(",") || isRounded ? pow(10, floor(log10(number)) - 1) : pow(10, -Double(decimals))
    (value, slack) = (number * unit, last * unit * 0.5001)
  }

  /// Whether this is how a number would be written.
  func says(_ exact: Double) -> Bool { abs(exact - value) <= slack + abs(exact) * 1e-4 }
}

/// Two cells compared round by round, by the rules that the page states.
struct Pairs {
  /// The factor by which the second takes longer.
  var ratio: Double
  var low: Double
  var high: Double
  private var difference: Double
  private var resolution: Double

  /// Nil below six rounds in common.
  init?(_ base: [Int: FinishedRun.Trial]?, _ head: [Int: FinishedRun.Trial]?) {
    guard let base, let head else { return nil }
    let pairs = base.compactMap { round, one in head[round].map { (one, $0) } }
    let isMixed = pairs.contains { $0.isBatched != $1.isBatched }
    let times = pairs.map { isMixed ? ($0.mean, $1.mean) : ($0.typical, $1.typical) }
    let ratios = times.map { $1 / $0 }.sorted()
    guard ratios.count >= 6 else { return nil }
    let count = ratios.count
    ratio = (ratios[(count - 1) / 2] * ratios[count / 2]).squareRoot()
    // The order statistics that hold the median in 95.8 % or more.
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

  /// Whether the interval lies clear of 1 and the median beyond the margin.
  var isSlower: Bool { low > 1 && ratio > Self.margin && difference > resolution }
  /// The same, by three quarters of the interval's width, as a winner among several must be.
  var isClearlySlower: Bool { isSlower && log(low) > 0.75 * log(high / low) }
  var isFaster: Bool { high < 1 && ratio < 1 / Self.margin && difference > resolution }
  var isClearlyFaster: Bool { isFaster && -log(high) > 0.75 * log(high / low) }
  /// Whether the whole interval lies within the margin.
  var isAboutEqual: Bool { low >= 1 / Self.margin && high <= Self.margin }
}

/// The textbook's straight line through logarithms.
enum Slope {
  static func of(_ points: [(x: Double, y: Double)]) -> Double? {
    let logs = points.map { (x: log($0.x), y: log($0.y)) }
    guard Set(logs.map(\.x)).count > 1 else { return nil }
    let count = Double(logs.count)
    let middle = (x: logs.reduce(0) { $0 + $1.x } / count, y: logs.reduce(0) { $0 + $1.y } / count)
    let above = logs.reduce(0) { $0 + ($1.x - middle.x) * ($1.y - middle.y) }
    return above / logs.reduce(0) { $0 + ($1.x - middle.x) * ($1.x - middle.x) }
  }
}
