import Foundation
import StorageStatistics
import TestSupport
import Testing

@Suite struct FurtherRunTests {
  @Test func `two runs are needed, with positive values`() {
    #expect(MedianInterval(ofFurtherRun: []) == nil)
    #expect(MedianInterval(ofFurtherRun: [3]) == nil)
    #expect(MedianInterval(ofFurtherRun: [3, 0]) == nil)
    #expect(MedianInterval(ofFurtherRun: [3, 3]) == MedianInterval(low: exp(log(3)), high: exp(log(3))))
  }

  /// The logarithms of e^-1, 1 and e have the mean 0 and the standard deviation 1: ± 4.303 √(4/3).
  @Test func `it is Student's prediction interval`() throws {
    let interval = try #require(MedianInterval(ofFurtherRun: [1, exp(1), exp(-1)]))
    #expect(abs(log(interval.high) - 4.9687) < 0.001)
    #expect(abs(log(interval.low) + 4.9687) < 0.001)
  }

  @Test(arguments: [2, 3, 6, 12]) func `a further run lies in it in 95 of 100 cases`(count: Int) throws {
    var random = SplitMix64(seed: 11)
    let repetitions = 10_000
    var (inside, insideRange) = (0, 0)
    for _ in 0..<repetitions {
      let runs = (0..<count).map { _ in 100 * exp(0.05 * random.normal()) }
      let next = 100 * exp(0.05 * random.normal())
      let interval = try #require(MedianInterval(ofFurtherRun: runs))
      if interval.low <= next, next <= interval.high { inside += 1 }
      if let low = runs.min(), let high = runs.max(), low <= next, next <= high { insideRange += 1 }
    }
    #expect(abs(Double(inside) / Double(repetitions) - 0.95) < 0.01)
    // The range of the runs is not enough: it contains (n - 1)/(n + 1) of further runs.
    #expect(abs(Double(insideRange) / Double(repetitions) - Double(count - 1) / Double(count + 1)) < 0.02)
  }

  @Test func `Student's quantiles go on smoothly beyond the table`() {
    #expect(StudentT.upper(degrees: 2) == 4.303)
    #expect((1..<60).allSatisfy { StudentT.upper(degrees: $0 + 1) < StudentT.upper(degrees: $0) })
    #expect(abs(StudentT.upper(degrees: 60) - 2.000) < 0.001)
    #expect(abs(StudentT.upper(degrees: 100_000) - 1.960) < 0.001)
  }

  @Test func `intervals of rounds miss as often as enumeration says`() {
    #expect(MedianInterval.errorRate(count: 5, unit: .round) == nil)
    #expect(abs((MedianInterval.errorRate(count: 6, unit: .round) ?? 0) - 2.0 / 64) < 1e-12)
    #expect(abs((MedianInterval.errorRate(count: 12, unit: .round) ?? 0) - 2 * 79.0 / 4_096) < 1e-12)
    #expect(MedianInterval.errorRate(count: 1, unit: .run) == nil)
    #expect(MedianInterval.errorRate(count: 3, unit: .run) == 0.05)
  }

  /// The smallest detectable difference is found in four of five comparisons that truly differ by it.
  @Test(arguments: [(6, SampleUnit.round, 2), (6, .round, 7), (12, .round, 2), (3, .run, 2)])
  func `the smallest difference is found with the power that it says`(count: Int, unit: SampleUnit, rivals: Int) throws
  {
    var random = SplitMix64(seed: 11)
    let noise = 0.08
    var ratio = try #require(PairedRatio(pairs: (0..<count).map { _ in (1, exp(noise * random.normal())) }, unit: unit))
    ratio.spread = noise
    let share = try #require(SmallestDifference.share(ratio, rivals: rivals))
    let repetitions = 2_000
    var named = 0
    for _ in 0..<repetitions {
      let pairs = (0..<count).map { _ in (base: 1.0, head: (1 + share) * exp(noise * random.normal())) }
      if RowVerdict(try #require(PairedRatio(pairs: pairs, unit: unit)), rivals: rivals) == .slower { named += 1 }
    }
    #expect(abs(Double(named) / Double(repetitions) - 0.8) < 0.05, "\(share)")
  }

  @Test func `more rounds show smaller differences, and none below the margin is shown`() throws {
    func share(_ count: Int, _ noise: Double) throws -> Double {
      var ratio = try #require(PairedRatio(pairs: (0..<count).map { (1, 1 + 0.001 * Double($0)) }))
      ratio.spread = noise
      return try #require(SmallestDifference.share(ratio))
    }
    #expect(try share(20, 0.1) < share(6, 0.1) / 1.5)
    #expect(try share(6, 0.2) > 1.5 * share(6, 0.1))
    #expect(try share(6, 1e-6) >= RowVerdict.margin)
    #expect(SmallestDifference.share(try #require(PairedRatio(pairs: [(1, 2), (1, 3)]))) == nil)
  }
}
