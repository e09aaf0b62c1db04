import Foundation
import StorageContract

/// A check that opening a file with meaningless content throws an error and leaves the file unchanged.
struct DamagedFileCheck: ConformanceCheck {
  static let id = "damaged-file"
  static let promise = "a file that is not a store is an error before anything of it is returned, and stays as it is"
  static let steps: Steps = [write, { try damage($0, text) }, { try damage($0, pattern) }]

  static func exemption(_ subject: CheckedBackend) -> String? { subject.leavesNothing }

  private static let text = Data("This is not a store. ".utf8) + Data(SampleRecords.noise(20_000))
  private static let pattern = Data(repeating: 0xa5, count: 8_192)

  @Sendable private static func write(_ subject: CheckSubject) throws {
    try subject.withStore { store in
      try store.commit(SampleRecords.filler(0..<20, bytes: 200))
      try store.settle()
    }
  }

  private static func damage(_ subject: CheckSubject, _ bytes: Data) throws {
    guard let file = subject.files.first else { return subject.violate("the store has no file") }
    // Only the damaged file remains, because the store's other files would not belong to it.
    try subject.removeFiles()
    let url = URL(fileURLWithPath: file.path)
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try bytes.write(to: url)
    let name = url.lastPathComponent
    if bytes.count < 10_000, subject.backend.deviates(from: .shortFiles) {
      // The backend may replace the file by an empty store or refuse the file, but must return none of its content.
      let store: any StorageBackend
      do {
        store = try subject.open()
      } catch StoreError.damaged {
        return
      }
      let count = try collect { try store.scan(.all, in: .records, $0) }.count
      try store.close()
      return subject.expect(count == 0, "a store that replaces \(name) has \(count) records")
    }
    subject.expectError("opening a store whose \(name) is \(bytes.count) bytes of something else") {
      if case .damaged = $0 { true } else { false }
    } _: {
      let store = try subject.open()
      // A store with many files in subdirectories does not read all of them when it opens, so a scan must find the
      // damage.
      let isOneOfMany = url.deletingLastPathComponent().path != subject.directories.store
      if isOneOfMany { try store.scan(.all, in: .records) { _ in true } }
      try store.close()
    }
    let found = FileManager.default.contents(atPath: file.path)
    subject.expect(found == bytes, "opening a file that is not a store changes \(name)")
  }
}
