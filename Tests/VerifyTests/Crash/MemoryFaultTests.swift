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
    let test = try CrashTest(
      backend, faults: ["memory"], count: count, history: SaveHistory(records: 20), directory: RAMDisk.path, only: only)
    return try #require(try test.results().first)
  }

  @Test(arguments: ["sqlite", "lmdb", "object-graph"])
  func `a failed allocation loses no acknowledged save`(_ id: String) throws {
    let result = try results(id, count: repetitions(40))
    #expect(result.brokenCases.isEmpty, "\(result)")
    #expect(result.tally.cases == repetitions(40) && result.tally.unreached == 0)
    #expect(result.variants.allSatisfy { $0.possible == nil }, "only power cuts have sets of missing changes")
  }

  /// The transaction stayed open, since the text ROLLBACK could not be prepared. Readers saw half a save.
  @Test func `a rollback that failed without memory is repeated`() throws {
    for allocation in 40...56 {
      let text = "memory:all:save=1:allocation=\(allocation):saves=1"
      #expect(try results("sqlite", count: 1, only: CrashCase(parsing: text)).brokenCases.isEmpty)
    }
  }

  @Test func `the fault is not among the usual ones and needs a C library`() {
    #expect(Set(CrashFaults.all.map(\.id)).subtracting(CrashFaults.usual) == ["memory", "schedule"])
    let exemption = "the suite cannot tell the allocations of its engine from others"
    #expect(MemoryFault.exemption(Self.subject("plist")) == exemption)
    #expect(MemoryFault.exemption(Self.subject("lmdb")) == nil)
  }

  @Test(arguments: ["memory:save=1", "memory:some:save=1:allocation=3", "memory:allocation=3"])
  func `a case that lacks a part is refused`(_ text: String) throws {
    let crashCase = try CrashCase(parsing: text)
    #expect(throws: UsageError.self) { try MemoryFault.plan(crashCase) }
  }
}
