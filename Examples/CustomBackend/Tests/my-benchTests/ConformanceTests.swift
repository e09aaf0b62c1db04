import StorageVerify
import Testing

@testable import my_bench

@Suite struct ConformanceTests {
  @Test func conforms() throws { try Conformance.check(JSONLines.self) }
}
