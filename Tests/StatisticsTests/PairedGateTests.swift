import Foundation
import StorageStatistics
import TestSupport
import Testing

/// The gate on simulated machines with known differences.
@Suite struct PairedGateTests {
  /// Returns pairs with the given ratios. The base takes a microsecond.
  private func pairs(_ ratios: [Double]) -> [(base: Double, head: Double)] { ratios.map { (1_000, 1_000 * $0) } }

  private func stage(_ ratios: [Double], margin: Double = 0.05, resolution: Double = 2) -> PairedStage? {
    PairedStage(pairs: pairs(ratios), margin: margin, resolution: resolution)
  }

  @Test func `needs all three: the interval, the margin and the timer`() throws {
    let steady = [1.09, 1.10, 1.11, 1.10, 1.09, 1.11, 1.10, 1.10, 1.09, 1.11, 1.10, 1.10]
    #expect(try #require(stage(steady)).verdict == .slower)
    // The margin is higher, or the timer coarser, than the change.
    #expect(try #require(stage(steady, margin: 0.12)).verdict == .same)
    #expect(try #require(stage(steady, resolution: 101)).verdict == .same)
    // Three of twelve are on the other side, and the interval's lower end is the third.
    let mixed = [0.99, 0.99, 0.99] + Array(repeating: 1.10, count: 9)
    #expect(try #require(stage(mixed)).verdict == .same)
    let two = [0.99, 0.99] + Array(repeating: 1.10, count: 10)
    #expect(try #require(stage(two)).verdict == .slower)
    #expect(stage(Array(repeating: 1.5, count: 5)) == nil)
  }

  @Test func `faster mirrors slower`() throws {
    var random = SplitMix64(seed: 5)
    for _ in 0..<300 {
      let ratios = (0..<12).map { _ in exp(Double.random(in: -0.2...0.3, using: &random)) }
      let forward = try #require(stage(ratios, resolution: 0))
      let backward = try #require(stage(ratios.map { 1 / $0 }, resolution: 0))
      switch forward.verdict {
      case .slower: #expect(backward.verdict == .faster)
      case .faster: #expect(backward.verdict == .slower)
      default: #expect(backward.verdict == forward.verdict)
      }
      #expect(abs(forward.ratio.ratio * backward.ratio.ratio - 1) < 1e-12)
    }
  }

  @Test func `what scatters beyond the bounds is unmeasurable, but a suspect is not`() throws {
    // The interval is from the third to the tenth value, 0.8 to 1.25: a half-width of 25 %.
    let wide = [0.7, 0.75, 0.8, 0.9, 0.95, 1, 1, 1.05, 1.1, 1.25, 1.3, 1.4]
    #expect(try #require(stage(wide)).verdict == .unmeasurable)
    #expect(try #require(stage(wide, margin: 0.09)).verdict == .same)
    #expect(try #require(stage(wide.map { $0 * 2 })).verdict == .slower)
  }

  @Test func `a change as large as the smallest detectable one is found either way, a smaller one is not`() throws {
    var random = SplitMix64(seed: 11)
    for _ in 0..<300 {
      let noise = (0..<20).map { _ in exp(Double.random(in: -0.1...0.1, using: &random)) }
      let resolution = Double.random(in: 0...120, using: &random)
      let share = try #require(stage(noise, resolution: resolution)).smallestDetectable
      #expect(share >= 0.05 && share >= resolution / 1_000)
      func verdict(_ factor: Double) throws -> ChangeVerdict {
        try #require(stage(noise.map { $0 * factor }, resolution: 0)).verdict
      }
      let byPairs = try #require(stage(noise, resolution: 0)).smallestDetectable
      #expect(try verdict(1 + byPairs * 1.001) == .slower)
      #expect(try verdict(1 / (1 + byPairs * 1.001)) == .faster)
      let below = try (verdict(1 + byPairs * 0.999), verdict(1 / (1 + byPairs * 0.999)))
      #expect(below.0 != .slower || below.1 != .faster)
    }
  }

  /// A machine with other load in bursts: most processes measure about the true time, some a much longer one, bursts
  /// last for several processes, and the whole machine drifts.
  private struct Machine {
    var random: SplitMix64
    var drift = 0.0
    var burst = 0
    let noise: Double

    /// Returns the nanoseconds that a process measures for an operation of 1,000.
    mutating func time() -> Double {
      drift = 0.95 * drift + 0.02 * random.normal()
      if burst > 0 { burst -= 1 } else if random.next() % 20 == 0 { burst = Int(random.next() % 6) + 1 }
      let extra = burst > 0 ? abs(random.normal()) * 0.5 : 0
      return 1_000 * exp(drift + noise * random.normal() + extra)
    }

    /// Returns pairs in balanced order, with a head that is slower by a factor.
    mutating func pairs(_ rounds: Int, factor: Double = 1) -> [(base: Double, head: Double)] {
      (0..<rounds).map { $0.isMultiple(of: 2) }.shuffled(using: &random).map { baseFirst in
        let (first, second) = (time(), time())
        return baseFirst ? (first, second * factor) : (second, first * factor)
      }
    }

