import Foundation
import StorageStatistics
import TestSupport
import Testing

/// Values beyond the measured sizes have intervals that contain the truth, or are not reported.
@Suite struct ExtrapolationTests {
  /// A curve as stores have it, straight or bent: its name, and its value at x.
  private typealias Curve = (name: String, value: (Double) -> Double)

  private static var curves: [Curve] {
    var curves: [Curve] = [
      ("x log x", { 5000 * $0 * log($0) }), ("log x", { 1e6 * log($0) }),
      ("a cache that ends", { x in 5000 * x * (1 + 0.5 / (1 + pow(8000 / x, 2))) }),
    ]
    for exponent in [0.5, 0.9, 1, 1.1, 1.5] { curves.append(("x^\(exponent)", { 5000 * pow($0, exponent) })) }
    for constant in [1e5, 1e6, 1e7] { curves.append(("\(constant) + 5,000 x", { constant + 5000 * $0 })) }
    // Convex on logarithmic axes, with an exponent that grows with every factor of ten, and concave.
    for more in [0.05, 0.1, 0.2, 0.3, -0.1, -0.2] {
      curves.append(("exponent +\(more) a tenfold", { x in 5000 * x * pow(10, more * pow(log10(x / 100), 2) / 2) }))
    }
    return curves
  }

  private static let sizes: [[Double]] = [
    [100, 1000, 10_000], [100, 1000, 3000, 10_000], [1000, 3000, 10_000], [100, 300, 1000, 3000, 10_000],
  ]

  @Test func `the interval holds the truth, on convex curves too`() throws {
    var random = SplitMix64(seed: 77)
    var (said, held, asked) = (0, 0, 0)
    var far: [Double] = []
    for (name, value) in Self.curves {
      for sizes in Self.sizes {
        for noise in [0.0, 0.02, 0.05] {
          let fit = try #require(GrowthFit(sizes, pace: 0.05, noise: noise, &random, value))
          for factor in [1.5, 2, 3, 5, 10] {
            for x in [sizes[sizes.count - 1] * factor, sizes[0] / factor] {
              asked += 1
              guard let interval = fit.reading(at: x)?.interval else { continue }
              said += 1
              let truth = value(x)
              // Rounds without noise differ only in their pace.
              if interval.low <= truth, truth <= interval.high {
                held += 1
              } else {
                far.append(max(interval.low / truth, truth / interval.high))
                if far.last! > 1.2 { Issue.record("\(name) at \(x) from \(sizes): \(truth), said \(interval)") }
              }
            }
          }
        }
      }
    }
    #expect(Double(held) >= 0.97 * Double(said), "\(held) of \(said)")
    #expect(said * 10 >= asked * 7, "said \(said) of \(asked)")
  }

  @Test func `the interval is no wider than it must be where the curve is straight`() throws {
    let fit = try #require(GrowthFit([100.0, 1000, 10_000].map { (x: $0, y: 7 * $0) }))
    let reading = try #require(fit.reading(at: 30_000))
    #expect(abs(reading.value / 210_000 - 1) < 1e-9)
    let interval = try #require(reading.interval)
    #expect(interval.high / interval.low < 1.3)
    // Within the measured range, nothing is added.
    let inside = try #require(fit.reading(at: 2000))
    #expect(inside.low == 1 && inside.high == 1 && inside.interval == nil)
  }

  @Test func `two sizes, a far size or a wide interval give no extrapolation`() throws {
    let two = try #require(GrowthFit([(1000, 8e6), (10_000, 83e6)]))
    #expect(two.reading(at: 30_000) == nil && two.reading(at: 5000) != nil)
    #expect(two.extrapolated(to: 200e6) == nil)
    let three = try #require(GrowthFit([100.0, 1000, 10_000].map { (x: $0, y: 7 * $0) }))
    #expect(three.reading(at: 100_001) == nil && three.reading(at: 9) == nil)
    #expect(three.reading(at: 90_000) != nil && three.reading(at: 11) != nil)
    // A step that may continue or not.
    let step = try #require(GrowthFit([(100, 1000), (1000, 1000), (10_000, 30_000)]))
    #expect(step.reading(at: 60_000) == nil)
    #expect(step.reading(at: 11_000) != nil)
  }

  @Test func `each round goes on as it did`() throws {
    let rounds = Dictionary(uniqueKeysWithValues: (1...6).map { ($0, [700.0, 7000, $0 == 3 ? 77_000 : 70_000]) })
    let fit = try #require(GrowthFit([(100, 700), (1000, 7000), (10_000, 70_000)], rounds: rounds))
    let reading = try #require(fit.reading(at: 100_000))
    #expect(reading.rounds[1].map { abs($0 / 700_000 - 1) < 1e-6 } == true)
    #expect(reading.rounds[3].map { abs($0 / 847_000 - 1) < 1e-6 } == true)
  }
}
