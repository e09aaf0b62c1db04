import Foundation
import StorageStatistics
import Testing

/// Compares every decision with an independent formulation, over all combinations of small inputs.
@Suite struct DecisionTests {
  // MARK: - Two rows of a run

  private static let factors = [0.2, 0.5, 0.8, 0.94, 0.951, 0.96, 1, 1.04, 1.049, 1.06, 1.2, 2, 5]

  /// Returns a ratio with exactly this median and interval: six rounds, whose interval is their range.
  private func ratio(low: Double, median: Double, high: Double) throws -> PairedRatio {
    let ratio = try #require(PairedRatio(pairs: [low, median, median, median, median, high].map { (1, $0) }))
    #expect(abs((ratio.interval?.low ?? 0) / low - 1) < 1e-12 && abs((ratio.interval?.high ?? 0) / high - 1) < 1e-12)
    return ratio
  }

  @Test(arguments: [2, 7])
  func aRowIsSlowerOnlyWhereTheIntervalIsClearOfOneAndTheMedianBeyondTheMargin(rivals: Int) throws {
    var seen: Set<String> = []
    for low in Self.factors {
      for median in Self.factors where median >= low {
        for high in Self.factors where high >= median {
          let verdict = RowVerdict(try ratio(low: low, median: median, high: high), rivals: rivals)
          // Compares the interval's distance from 1 with a share of its width, without logarithms.
          let width = pow(high / low, rivals > 2 ? 0.75 : 0.5)
          let expected: RowVerdict =
            if low > width, median > 1.05 {
              .slower
            } else if 1 / high > width, median < 1 / 1.05 {
              .faster
            } else if low >= 1 / 1.05, high <= 1.05 {
              .aboutEqual
            } else {
              .inconclusive
            }
          #expect(verdict == expected, "\(low) \(median) \(high)")
          seen.insert("\(verdict)")
          // Exchanging base and head exchanges the verdicts.
          let mirrored = RowVerdict(try ratio(low: 1 / high, median: 1 / median, high: 1 / low), rivals: rivals)
          let swapped: [RowVerdict: RowVerdict] = [.slower: .faster, .faster: .slower]
          #expect(mirrored == swapped[verdict, default: verdict], "\(low) \(median) \(high)")
          // A difference that the timer may have caused is not reported.
          let unmeasurable = RowVerdict(
            try ratio(low: low, median: median, high: high), rivals: rivals, isMeasurable: false)
          #expect(!unmeasurable.isDifference)
        }
      }
    }
    #expect(seen == ["slower", "faster", "aboutEqual", "inconclusive"])
  }

  @Test func withoutAnIntervalNothingIsKnown() throws {
    let few = try #require(PairedRatio(pairs: [(1, 9), (1, 9), (1, 9)]))
    #expect(RowVerdict(few) == .inconclusive)
  }

  @Test func theLeadersAreAllBeforeTheFirstSlowerOne() {
    let said: [RowVerdict?] = [nil, .slower, .faster, .aboutEqual, .inconclusive]
    #expect(RankingOutcome(among: 0) { _ in .slower } == .noContest)
    #expect(RankingOutcome(among: 1) { _ in .slower } == .noContest)
    for count in 2...5 {
      // Every sequence of verdicts on the rows behind the first.
      for code in 0..<Int(pow(Double(said.count), Double(count - 1))) {
        var rest = code
        let verdicts = (1..<count).map { _ -> RowVerdict? in
          defer { rest /= said.count }
          return said[rest % said.count]
        }
        let decides = verdicts.firstIndex { $0 == nil || $0 == .slower }
        let expected: RankingOutcome =
          switch decides {
          case nil: .decided(leaders: 0..<count, next: nil)
          case let index? where verdicts[index] == nil: .undecided
          case let index?: .decided(leaders: 0..<index + 1, next: index + 1)
          }
        #expect(RankingOutcome(among: count) { verdicts[$0 - 1] } == expected, "\(verdicts)")
      }
    }
  }

  // MARK: - Counts

  @Test(arguments: [0, 0.01, 0.5])
  func countsMayDifferByTheirToleranceOrByTwo(tolerance: Double) {
    for base in 0...300 {
      for head in 0...300 {
        let difference = head - base
        let isWithin =
          tolerance == 0
          ? difference == 0 : abs(difference) <= 2 || Double(abs(difference)) <= tolerance * Double(base)
        let expected: ChangeVerdict = isWithin ? .same : difference > 0 ? .more : .fewer
        #expect(ChangeVerdict(count: base, head, tolerance: tolerance) == expected, "\(base) \(head)")
      }
    }
    #expect(ChangeVerdict(count: 1_000_000_000, 1_000_000_001, tolerance: 0) == .more)
  }

  // MARK: - Rules

