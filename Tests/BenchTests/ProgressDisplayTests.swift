import Testing

@testable import StorageBench

@Suite struct ProgressDisplayTests {
  @Test func theBarFills() {
    #expect(ProgressDisplay.bar(0, of: 40) == "[--------------------]")
    #expect(ProgressDisplay.bar(20, of: 40) == "[##########----------]")
    #expect(ProgressDisplay.bar(40, of: 40) == "[####################]")
    #expect(ProgressDisplay.bar(0, of: 0) == "[--------------------]")
  }
}
