import Foundation
import StorageStatistics
import Testing
import TestSupport

@Suite struct BreakpointTests {
  private let sizes = [1e3, 3e3, 1e4, 3e4, 1e5, 3e5, 1e6]

  private func normal(_ random: inout SplitMix64) -> Double {
    // The sum of twelve uniform numbers is about normal. The search itself draws in another way.
    (0..<12).reduce(-6) { sum, _ in sum + Double.random(in: 0..<1, using: &random) }
  }

  private func found(
    _ count: Int, noise: Double, known: Double, seed: UInt64, _ law: (Double) -> Double
  ) -> [Breakpoint] {
    var random = SplitMix64(seed: seed)
    return (0..<count).compactMap { _ in
      Breakpoint(sizes.map { (x: $0, y: law($0) * exp(noise * normal(&random))) }, noise: known)
    }
  }

  /// With a rate of 1 %, more than 8 of 200 occur once in five thousand tests.
  @Test(arguments: [0.0005, 0.02, 0.1])
  func `clean laws are seldom called broken`(noise: Double) {
    let laws: [(Double) -> Double] = [
      { 3 * pow($0, 1.02) }, { _ in 50 }, { 4e5 + 5 * $0 }, { 50 + 10 * log($0) },
    ]
    let told = laws.enumerated().reduce(0) { sum, law in
      sum + found(50, noise: noise, known: 1e-6, seed: UInt64(law.offset), law.element).count
    }
    #expect(told <= 8, "\(told) of 200")
  }

  /// A thousand draws are made for a breakpoint. Each draw reads all sizes once, not once per position.
  @Test func fourTimesTheSizesAreNotSixteenTimesTheWork() throws {
    func look(_ count: Int) throws {
      let points = (1...count).map { (x: Double($0), y: 100 * pow(Double($0), $0 < count / 2 ? 0.1 : 1)) }
      let found = try #require(Breakpoint(points, noise: 1e-6))
      #expect(found.interval.contains(Double(count / 2) - 0.5))
    }
    try look(20)
    let ratio = try WorkGrowth.ratio(enough: 10) {
      try look(100)
    } to: {
      try look(400)
    }
    #expect(ratio < 10)
  }

  @Test func `planted bends are found where they are`() {
    for (size, before, after) in [(5e4, 0.1, 1.0), (1e5, 0, 0.4), (2e4, 1, 0.5)] {
      let breaks = found(8, noise: 0.01, known: 25e-6, seed: 7) { 100 * pow($0 / size, $0 < size ? before : after) }
      #expect(breaks.count >= 7)
      #expect(breaks.count { $0.interval.contains(size) } >= breaks.count - 2)
      for found in breaks {
        guard case .bend(let from, let to) = found.shape else {
          Issue.record("\(found.shape) is no bend")
          continue
        }
        #expect(abs(from - before) < 0.15 && abs(to - after) < 0.15)
        #expect(found.interval.contains(found.size))
      }
    }
  }

  @Test func `a planted step is one, between the sizes beside it`() throws {
    let breaks = found(8, noise: 0.01, known: 25e-6, seed: 9) { $0 < 5e3 ? 3 : 4 }
    #expect(breaks.count >= 7)
    for found in breaks {
      guard case .step(let factor) = found.shape else {
        Issue.record("\(found.shape) is no step")
        continue
      }
      #expect(abs(factor / (4 / 3) - 1) < 0.1)
      #expect(found.interval.lowerBound < 3_001 && found.interval.upperBound > 9_999)
    }
  }

  @Test func `few sizes, a small change and what a constant explains are no break`() {
    let bent = sizes.map { (x: $0, y: $0 < 5e4 ? 1 : pow($0 / 5e4, 0.7)) }
    #expect(Breakpoint(bent, noise: 1e-6) != nil)
    #expect(Breakpoint(Array(bent.prefix(Breakpoint.fewestSizes - 1)), noise: 1e-6) == nil)
    #expect(Breakpoint([], noise: 1e-6) == nil)
    #expect(Breakpoint(sizes.map { ($0, pow($0 / 5e4, $0 < 5e4 ? 0.5 : 0.55)) }, noise: 1e-12) == nil)
    #expect(Breakpoint(sizes.map { ($0, 4e5 + 5 * $0) }, noise: 1e-6) == nil)
    // Equal points give equal results.
    #expect(Breakpoint(bent, noise: 1e-6) == Breakpoint(bent, noise: 1e-6))
  }

  @Test func `a fit passes the noise of its rounds on`() throws {
    let values = sizes.map { $0 < 5e4 ? 100 : 100 * pow($0 / 5e4, 0.5) }
    let points = zip(sizes, values).map { (x: $0, y: $1) }
    func fit(_ noise: Double) -> GrowthFit? {
      var random = SplitMix64(seed: 3)
      let rounds = (1...6).map { ($0, values.map { $0 * exp(noise * normal(&random)) }) }
      return GrowthFit(points, rounds: Dictionary(uniqueKeysWithValues: rounds))
    }
    #expect(try #require(fit(0.01)).breakPoint() != nil)
    // The medians are the same, but rounds with this much noise could have caused them.
    #expect(try #require(fit(2)).breakPoint() == nil)
  }
}
