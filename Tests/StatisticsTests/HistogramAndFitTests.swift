import Foundation
import StorageStatistics
import TestSupport
import Testing

@Suite struct SparseHistogramTests {
  @Test func `merging and percentiles agree with all values laid out`() {
    var random = SplitMix64(seed: 11)
    for _ in 0..<50 {
      var histogram = SparseHistogram()
      var all: [UInt64] = []
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        var counts: [UInt64: UInt64] = [:]
        for _ in 0..<Int.random(in: 0...300, using: &random) {
          let value = UInt64.random(in: 0..<40, using: &random)
          counts[value, default: 0] += 1
          all.append(value)
        }
        histogram.merge(counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
      }
      all.sort()
      #expect(histogram.total == UInt64(all.count))
      #expect(zip(histogram.buckets, histogram.buckets.dropFirst()).allSatisfy { $0.value < $1.value })
      for permille in stride(from: 0, through: 1000, by: 25) {
        // In whole numbers: the smallest rank that holds at least the share.
        let rank = max(1, (permille * all.count + 999) / 1000)
        let expected = all.isEmpty ? nil : all[rank - 1]
        #expect(histogram.percentile(Double(permille) / 1000) == expected)
      }
    }
  }

  @Test func `a percentile does not slip by a rank for rounding`() {
    var histogram = SparseHistogram()
    histogram.merge((1...100).map { (value: UInt64($0), count: 1) })
    #expect(histogram.percentile(0.99) == 99)
    #expect(histogram.percentile(0.07) == 7)
    #expect(histogram.percentile(1) == 100)
    #expect(SparseHistogram().percentile(0.5) == nil)
  }

  @Test(arguments: [7, 10, 30, 90, 1_000]) func `processes that weigh the same do not move an exact tie`(values: Int) {
    for processes in 1...20 {
      var histogram = SparseHistogram()
      for _ in 0..<processes {
        histogram.merge((1...values).map { (value: UInt64($0), count: 1) }, weighing: 1 << 32)
      }
      #expect(histogram.total == UInt64(processes) << 32)
      for percent in stride(from: 10, through: 90, by: 10) {
        let rank = (percent * values + 99) / 100
        #expect(histogram.percentile(Double(percent) / 100) == UInt64(rank), "\(processes) of \(values), \(percent) %")
      }
    }
  }
}

@Suite struct PowerLawTests {
  @Test func `no other line is closer`() throws {
    var random = SplitMix64(seed: 5)
    let points = (1...20).map { _ in
      (x: Double.random(in: 1...1e6, using: &random), y: Double.random(in: 1...1e3, using: &random))
    }
    let law = try #require(GrowthModel(power: points))
    let (slope, intercept) = (law.exponent, log(law.coefficient))
    let error = { (slope: Double, intercept: Double) in
      points.reduce(0) { $0 + pow(log($1.y) - intercept - slope * log($1.x), 2) }
    }
    let best = error(slope, intercept)
    for change in [-0.01, 0.01] {
      #expect(error(slope + change, intercept) > best)
      #expect(error(slope, intercept + change) > best)
    }
  }

  @Test func `needs two sizes`() {
    #expect(GrowthModel(power: [(100, 5)]) == nil)
    #expect(GrowthModel(power: [(100, 5), (100, 6)]) == nil)
    #expect(GrowthModel(power: [(100, 5), (1000, 0)]) == nil)
  }
}
