import StorageVerify
import Testing
import my_bench

@Suite struct ConformanceTests {
  @Test func conforms() throws { try Conformance.check(JSONLines.self) }
}
