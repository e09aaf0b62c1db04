import CStorageInstrument
import Foundation
import StorageContract

/// A check that repeated work takes the same numbers of writes and syncs, except for backends that declare varying
/// counts.
struct CountsCheck: ConformanceCheck {
  static let id = "counts"
  static let promise = "the same work writes and syncs the same again, or the description says that it does not"
  static let steps: Steps = [countFirst, countAgain]
  /// The environment variables of the check's processes. Swift's hashing becomes the same in each process.
  static let environment = ["SWIFT_DETERMINISTIC_HASHING": "1"]

  static func exemption(_ subject: CheckedBackend) -> String? {
    subject.leavesNothing
      ?? (subject.type.description.isDeterministic ? nil : "its description says that its counts do not repeat")
  }

  @Sendable private static func countFirst(_ subject: CheckSubject) throws {
    try count(subject).write(toFile: subject.directories.notes, atomically: false, encoding: .utf8)
  }

  @Sendable private static func countAgain(_ subject: CheckSubject) throws {
    let first = try String(contentsOfFile: subject.directories.notes, encoding: .utf8)
    try subject.removeFiles()
    let second = try count(subject)
    subject.expect(
      first == second,
      "the same work came to \(first), and the second time to \(second); declare isDeterministic: false")
  }

  private static func count(_ subject: CheckSubject) throws -> String {
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
    return "\(counts.bytes_written) bytes in \(counts.write_calls) writes, \(counts.syncs) syncs and "
      + "\(counts.renames) renames"
  }
}
