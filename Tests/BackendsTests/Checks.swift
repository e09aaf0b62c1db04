import Foundation
import StorageContract
import Testing

/// Checks that run in this process and, for UserDefaults, in child processes.
enum Checks {
  static func fixture(_ subject: Subject) throws {
    let (type, options) = try subject.configuration.resolved()
    let isCut = type.description.deviations(options).contains { $0.promise == .cutTexts }
    let records = isCut ? Tricky.records.filter { !$0.name.utf8.contains(0) } : Tricky.records
    try subject.writeFixture(records)
    let store = try subject.open()
    #expect(zip(try store.records(.all, in: .records), records).allSatisfy { $0.isIdentical(to: $1) })
    #expect(try store.count(in: .records) == records.count)
    try store.close()
  }

  /// Checks that opening a file with other content fails and leaves the file unchanged.
  static func garbage(_ subject: Subject, _ bytes: Data) throws {
    try bytes.write(to: URL(fileURLWithPath: subject.file))
    do {
      let store = try subject.open()
      try store.close()
      Issue.record("garbage of \(bytes.count) bytes was opened")
    } catch StoreError.damaged {
      #expect(FileManager.default.contents(atPath: subject.file) == bytes)
    }
  }
}
