import Foundation
import StorageStatistics
import TestSupport
import Testing

@Suite struct GrowthLawTests {
  @Test(arguments: [(440_000.0, 5200.0, 1.04), (1e5, 0.5, 1.5), (600.0, 7.0, 0.5), (1.0, 1e-3, 2.0)])
  func `finds the law behind exact points`(constant: Double, coefficient: Double, exponent: Double) throws {
    let law = GrowthModel(constant: constant, coefficient: coefficient, exponent: exponent)
    let sizes = [100.0, 1000, 10_000, 100_000]
    let found = try #require(GrowthModel(withConstant: sizes.map { (x: $0, y: law.predict($0)) }))
    #expect(abs(found.exponent - exponent) < 1e-4)
    #expect(abs(found.constant / constant - 1) < 1e-3)
    for x in [100.0, 500, 7000, 100_000] { #expect(abs(found.predict(x) / law.predict(x) - 1) < 1e-4) }
  }

  /// A search over all three parameters, which is independent of the fit.
  @Test func `no other law is closer`() throws {
    var random = SplitMix64(seed: 8)
    for _ in 0..<20 {
      let points = [100.0, 300, 1000, 5000, 20_000].map { x in
        (x: x, y: (500 + 3 * pow(x, 0.9)) * exp(Double.random(in: -0.1...0.1, using: &random)))
      }
      let law = try #require(GrowthModel(withConstant: points))
      let error = { (law: GrowthModel) in points.reduce(0) { $0 + pow(law.predict($1.x) / $1.y - 1, 2) } }
      let best = error(law)
      for _ in 0..<500 {
        var other = law
        other.constant *= exp(Double.random(in: -0.2...0.2, using: &random))
        other.coefficient *= exp(Double.random(in: -0.2...0.2, using: &random))
        other.exponent += Double.random(in: -0.05...0.05, using: &random)
        #expect(error(other) >= best - 1e-12)
      }
    }
  }

  @Test func `neither part is ever negative`() throws {
    let falling = try #require(GrowthModel(withConstant: [(100, 50), (1000, 40), (10_000, 30)]))
    #expect(falling.coefficient == 0 && falling.constant > 0)
    // Bent the other way: a negative constant would fit better.
    let bent = try #require(GrowthModel(withConstant: [(100, 10), (1000, 500), (10_000, 5000)]))
    #expect(bent.constant == 0 && bent.coefficient > 0)
    #expect(GrowthModel(withConstant: [(100, 5), (1000, 6)]) == nil)
    #expect(GrowthModel(withConstant: [(100, 5), (1000, 6), (1000, 7)]) == nil)
  }
}

extension GrowthFit {
  /// Creates the fit of six rounds with relative noise, and of their medians.
  ///
  /// - Parameter pace: The largest deviation of a whole round, which affects all sizes alike.
  init?(
    _ sizes: [Double], pace: Double, noise: Double, _ random: inout SplitMix64, _ value: (Double) -> Double
  ) {
    var rounds: [Int: [Double]] = [:]
    for round in 1...6 {
      let pace = Double.random(in: -pace...pace, using: &random)
      rounds[round] = sizes.map { value($0) * exp(pace + Double.random(in: -1...1, using: &random) * noise) }
    }
    let points = sizes.indices.map { index in
      (x: sizes[index], y: Quantile.median(of: rounds.values.map { $0[index] }.sorted()) ?? 0)
    }
    self.init(points, rounds: rounds)
  }
}

@Suite struct GrowthFitTests {
  private let sizes = [100.0, 1000, 10_000]

  private func measured(_ law: GrowthModel, noise: Double, _ random: inout SplitMix64) throws -> GrowthFit {
    try #require(GrowthFit(sizes, pace: 0.1, noise: noise, &random, law.predict))
  }

  @Test func `a constant is found where there is one, and not where noise could be it`() throws {
    var random = SplitMix64(seed: 21)
    var (found, invented) = (0, 0)
    for _ in 0..<200 {
      let real = try measured(GrowthModel(constant: 5e5, coefficient: 5000, exponent: 1), noise: 0.05, &random)
      if real.hasConstant { found += 1 }
      let none = try measured(GrowthModel(constant: 0, coefficient: 5000, exponent: 0.9), noise: 0.05, &random)
      if none.hasConstant { invented += 1 }
    }
    #expect(found >= 198)
    #expect(invented <= 4)
  }

  @Test func `a step is no power`() throws {
    // One more page from some size on: only steeper and steeper powers would fit better.
    let fit = try #require(GrowthFit([(100, 16_384), (1000, 16_386), (10_000, 20_600)]))
    #expect(!fit.hasConstant && fit.law.exponent < 0.1)
  }

