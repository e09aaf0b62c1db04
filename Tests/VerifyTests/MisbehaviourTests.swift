import StorageContract
import TestSupport
import Testing

@testable import MisbehavingBench
@testable import StorageVerify

/// The kit detects backends that are built to be wrong, and names their faults.
@Suite struct MisbehaviourTests {
  /// Each of the kit's checks is in the list.
  private static let found = Misbehaving.foundByTheKit + [(NeverFails.self, "read-only", "threw no error")]

  @Test(arguments: found.indices)
  func lyingIsFoundOut(_ index: Int) throws {
    let (backend, id, words) = Self.found[index]
    let check = try #require(ConformanceChecks.all.first { $0.id == id })
    let results = try Conformance.results(backend, [check], in: RAMDisk.path)
    // If no file system can be mounted, two checks are impossible.
    if results.contains(where: { if case .unchecked = $0.status { true } else { false } }) { return }
    let text = results.filter(\.isBroken).map(\.description).joined(separator: "\n")
    #expect(text.contains(words), "\(backend.description.id), \(id): \(results.map(\.description))")
    // The check finds no other fault.
    #expect(try Conformance.results(Honest.self, [check], in: RAMDisk.path).allSatisfy { !$0.isBroken })
  }

  @Test func everyCheckCanFail() {
    #expect(Set(Self.found.map(\.1)) == Set(ConformanceChecks.all.map { $0.id }))
  }

  /// A check that hangs is stopped, and the remaining checks are not run.
  @Test func hangingIsFoundOut() throws {
    let results = try Conformance.results(Hangs.self, limit: 3)
    #expect(results.last?.isBroken == true)
    #expect(results.last?.description.contains("the process did not end within 3 s and was stopped") == true)
    #expect(results.count < 5)
  }

  @Test func oneLineFails() throws {
    let failure = #expect(throws: ConformanceFailure.self) { try Conformance.check(Tears.self, in: RAMDisk.path) }
    #expect(failure?.description.contains("tears (shipped) all-or-nothing: a commit that fails leaves") == true)
    #expect(failure?.results.contains { $0.check == "values" } == false)
  }

  @Test func aPrivateClassIsRefused() {
    #expect(throws: UsageError.self) { try Conformance.check(Unreachable.self) }
  }
}

/// A class that other processes cannot name.
private final class Unreachable: Wrapper {
  override class var summary: String { "is private" }
}
