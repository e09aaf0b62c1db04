import StorageStatistics
import Testing

@Suite struct FitnessTests {
  @Test func `a quiet machine with a few wild probes is fit`() {
    let quiet = (0..<20).map { 50 + Double($0 % 5) }
    #expect(Fitness.defect(of: quiet) == nil)
    // At most a quarter of the probes may exceed twice the median.
    #expect(Fitness.defect(of: quiet.enumerated().map { $0 < 5 ? 500 : $1 }) == nil)
    #expect(Fitness.defect(of: quiet.enumerated().map { $0 < 6 ? 500 : $1 }) == .outliers(0.3))
  }

  @Test func `one that scatters is not`() throws {
    guard case .spread(let spread)? = Fitness.defect(of: [50, 60, 70, 80, 90, 100, 110, 120]) else {
      Issue.record("a spread of 35 % is too much")
      return
    }
    // The median is 85, and the median distance from it is 20.
    #expect(abs(spread - 1.4826 * 20 / 85) < 1e-12)
    #expect(Fitness.defect(of: [50, 60, 70]) == nil)
  }

  @Test func `too few probes say nothing`() {
    #expect(Fitness.defect(of: []) == .tooFew(0))
    #expect(Fitness.defect(of: [1, 1]) == .tooFew(2))
    #expect(Fitness.defect(of: [0, 0, 0]) == .tooFew(3))
  }
}