  @Test func `slopes and exponents are found, and their intervals hold them`() throws {
    var random = SplitMix64(seed: 22)
    var (slopes, exponents) = (0, 0)
    for _ in 0..<200 {
      let power = try measured(GrowthModel(constant: 0, coefficient: 3000, exponent: 0.98), noise: 0.03, &random)
      #expect(abs((power.slope ?? 0) - 0.98) < 0.02)
      let slope = try #require(power.slopeInterval)
      if slope.low <= 0.98, 0.98 <= slope.high { slopes += 1 }

      let both = try measured(GrowthModel(constant: 4e5, coefficient: 5000, exponent: 1), noise: 0.02, &random)
      #expect(abs(both.law.exponent - 1) < 0.025)
      let exponent = try #require(both.exponentInterval)
      if exponent.low <= 1, 1 <= exponent.high { exponents += 1 }
    }
    // The coverage is 96.9 % with six rounds.
    #expect(slopes >= 186)
    #expect(exponents >= 186)
  }

  @Test func `counts have no noise, so every bend is one`() throws {
    let fit = try #require(GrowthFit(sizes.map { (x: $0, y: 12_300 + $0 / 40) }))
    #expect(fit.hasConstant)
    #expect(abs(fit.law.constant - 12_300) < 1)
    #expect(abs(fit.law.exponent - 1) < 1e-3)
    #expect(fit.slopeInterval == nil && fit.exponentInterval == nil && fit.residual == nil)
  }

  @Test func `the residual is what the law misses`() throws {
    let fit = try #require(GrowthFit([(100, 90), (1000, 1100), (10_000, 9000)]))
    #expect(!fit.hasConstant)
    let missed = try #require(fit.residual)
    // By hand: for three sizes at equal steps, ln y deviates from its straight line by a sixth of the second difference
    // at the ends, and by twice that in the middle.
    let bend = (log(90.0) - 2 * log(1100.0) + log(9000.0)) / 6
    #expect(abs(missed - abs(bend) * 2.0.squareRoot()) < 1e-9)
  }

  @Test func `one size has a curve and no slope`() throws {
    let fit = try #require(GrowthFit([(1000, 5)]))
    #expect(fit.slope == nil && fit.residual == nil)
    #expect(fit.curve.crossing(of: 6) == .never)
    #expect(fit.curve.crossing(of: 4) == .before)
    #expect(fit.extrapolated(to: 6) == nil && fit.reading(at: 2000) == nil)
    #expect(GrowthFit([]) == nil)
    #expect(GrowthFit([(100, 1), (1000, 0)]) == nil)
  }

  @Test func `a curve goes through the measurements under every law`() throws {
    let points = [(x: 100.0, y: 10.0), (x: 1000, y: 300), (x: 10_000, y: 400)]
    let curve = try #require(GrowthFit(points)).curve
    for point in points { #expect(abs(curve.value(at: point.x) / point.y - 1) < 1e-9) }
    guard case .at(let size) = curve.crossing(of: 350) else {
      Issue.record("350 lies between 300 and 400")
      return
    }
    #expect(size > 1000 && size < 10_000)
    #expect(abs(curve.value(at: size) - 350) < 1e-6)
    #expect(curve.crossing(of: 400) == .never)
    #expect(curve.crossing(of: 9) == .before)
  }

  @Test func `limits between the sizes and beyond them are where the law says`() throws {
    let law = GrowthModel(constant: 5e5, coefficient: 5000, exponent: 1)
    let fit = try #require(GrowthFit(sizes.map { (x: $0, y: law.predict($0)) }))
    guard case .at(let frame) = fit.curve.crossing(of: 16.7e6) else {
      Issue.record("16.7 ms lie between the sizes")
      return
    }
    #expect(abs(frame / 3240 - 1) < 1e-3)
    // Found in steps of 1.2 %.
    for (limit, truth) in [(100e6, 19_900.0), (600_000, 20)] {
      let found = try #require(fit.extrapolated(to: limit))
      #expect(abs(found.x / truth - 1) < 0.015, "\(found)")
      #expect(found.interval.low < truth && truth < found.interval.high)
    }
    #expect(fit.extrapolated(to: 4e5) == nil, "the constant alone is more")
  }

  @Test func `two curves cross once within a range, or not`() throws {
    let growing = try #require(GrowthFit(sizes.map { (x: $0, y: 2 * $0) })).curve
    let flat = try #require(GrowthFit(sizes.map { (x: $0, y: 3000.0) })).curve
    #expect(abs(growing.overtakes(flat, in: 100...10_000) - 1500) < 1e-3)
    #expect(growing.overtakes(flat, in: 100...1000) == .infinity)
    #expect(growing.overtakes(flat, in: 2000...10_000) == 0)
  }

  @Test func `the order of points and rounds that lack a size do not matter`() throws {
    let points = sizes.map { (x: $0, y: 7 * $0) }
    let rounds = Dictionary(uniqueKeysWithValues: (1...6).map { ($0, points.map { $0.y }) })
    var ragged = rounds.mapValues { Array($0.reversed()) }
    ragged[7] = [1, 2]
    ragged[8] = [1, 2, 0]
    #expect(GrowthFit(points.reversed(), rounds: ragged) == GrowthFit(points, rounds: rounds))
  }
}
