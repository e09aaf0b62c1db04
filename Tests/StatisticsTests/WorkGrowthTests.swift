import Testing
import TestSupport

/// The measure that tests of linear work use detects work that is not linear.
@Suite struct WorkGrowthTests {
  private func pairs(_ count: Int) {
    var sum = 0
    for first in 0..<count {
      for second in 0..<count { sum &+= first &* second }
    }
    #expect(sum >= 0)
  }

  @Test func quadraticWorkIsSeen() {
    let ratio = WorkGrowth.ratio(enough: 0) {
      pairs(200)
    } to: {
      pairs(800)
    }
    #expect(ratio >= 9, "\(ratio)")
  }
}
