import Foundation
import Testing

@testable import StorageBench

@Suite struct ProgressDisplayTests {
  @Test func theBarFills() {
    #expect(ProgressDisplay.bar(0, of: 40) == "[--------------------]")
    #expect(ProgressDisplay.bar(20, of: 40) == "[##########----------]")
    #expect(ProgressDisplay.bar(40, of: 40) == "[####################]")
    #expect(ProgressDisplay.bar(0, of: 0) == "[--------------------]")
  }

  /// A run that takes twice as long as its trials were estimated to take says so, and does not stick.
  @Test func theTimeLeftFollowsThePace() {
    var pace = RunPace()
    let start = Date(timeIntervalSinceReferenceDate: 0)
    #expect(pace.left(60, now: start) == 60)
    // A second says nothing yet.
    #expect(pace.left(59, now: start + 5) == 59)
    #expect(pace.left(30, now: start + 60) == 60)
    #expect(pace.left(5, now: start + 110) == 10)
    #expect(pace.left(0, now: start + 120) == 0)
  }

  /// A plan that turns out longer has no pace, and a stopped machine does not make it endless.
  @Test func whatCannotBeFollowed() {
    var pace = RunPace()
    let start = Date(timeIntervalSinceReferenceDate: 0)
    _ = pace.left(10, now: start)
    #expect(pace.left(20, now: start + 5) == 20)
    #expect(pace.left(5, now: start + 1_000) == 15)
  }
}
