import Foundation

/// Ranks drawn so that the k-th most popular comes up with probability proportional to 1 / k^theta.
///
/// The method is that of Gray et al., "Quickly generating billion-record synthetic databases" (SIGMOD 1994),
/// with the constant 0.99 that the YCSB benchmark uses.
public struct Zipfian: Sendable {
  /// The number of ranks.
  public let count: Int
  private let theta: Double
  private let zeta: Double
  private let alpha: Double
  private let eta: Double

  /// Prepares to draw from so many ranks; takes time proportional to their number.
  public init(count: Int, theta: Double = 0.99) {
    self.count = count
    self.theta = theta
    zeta = (1...max(1, count)).reduce(0) { $0 + pow(Double($1), -theta) }
    let zetaOfTwo = 1 + pow(2, -theta)
    alpha = 1 / (1 - theta)
    eta = (1 - pow(2 / Double(count), 1 - theta)) / (1 - zetaOfTwo / zeta)
  }

  /// The rank that belongs to a number in [0, 1): 0 is the most popular.
  public func rank(_ fraction: Double) -> Int {
    let scaled = fraction * zeta
    if scaled < 1 { return 0 }
    if scaled < 1 + pow(0.5, theta) { return min(1, count - 1) }
    return min(count - 1, Int(Double(count) * pow(eta * fraction - eta + 1, alpha)))
  }
}
