import CStorageInstrument
import Foundation
import StorageContract
import Testing

@testable import StorageBackends
@testable import StorageVerify

// One test for each claim that the project started from and that the conformance kit does not check. A test is named by
// the claim's number: P property lists, A archives, D defaults, S SQLite, F the queue. docs/reference/statements.md lists
// the claims and what is true here.

/// Checks a backend, with default options unless others are given, in processes of the conformance kit.
func expectKept(
  _ backend: String, _ checks: [any ConformanceCheck.Type], options: String = "",
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let type = try #require(Backends.all.first { $0.description.id == backend }, sourceLocation: sourceLocation)
  for result in try Conformance.results(type, checks, options: options) {
    switch result.status {
    case .kept, .unchecked: continue
    case .broken, .notApplicable: Issue.record("\(result)", sourceLocation: sourceLocation)
    }
  }
}

extension ConformanceCheck {
  static var id: String { "\(Self.self)" }
  /// The name of the test states the claim.
  static var promise: String { "the claim of the test" }
}

/// The steps of a check, each in a new process.
typealias Steps = [@Sendable (CheckSubject) throws -> Void]

/// A check that runs in one process.
protocol OneStepCheck: ConformanceCheck {
  @Sendable static func run(_ subject: CheckSubject) throws
}

extension OneStepCheck {
  static var steps: Steps { [run] }
}

extension CheckSubject {
  /// Returns the counts of a body's system calls, and expects the kernel to have counted the same bytes.
  func counting(_ body: () throws -> Void) throws -> ci_counts {
    var (before, after) = (ci_process_io(), ci_process_io())
    var counts = ci_counts()
    _ = ci_read_process_io(&before)
    ci_begin(directories.store)
    try body()
    ci_read(&counts)
    _ = ci_read_process_io(&after)
    ci_end()
    let seen = counts.bytes_written + counts.other_bytes_written
    expect(
      seen == after.bytes_written - before.bytes_written,
      "the kernel counts \(after.bytes_written - before.bytes_written) bytes written, the counters \(seen)")
    return counts
  }

  /// The bytes of the store's largest file.
  var size: Int { files.first?.length ?? 0 }
}

extension StoreError {
  var isDamaged: Bool { if case .damaged = self { true } else { false } }
  var isFull: Bool { if case .full = self { true } else { false } }
  var isBusy: Bool { if case .busy = self { true } else { false } }
}

/// Returns an archive with the objects and numbers that the body encodes.
func archive(_ body: (NSKeyedArchiver) -> Void) -> Data {
  let archiver = NSKeyedArchiver(requiringSecureCoding: true)
  body(archiver)
  archiver.finishEncoding()
  return archiver.encodedData
}

/// The four lines of a text field.
enum FourLines {
  static func changes(_ texts: [String]) -> [Change] {
    texts.enumerated().map { .put(SampleRecords.record(Int64($0.offset), $0.element)) }
  }

  static func texts(_ store: any StorageBackend) throws -> [String] {
    try store.records(0...3, in: .records).map(\.name)
  }
}
