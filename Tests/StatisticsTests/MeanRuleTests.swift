import StorageStatistics
import TestSupport
import Testing

@Suite struct MeanRuleTests {
  private func differs(
    _ mean: Double = 22, _ median: Double = 15.5, _ processes: [(mean: Double, median: Double)]? = nil,
    samples: Int = 100
  ) -> Bool {
    MeanRule.differs(
      mean: mean, median: median, processes: processes ?? Array(repeating: (mean, median), count: 6), samples: samples)
  }

  @Test func `a mean differs where it is over 10 % above the median`() {
    #expect(differs())
    #expect(differs(11.1, 10))
    #expect(!differs(11, 10))
    #expect(!differs(8, 10))
    #expect(!differs(1, 0))
  }

  @Test func `few operations, one process or a few disturbed ones are not enough`() {
    #expect(!differs(samples: 99))
    #expect(!differs(22, 15.5, [(22, 15.5)]))
    #expect(!differs(22, 15.5, []))
    let (far, near) = ((mean: 30.0, median: 15.5), (mean: 16.0, median: 15.5))
    #expect(differs(22, 15.5, [far, far, far, near]))
    #expect(!differs(22, 15.5, [far, far, near, near]))
    #expect(!differs(22, 15.5, [(mean: 60, median: 15.5), near, near, near, near, near]))
  }

  private func histogram(_ buckets: [(value: UInt64, count: UInt64)]) -> SparseHistogram {
    var histogram = SparseHistogram()
    histogram.merge(buckets)
    return histogram
  }

  @Test func `the smallest round share that makes up most of the difference is found`() throws {
    // 2 % take 35 times as long: 2 x 350 of 980 + 700.
    let two = try #require(SlowestShare(histogram([(10, 980), (350, 20)])))
    #expect(two.operations == 0.02)
    #expect(abs(two.time - 7000 / 16_800) < 1e-12)
    // Only the slowest of a thousand operations.
    let one = try #require(SlowestShare(histogram([(10, 989), (20, 10), (9000, 1)])))
    #expect(one.operations == 0.001)
    // Two thirds of the difference are not most of it.
    #expect(SlowestShare(histogram([(10, 970), (350, 30)]))?.operations == 0.05)
    // Half of the operations are slow, so no smaller share is the cause.
    #expect(SlowestShare(histogram([(10, 51), (30, 49)]))?.operations == 0.5)
    #expect(SlowestShare(histogram([(10, 100)])) == nil)
    #expect(SlowestShare(histogram([(1, 10), (10, 90)])) == nil)
    #expect(SlowestShare(SparseHistogram()) == nil)
  }

  @Test func `sums of the largest values agree with all values laid out`() {
    var random = SplitMix64(seed: 3)
    for _ in 0..<20 {
      let buckets = (1...20).map {
        (value: UInt64($0 * 7), count: UInt64.random(in: 0...9, using: &random))
      }
      let all = buckets.flatMap { Array(repeating: Double($0.value), count: Int($0.count)) }.sorted(by: >)
      let histogram = histogram(buckets)
      for number in 0...all.count + 2 {
        #expect(histogram.sum(ofLargest: Double(number)) == all.prefix(number).reduce(0, +))
      }
      if let first = all.first { #expect(histogram.sum(ofLargest: 0.5) == first / 2) }
    }
  }

  @Test func `bins of a logarithmic axis hold the shares of what lies in them`() {
    let histogram = histogram([(1, 1), (5, 2), (10, 3), (99, 1), (100, 1), (5000, 2)])
    // Bins from 1 to 10, to 100 and to 1,000. Larger values count in the last bin.
    let expected = [0.3, 0.4, 0.3]
    let shares = histogram.shares(inBins: 3, from: 1...1000)
    #expect(shares.count == 3 && zip(shares, expected).allSatisfy { abs($0 - $1) < 1e-12 }, "\(shares)")
    #expect(histogram.shares(inBins: 4, from: 10_000...20_000) == [1, 0, 0, 0])
    #expect(SparseHistogram().shares(inBins: 2, from: 1...10) == [0, 0])
  }
}
