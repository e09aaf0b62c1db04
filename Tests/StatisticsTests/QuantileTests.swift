import StorageStatistics
import Testing

@Suite struct QuantileTests {
  @Test func `interpolates between neighbours`() {
    let data = [1.0, 2, 4, 8]
    #expect(Quantile.value(0, of: data) == 1)
    #expect(Quantile.value(1, of: data) == 8)
    #expect(Quantile.value(1.0 / 3, of: data) == 2)
    #expect(Quantile.value(0.5, of: data) == 3)
    #expect(Quantile.value(0.9, of: data).map { abs($0 - 6.8) < 1e-12 } == true)
    #expect(Quantile.value(0.5, of: []) == nil)
    #expect(Quantile.median(of: [7]) == 7)
    #expect(Quantile.median(of: [7, 9]) == 8)
  }

  @Test func `one wild value does not move the robust spread`() throws {
    let spread = try #require(Spread.relative(of: [90, 100, 110, 100, 1e9]))
    #expect(abs(spread - 0.14826) < 1e-9)
    #expect(Spread.relative(of: [5, 5, 5]) == 0)
    #expect(Spread.relative(of: []) == nil)
    #expect(Spread.relative(of: [0, 0, 1]) == nil)
  }
}
