import Foundation
@testable import StorageStatistics
import Testing

@Suite struct MedianIntervalTests {
  /// Compares sums of binomial coefficients with 2^count, in whole numbers: 0.021 is 21 / 1,000.
  @Test func `the rank is that of the exact fractions`() throws {
    var row: [UInt128] = [1]
    for count in 1...100 {
      row = (0...count).map { ($0 > 0 ? row[$0 - 1] : 0) + ($0 < count ? row[$0] : 0) }
      var (rank, sum) = (0, UInt128(0))
      while (sum + row[rank]) * 1_000 <= 21 * (1 << count) {
        sum += row[rank]
        rank += 1
      }
      #expect(MedianInterval.tail(count: count)?.rank == (rank > 0 ? rank : nil), "\(count) values")
    }
  }

  @Test func `works for counts at which two to the minus count vanishes`() throws {
    let rank = try #require(MedianInterval.tail(count: 5000)?.rank)
    // The normal approximation: 2500 - 2.034 x sqrt(5000) / 2.
    #expect(abs(Double(rank) - 2428) <= 2)
  }

  @Test func `pairs are compared by their ratio`() throws {
    let pairs = (1...12).map { (base: Double($0) * 100, head: Double($0) * 300) }
    let ratio = try #require(PairedRatio(pairs: pairs))
    #expect(abs(ratio.ratio - 3) < 1e-12)
    #expect(ratio.pairs == 12)
    #expect(ratio.interval.map { abs($0.low - 3) < 1e-12 && abs($0.high - 3) < 1e-12 } == true)

    let spread = (1...12).map { (base: 1.0, head: Double($0)) }
    let interval = try #require(PairedRatio(pairs: spread)?.interval)
    #expect(abs(interval.low - 3) < 1e-12)
    #expect(abs(interval.high - 10) < 1e-12)

    #expect(PairedRatio(pairs: Array(spread.prefix(5)))?.interval == nil)
    #expect(PairedRatio(pairs: [(0, 1)]) == nil)
  }

  @Test func `half-width is symmetric on a logarithmic scale`() {
    let width = MedianInterval(low: 100 / 1.1, high: 110).relativeHalfWidth
    #expect(width.map { abs($0 - 0.1) < 1e-12 } == true)
    #expect(MedianInterval(low: 0, high: 1).relativeHalfWidth == nil)
  }
}
