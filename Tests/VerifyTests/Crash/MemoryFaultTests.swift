import CStorageInstrument
import StorageContract
@testable import StorageVerify
import TestSupport
import Testing

/// Allocations of an engine that fail. Sanitizers have another allocator, which cannot fail.
@Suite(.enabled(if: ci_counts_allocations() != 0, "the allocator of a sanitizer does not fail"))
struct MemoryFaultTests {
  private func results(_ id: String, count: Int, only: String? = nil) throws -> CrashResult {
    try CrashTest.results(backend(id), [], .shipped, ["memory"], count: count, only: only)[0]
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
      #expect(try results("sqlite", count: 1, only: text).brokenCases.isEmpty)
    }
  }

  @Test func `the fault is not among the usual ones and needs a C library`() throws {
    #expect(Set(CrashFaults.all.map(\.id)).subtracting(CrashFaults.usual) == ["memory", "schedule"])
    let exemption = "the suite cannot tell the allocations of its engine from others"
    #expect(try MemoryFault.exemption(CheckedBackend("plist")) == exemption)
    #expect(try MemoryFault.exemption(CheckedBackend("lmdb")) == nil)
  }

  @Test(arguments: ["memory:save=1", "memory:some:save=1:allocation=3", "memory:allocation=3"])
  func `a case that lacks a part is refused`(_ text: String) throws {
    let crashCase = try CrashCase(parsing: text)
    #expect(throws: UsageError.self) { try MemoryFault.plan(crashCase) }
  }
}
