import CStorageInstrument
import Foundation
import StorageContract

/// A check that a store on a read-only file system rejects commits and stays readable, or refuses to open.
struct ReadOnlyCheck: ConformanceCheck {
  static let id = "read-only"
  static let promise = "a read-only store is an error for writers, with the old content readable"
  static let steps: Steps = [check]
  static let disk = ChildDisk.own(64 << 20)

  static func exemption(_ subject: CheckedBackend) -> String? { subject.writesLater }

  @Sendable private static func check(_ subject: CheckSubject) throws {
    var content = StoreContent()
    try subject.withStore { store in
      try content.commit(SampleRecords.filler(0..<20, bytes: 500), to: store)
      try store.settle()
    }
    let files = contents(subject)
    let error = ci_make_read_only(subject.directories.root, 1)
    guard error == 0 else {
      return subject.violate("a file of the store is still open for writing after close (error \(error))")
    }
    // The store may either open for reading or refuse to open with the error `readOnly`.
    do {
      let store = try subject.open()
      try subject.compare(store, content, "on a read-only file system")
      for batch in [[Change.delete(1)], [.delete(1), .put(SampleRecords.record(99))]] {
        subject.expectError("a commit of \(batch.count) change(s) on a read-only file system") {
          if case .readOnly = $0 { true } else { false }
        } _: {
          try store.commit(batch)
        }
      }
      if subject.backend.level > .fragile {
        try subject.compare(store, content, "after a refused commit on a read-only file system")
      }
      try store.close()
    } catch StoreError.readOnly {
    }
    subject.expect(ci_make_read_only(subject.directories.root, 0) == 0, "a file stays open")
    subject.expect(contents(subject) == files, "a file of the store has changed on a read-only file system")
    try subject.withStore { store in
      try subject.compare(store, content, "when it may be written again")
      try content.commit([.delete(1)], to: store)
      try subject.compare(store, content, "when it may be written again, and was")
    }
  }

  private static func contents(_ subject: CheckSubject) -> [String: Data?] {
    Dictionary(subject.files.map { ($0.path, FileManager.default.contents(atPath: $0.path)) }) { first, _ in first }
  }
}
