import Foundation

/// A zipfian distribution: the k-th most likely number has a probability proportional to 1 / k^0.99. The method is
/// that of Gray et al., SIGMOD 1994.
public struct Zipfian: Sendable {
  /// The exponent of the distribution: YCSB's `ZipfianGenerator.ZIPFIAN_CONSTANT`.
  public static let constant = 0.99
  private static let alpha = 1 / (1 - constant)

  /// The number of possible results of ``rank(_:)``, from 0 (the most likely) to `count - 1`.
  public private(set) var count: Int
  private var zeta: Double
  private var eta: Double

  /// Creates a distribution over the numbers 0 (the most likely) to `count - 1`. The time is proportional to `count`.
  public init(count: Int) { self.init(count: count, zeta: Self.zeta(count)) }

  /// Creates a distribution over the numbers 0 (the most likely) to `count - 1`. `zeta` must be the sum of 1 / k^0.99
  /// for k from 1 to `count`.
  public init(count: Int, zeta: Double) {
    self.count = count
    self.zeta = zeta
    eta = Self.eta(count, zeta)
  }

  /// Returns the sum of 1 / k^0.99 for k from 1 to `count`.
  public static func zeta(_ count: Int) -> Double {
    (1...max(1, count)).reduce(0) { $0 + pow(Double($1), -constant) }
  }

  private static func eta(_ count: Int, _ zeta: Double) -> Double {
    (1 - pow(2 / Double(count), 1 - constant)) / (1 - (1 + pow(2, -constant)) / zeta)
  }

  /// Extends this distribution to the numbers 0 to `count - 1`. The time is proportional to the increase in `count`.
  mutating func grow(to count: Int) {
    guard count > self.count else { return }
    for rank in self.count + 1...count { zeta += pow(Double(rank), -Self.constant) }
    self.count = count
    eta = Self.eta(count, zeta)
  }

  /// Returns a rank from 0 (the most likely) to `count - 1`. `fraction` must be uniformly random, from 0 to less than
  /// 1.
  public func rank(_ fraction: Double) -> Int {
    let scaled = fraction * zeta
    if scaled < 1 { return 0 }
    if scaled < 1 + pow(0.5, Self.constant) { return min(1, count - 1) }
    return min(count - 1, Int(Double(count) * pow(eta * fraction - eta + 1, Self.alpha)))
  }
}
