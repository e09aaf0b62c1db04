import CStorageInstrument
import Foundation
import StorageContract

/// A check that a backend writes no file outside its store's directory and prints nothing.
struct ConfinementCheck: ConformanceCheck {
  static let id = "confinement"
  static let promise = "nothing outside the store's directory is touched, and nothing is printed"
  static let steps: Steps = [check]

  static func exemption(_ subject: CheckedBackend) -> String? { nil }

  @Sendable private static func check(_ subject: CheckSubject) throws {
    ci_begin(subject.directories.store)
    for _ in 0..<2 {
      try subject.withStore { store in
        try store.commit(SampleRecords.filler(0..<40, bytes: 500))
        try store.commit([.delete(3)])
        _ = try store.records(.all, in: .records)
        try store.settle()
      }
    }
    var counts = ci_counts()
    ci_read(&counts)
    ci_end()
    fflush(nil)
    subject.expect(
      counts.other_opens == 0, "\(counts.other_opens) file(s) outside the store's directory are opened for writing")
    let directories = [
      (subject.directories.home, "home directory"), (subject.directories.temporary, "directory for temporary files"),
      (subject.directories.current, "current directory"),
    ]
    for (path, name) in directories {
      let left = try FileManager.default.contentsOfDirectory(atPath: path)
      subject.expect(left.isEmpty, "\(left.first ?? "") appears in the \(name)")
    }
    let printed = (FileManager.default.contents(atPath: subject.directories.output) ?? Data()).count
    subject.expect(printed == 0, "\(printed) bytes are printed to standard output")
  }
}