    /// Judges both stages like the gate: a series that scatters gets three times as many pairs.
    mutating func judge(_ rounds: Int, factor: Double = 1) throws -> PairedVerdict {
      var (pairs, budget) = (pairs(rounds, factor: factor), FurtherPairs(firstStage: 2 * rounds))
      func stage(_ pairs: [(base: Double, head: Double)]) throws -> PairedStage {
        try #require(PairedStage(pairs: pairs, margin: 0.05, resolution: 2))
      }
      let further = budget.further(try stage(pairs), of: rounds)
      pairs += self.pairs(further, factor: factor)
      let first = try stage(pairs)
      guard PairedVerdict.isSuspect(first) else { return PairedVerdict(first: first, second: nil) }
      let count = budget.confirming(first, of: pairs.count, isLengthened: further > 0)
      return PairedVerdict(first: first, second: try stage(self.pairs(count, factor: factor)))
    }
  }

  /// If processes scatter by 25 %, every suspicion exceeds the margin, and only the two intervals are left. The first
  /// is checked twice and lies on one side by chance in 3 of 100 cases; the second, which is long from the start, in
  /// 1.4 of 100. So 4.5 alarms per side are expected, and more than 12 occur once in a thousand such tests.
  @Test(arguments: [(12, 0.02, 5), (20, 0.02, 5), (12, 0.08, 5), (20, 0.08, 5), (12, 0.25, 12), (20, 0.25, 12)])
  func `ten thousand comparisons of a thing with itself raise few false alarms on each side`(
    rounds: Int, noise: Double, most: Int
  ) throws {
    var machine = Machine(random: SplitMix64(seed: UInt64(rounds * 1000) + UInt64(noise * 100)), noise: noise)
    let verdicts = try (0..<10_000).map { _ in try machine.judge(rounds).verdict }
    let alarms = [ChangeVerdict.slower, .faster].map { side in verdicts.count { $0 == side } }
    #expect(alarms.allSatisfy { $0 <= most }, "\(alarms) of 10,000")
  }

  @Test(arguments: [(12, 0.02), (20, 0.02), (12, 0.25), (20, 0.25)])
  func `bursts and drift do not spoil the coverage`(rounds: Int, noise: Double) throws {
    var machine = Machine(random: SplitMix64(seed: 77), noise: noise)
    let covered = try (0..<20_000).count { _ in
      let interval = try #require(PairedRatio(pairs: machine.pairs(rounds, factor: 1.1))?.interval)
      return interval.low <= 1.1 && 1.1 <= interval.high
    }
    #expect((0.95...0.98).contains(Double(covered) / 20_000), "\(covered) of 20,000")
  }

  @Test func `further pairs are had while the budget lasts`() throws {
    let calm = try #require(stage(Array(repeating: 1, count: 12)))
    let wild = try #require(stage((0..<12).map { $0.isMultiple(of: 2) ? 0.5 : 2 }))
    let suspect = try #require(stage((0..<12).map { $0.isMultiple(of: 2) ? 1.5 : 3 }))
    #expect(!calm.scatters && wild.scatters && suspect.scatters && suspect.verdict == .slower)
    var budget = FurtherPairs(firstStage: 60)
    // A calm series needs no further pairs, and a suspect gets them with its second series.
    #expect(budget.further(calm, of: 12) == 0 && budget.further(suspect, of: 12) == 0)
    #expect(budget.confirming(calm, of: 12, isLengthened: false) == 12)
    #expect(budget.further(wild, of: 12) == 24)
    #expect(budget.confirming(suspect, of: 36, isLengthened: true) == 36)
    #expect(budget.confirming(suspect, of: 12, isLengthened: false) == 36)
    #expect(budget.left == 12)
    #expect(budget.further(wild, of: 12) == 0 && budget.confirming(suspect, of: 12, isLengthened: false) == 12)
  }

  @Test func `further pairs judge most of what scatters`() throws {
    var machine = Machine(random: SplitMix64(seed: 21), noise: 0.15)
    let (short, long) = try (0..<2_000).reduce((0, 0)) { counts, _ in
      let first = try #require(PairedStage(pairs: machine.pairs(12), margin: 0.05, resolution: 2))
      let whole = try machine.judge(12)
      return (counts.0 + (first.verdict == .unmeasurable ? 1 : 0), counts.1 + (whole.verdict == .unmeasurable ? 1 : 0))
    }
    // Four of five cells scatter at first.
    #expect(short > 1_000 && long < short / 4, "\(short), \(long) of 2,000")
  }

  @Test func `a real slowdown is found on the same machine`() throws {
    var machine = Machine(random: SplitMix64(seed: 3), noise: 0.03)
    let found = try (0..<1_000).count { _ in try machine.judge(20, factor: 1.2).verdict == .slower }
    #expect(found > 950, "\(found) of 1,000")
  }
}
