import StorageContract
import TestSupport
import Testing

@testable import MisbehavingBench
@testable import StorageVerify

/// The kit detects backends that are built to be wrong, and names their faults.
@Suite struct MisbehaviourTests {
  /// A backend, the check that detects it, and words of the message. Each of the kit's checks is in the list.
  private static let found: [(any StorageBackend.Type, String, String)] = [
    (Crashes.self, "values", "killed by signal 11"),
    (Exits.self, "values", "ended with exit code 0 in the middle, after: something went wrong"),
    (Throws.self, "values", "no space left: the disk of this test"),
    (WrongRecord.self, "changes", "another score"),
    (LosesUpdate.self, "all-or-nothing", "lacks 1"),
    (Forgets.self, "changes", "the body of an absent key is called"),
    (Chatters.self, "confinement", "bytes are printed to standard output"),
    (Boasts.self, "description", "asked for durable it promises fragile"),
    (CutsTexts.self, "values", "comes back with another name"),
    (CutsPayloads.self, "large-values", "payload of 500,000 bytes"),
    (ScansBackwards.self, "order", "is not in key order"),
    (SwallowsErrors.self, "bodies", "read swallows what its body throws"),
    (Tears.self, "all-or-nothing", "after a failed commit"),
    (NeedsFile.self, "missing-file", "there is no file"),
    (StartsAnew.self, "damaged-file", "threw no error"),
    (WritesAtClose.self, "acknowledged", "after the process was killed"),
    (
      NeverSyncs.self, "level",
      "durable is promised, but 20 of 20 saves were acknowledged before a file that they had written was synced"
    ),
    (
      SyncsAnother.self, "level",
      "durable is promised, but 20 of 20 saves were acknowledged before a file that they had written was synced; "
        + "20 had synced another file, or before their last write"
    ),
    (
      RenamesUnsynced.self, "level",
      "intact is promised, but 20 of 20 files were renamed before their data was synced"
    ),
    (
      ForgetsDirectory.self, "level",
      "durable is promised, but 20 of 20 saves were acknowledged before the directory was synced in which they had "
        + "renamed or removed a file"
    ),
    (NeverFails.self, "full-disk", "threw no error"),
    (NeverFails.self, "read-only", "threw no error"),
    (Litters.self, "confinement", "opened for writing"),
    (VariesSilently.self, "counts", "declare isDeterministic: false"),
    (DropsSaves.self, "leaks", "does not hold what was committed before"),
    (LeaksMemory.self, "leaks", "more bytes of memory taken"),
    (LeaksDescriptors.self, "leaks", "100 more descriptors open"),
    (Miscounts.self, "queries", "by itself, it answers 'count of everything: 67'"),
    (CannotRollBack.self, "transactions", "by itself, it answers 'after a throw"),
    (ForgetsLinks.self, "relations", "by itself"),
    (ForgetsDefaults.self, "migrations", "by itself, it answers"),
    (LosesAttributes.self, "migrations", "by itself, in another process, it answers"),
    (CompactsTooMuch.self, "compaction", "by itself"),
    (ForgetsInBackups.self, "backups", "in a copy, after later commits lacks 299"),
    (PurgesTooMuch.self, "bulk", "by itself, it answers '0 deleted by a name that no record has: 65"),
    (SharesCarelessly.self, "sharing", "in all accounts instead of 800.0"),
  ]

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

  @Test func everyMisbehaviourIsFoundOut() {
    let found = Self.found.map { $0.0.description.id } + [Hangs.description.id]
    #expect(Set(found) == Set(Misbehaving.foundByTheKit.map { $0.description.id }))
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