  @Test func rulesOverCountsCompareQuotientsExactly() {
    let numbers = 0...12
    for (a, b) in numbers.flatMap({ a in (1...12).map { (a, $0) } }) {
      for (c, d) in numbers.flatMap({ c in (1...12).map { (c, $0) } }) {
        let (left, right) = (a * d, c * b)
        let holds: [RuleComparator: Bool] = [
          .less: left < right, .atMost: left <= right, .equal: left == right, .atLeast: left >= right,
          .more: left > right,
        ]
        for (comparator, expected) in holds {
          let verdict = comparator.verdict(Double(a) / Double(b), Double(c) / Double(d))
          #expect(verdict == (expected ? .holds : .broken), "\(a)/\(b) \(comparator.rawValue) \(c)/\(d)")
        }
      }
    }
  }

  @Test func rulesOverTimesAreBrokenByWholeIntervals() {
    for low in Self.factors {
      for high in Self.factors where high >= low {
        for bound in Self.factors {
          let interval = MedianInterval(low: low, high: high)
          let isAbove = [low, high].allSatisfy { $0 > bound }
          let isBelow = [low, high].allSatisfy { $0 < bound }
          // Half of the width on a logarithmic scale, beyond 15 %.
          let isOpen = low < bound && bound < high && (high / low).squareRoot() > 1.15
          func expected(_ isBroken: Bool) -> ChangeVerdict { isBroken ? .broken : isOpen ? .unmeasurable : .holds }
          for comparator in [RuleComparator.less, .atMost] {
            #expect(comparator.verdict(interval, bound) == expected(isAbove))
          }
          for comparator in [RuleComparator.atLeast, .more] {
            #expect(comparator.verdict(interval, bound) == expected(isBelow))
          }
          #expect(RuleComparator.equal.verdict(interval, bound) == expected(isAbove || isBelow))
        }
      }
    }
  }

  // MARK: - Gates

  @Test func theWorseOfTwoIsOneOfThemInAnyOrder() {
    for one in ChangeVerdict.allCases {
      #expect(one.worse(one) == one)
      for other in ChangeVerdict.allCases {
        let worse = one.worse(other)
        #expect(worse == one || worse == other)
        #expect(worse == other.worse(one))
        for third in ChangeVerdict.allCases {
          #expect(one.worse(other).worse(third) == one.worse(other.worse(third)))
        }
      }
    }
    // A verdict that passes a gate never hides one that fails it.
    for bad in ChangeVerdict.allCases where [.failure, .regression].contains(bad.result) {
      for good in ChangeVerdict.allCases where ![.failure, .regression].contains(good.result) {
        #expect(bad.worse(good) == bad)
      }
    }
  }

  @Test func aGateGoesByTheWorstOfItsVerdicts() {
    let all = ChangeVerdict.allCases
    for members in 0..<(1 << all.count) {
      let verdicts = all.indices.filter { members & 1 << $0 != 0 }.map { all[$0] }
      let names = Set(verdicts.map(\.rawValue))
      func expected(isJudged: Bool) -> GateResult {
        if names.contains("failed") {
          .failure
        } else if !names.isDisjoint(with: ["slower", "more", "broken"]) {
          .regression
        } else {
          // A gate without a comparison does not pass.
          isJudged && !names.isSubset(of: ["n/a"]) ? .fine : .notJudged
        }
      }
      #expect(GateResult(of: verdicts) == expected(isJudged: !names.contains("unmeasurable")))
      // If cells may be missing, their number decides. A regression is never hidden.
      for isEnough in [true, false] {
        let coverage = Coverage([(["a"], isEnough)])
        #expect(GateResult(of: verdicts, coverage: coverage) == expected(isJudged: isEnough))
      }
    }
  }

  @Test func nineOfTenCellsAreEnoughAndSomeOfEveryGroup() {
    for count in 1...60 {
      for judged in 0...count {
        let one = Coverage((0..<count).map { (["all"], $0 < judged) })
        #expect(one.judged == judged && one.cells == count)
        #expect(one.isEnough == (judged > 0 && Double(judged) / Double(count) >= 0.9 - 1e-12), "\(judged) of \(count)")
        #expect(one.unjudged == (judged == 0 ? ["all"] : []))
        // The last cell is the only one of its workload.
        let alone = Coverage((0..<count).map { (["backend", $0 == count - 1 ? "last" : "first"], $0 < judged) })
        #expect(alone.isEnough == (judged == count))
        #expect(alone.unjudged.contains("last") == (judged < count))
      }
    }
    #expect(!Coverage([]).isEnough)
  }

  // MARK: - Noise

  private func interval(_ low: Double, _ high: Double) -> MedianInterval { MedianInterval(low: low, high: high) }

