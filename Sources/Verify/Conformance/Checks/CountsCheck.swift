import CStorageInstrument
import Foundation
import StorageContract

/// A check that repeated work takes the same numbers of writes and syncs, except for backends that declare varying
/// counts.
struct CountsCheck: ConformanceCheck {
  static let id = "counts"
  static let promise = "the same work writes and syncs the same again, or the description says that it does not"
  static let steps: [@Sendable (CheckSubject) throws -> Void] = [countFirst, countAgain]
  static let dependsOnOptions = true
  /// The environment variables of the check's processes. Swift's hashing becomes the same in each process.
  static let environment = ["SWIFT_DETERMINISTIC_HASHING": "1"]

  static func exemption(_ subject: CheckedBackend) -> String? {
    subject.leavesNothing
      ?? (subject.type.description.isDeterministic ? nil : "its description says that its counts do not repeat")
  }

  private struct Counts: Codable {
    var bytes: UInt64
    var writes: UInt64
    var syncs: UInt64
    var renames: UInt64

    var text: String { "\(bytes) bytes in \(writes) writes, \(syncs) syncs and \(renames) renames" }
  }

  @Sendable private static func countFirst(_ subject: CheckSubject) throws {
    try JSONEncoder().encode(count(subject)).write(to: URL(fileURLWithPath: subject.directories.notes))
  }

  @Sendable private static func countAgain(_ subject: CheckSubject) throws {
    let first = try JSONDecoder().decode(
      Counts.self, from: Data(contentsOf: URL(fileURLWithPath: subject.directories.notes)))
    try subject.removeFiles()
    let second = try count(subject)
    subject.expect(
      first.text == second.text,
      "the same work came to \(first.text), and the second time to \(second.text); declare isDeterministic: false")
  }

  private static func count(_ subject: CheckSubject) throws -> Counts {
    ci_begin(subject.directories.store)
    for _ in 0..<2 {
      try subject.withStore { store in
        try store.commit(SampleRecords.filler(0..<40, bytes: 200))
        for number in Int64(0)..<20 {
          try store.commit([number % 5 == 4 ? .delete(number) : .put(SampleRecords.record(number, "save \(number)"))])
        }
        try store.settle()
      }
    }
    var counts = ci_counts()
    ci_read(&counts)
    ci_end()
    return Counts(bytes: counts.bytes_written, writes: counts.write_calls, syncs: counts.syncs, renames: counts.renames)
  }
}
