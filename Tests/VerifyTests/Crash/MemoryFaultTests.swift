import CStorageInstrument
import StorageBackends
import StorageContract
@testable import StorageVerify
import TestSupport
import Testing

/// Allocations of an engine that fail. Sanitizers have another allocator, which cannot fail.
@Suite(.enabled(if: ci_counts_allocations() != 0, "the allocator of a sanitizer does not fail"))
struct MemoryFaultTests {
  private static func subject(_ id: String) -> CheckedBackend {
    guard let backend = Backends.all.first(where: { $0.description.id == id }),
      let subject = CheckedBackend(backend, Options(), .shipped)
    else { fatalError("backend \(id) is missing") }
    return subject
  }

  private func results(_ id: String, count: Int, only: CrashCase? = nil) throws -> CrashResult {
    let backend = try #require(Backends.all.first { $0.description.id == id })
    let test = try CrashTest(backend, faults: ["memory"], count: count, history: SaveHistory(records: 20), only: only)
    return try #require(try test.results().first)
  }

  @Test(arguments: ["sqlite", "lmdb", "object-graph"])
  func `a failed allocation loses no acknowledged save`(_ id: String) throws {
    let result = try results(id, count: repetitions(40))
    #expect(result.brokenCases.isEmpty, "\(result)")
    #expect(result.tally.cases == repetitions(40) && result.tally.unreached == 0)
  }

  /// The transaction stayed open, since the text ROLLBACK could not be prepared. Readers saw half a save.
  @Test func `a rollback that failed without memory is repeated`() throws {
    for allocation in 40...56 {
      let text = "memory:all:save=1:allocation=\(allocation):library=libsqlite3.so:saves=1"
      #expect(try results("sqlite", count: 1, only: CrashCase(parsing: text)).brokenCases.isEmpty)
    }
  }

  @Test func `the fault is not among the usual ones and needs a C library`() {
    #expect(Set(CrashFaults.all.map(\.id)).subtracting(CrashFaults.usual) == ["memory", "schedule"])
    #expect(MemoryFault.exemption(Self.subject("plist")) == "its engine is not a C library alone")
  }

  @Test(arguments: ["memory:save=1:allocation=3", "memory:some:save=1:allocation=3:library=libsqlite3.so"])
  func `a case without a library is refused`(_ text: String) throws {
    let crashCase = try CrashCase(parsing: text)
    #expect(throws: UsageError.self) { try MemoryFault.plan(crashCase) }
  }
}