  @Test func theNoiseOfARunIsTheLargestThatItShows() throws {
    let steady = Array(repeating: 50.0, count: 13)
    // A lasting step affects one pair of many.
    let step = steady + Array(repeating: 100.0, count: 12)
    // Every other probe takes twice as long.
    let restless = (0..<13).map { $0.isMultiple(of: 2) ? 50.0 : 100 }
    for (controls, probes, noise) in [
      ([interval(0.98, 1.04)], [steady, steady], 1.04), ([interval(0.8, 1.04)], [steady, steady], 1.25),
      ([interval(0.9, 1), interval(0.97, 1.5)], [steady], 1.5), ([interval(0.98, 1.04)], [steady, step], 1.04),
      ([interval(0.98, 1.04)], [restless, steady], 2), ([interval(0.98, 3)], [restless, steady], 3),
    ] {
      let bound = try #require(NoiseBound(controls: controls, probes: probes))
      #expect(abs(bound.noise - noise) < 1e-12)
      #expect(abs(bound.factor * bound.factor - noise * noise * noise) < 1e-9)
    }
    // Unknown noise is not treated as quiet.
    #expect(NoiseBound(controls: [], probes: [steady]) == nil)
    #expect(NoiseBound(controls: [interval(1, 1)], probes: []) == nil)
    #expect(NoiseBound(controls: [interval(1, 1)], probes: [steady, []]) == nil)
    #expect(NoiseBound(controls: [interval(1, 1)], probes: [steady, Array(repeating: 1, count: 6)]) == nil)
  }

  @Test func onlyWholeIntervalsBeyondTheNoiseAreJudged() throws {
    let steady = Array(repeating: 50.0, count: 13)
    let bound = try #require(NoiseBound(controls: [interval(0.9, 1.4)], probes: [steady]))
    let factors = [0.2, 0.4, 0.59, 0.61, 0.7, 0.8, 1, 1.3, 1.6, 1.65, 1.67, 2, 3, 6]
    for low in factors {
      for high in factors where high >= low {
        let ratios = Array(repeating: low, count: 4) + Array(repeating: high, count: 8)
        let stage = try #require(PairedStage(pairs: ratios.map { (100, 100 * $0) }, margin: 0.05, resolution: 1))
        #expect(stage.ratio.interval == interval(low, high))
        let verdict = bound.verdict(PairedVerdict(first: stage, second: stage))
        let expected: ChangeVerdict = low > 1.66 ? .slower : high < 1 / 1.66 ? .faster : .unmeasurable
        #expect(verdict == expected, "\(low) to \(high)")
        // Without a second series nothing is judged.
        #expect(bound.verdict(PairedVerdict(first: stage, second: nil)) == .unmeasurable)
      }
    }
  }

  @Test func onlyTwoSeriesThatAgreeConfirm() throws {
    func stage(_ verdict: ChangeVerdict, of count: Int) throws -> PairedStage {
      let heads: [Double] =
        switch verdict {
        case .slower: Array(repeating: 1.3, count: count)
        case .faster: Array(repeating: 0.7, count: count)
        case .same: Array(repeating: 1, count: count)
        default: (0..<count).map { $0.isMultiple(of: 2) ? 0.5 : 2 }
        }
      let stage = try #require(PairedStage(pairs: heads.map { (100, 100 * $0) }, margin: 0.05, resolution: 1))
      #expect(stage.verdict == verdict)
      return stage
    }
    let all: [ChangeVerdict] = [.slower, .faster, .same, .unmeasurable]
    for first in all {
      for second in all + [nil] {
        let (early, late) = (try stage(first, of: 12), try second.map { try stage($0, of: 14) })
        let verdict = PairedVerdict(first: early, second: late)
        let isSuspect = first == .slower || first == .faster
        let expected: ChangeVerdict =
          if !isSuspect {
            first
          } else if let second {
            second == first || second == .same || second == .unmeasurable ? second : .same
          } else {
            .unmeasurable
          }
        #expect(verdict.verdict == expected, "\(first), \(String(describing: second))")
        // A suspicious first stage was selected for being large, so its figure is not reported.
        #expect(verdict.deciding == (isSuspect ? late ?? early : early))
        #expect(verdict.isConfirmed == (isSuspect && late != nil))
        // Slower and faster require two series that agree.
        if verdict.verdict == .slower || verdict.verdict == .faster { #expect(first == second) }
      }
    }
  }

  // MARK: - Single figures

  @Test func oneTrialIsEnoughBeyondAQuarterOfASecond() {
    let limit = TimedOnce.limit
    #expect(limit == 250_000_000)
    for operations in 1...3 {
      for elapsed in [limit - 1, limit, limit + 1] {
        for opening in [0, limit, limit + 1] {
          #expect(
            TimedOnce.isEnough(operations: operations, elapsed: elapsed, opening: opening)
              == (opening > limit || (operations == 1 && elapsed > limit)))
        }
      }
    }
  }

  @Test func aScheduleIsKeptUpToFivePercent() {
    for asked in [1.0, 100, 1e6] {
      #expect(!OpenLoop.fellBehind(reached: asked, asked: asked))
      #expect(!OpenLoop.fellBehind(reached: 0.9501 * asked, asked: asked))
      #expect(OpenLoop.fellBehind(reached: 0.9499 * asked, asked: asked))
    }
  }

  @Test func stealIsTheShareOfTheTicksBetween() {
    #expect(Fitness.excessiveSteal(10, of: 100) == nil)
    #expect(Fitness.excessiveSteal(11, of: 100) == 0.11)
    #expect(Fitness.excessiveSteal(0, of: 0) == nil)
    #expect(Fitness.excessiveSteal(1, of: 0) == nil)
  }
}
