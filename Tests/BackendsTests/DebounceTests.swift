import Foundation
import StorageContract
import Testing

@testable import StorageBackends

/// Commits that change only memory, and files that are written later.
@Suite struct DebounceTests {
  private static func with(_ backend: String, every: String, _ body: (Subject) throws -> Void) throws {
    try Subject.with(Configuration(backend, ["write=debounced", "every=\(every)"]), body)
  }

  /// Waits for a background queue.
  private static func wait(_ condition: () throws -> Bool) throws {
    for _ in 0..<5_000 where try !condition() { usleep(1_000) }
    #expect(try condition())
  }

  @Test(arguments: ["plist", "archive", "json"])
  func aFileIsWrittenOnceWhenTheStoreIsClosed(_ backend: String) throws {
    try Self.with(backend, every: "1h") { subject in
      let store = try subject.open()
      #expect(store.settings.contains("write=debounced every=1h"))
      for number in Int64(0)..<50 { try store.commit([.put(Tricky.record(number % 9, "save \(number)"))]) }
      #expect(throws: StoreError.self) {
        try store.commit([.put(Tricky.record(9, "")), .delete(1, in: CollectionID(7))])
      }
      #expect(try store.count(in: .records) == 9)
      #expect(!FileManager.default.fileExists(atPath: subject.file))
      try store.close()
      #expect(try subject.open().records(.all, in: .records) == store.records(.all, in: .records))
    }
  }

  @Test(arguments: ["plist", "archive", "json"])
  func commitsAndReadsGoOnDuringBackgroundWrites(_ backend: String) throws {
    try Self.with(backend, every: "1ms") { subject in
      let store = try subject.open()
      for number in Int64(0)..<2_000 {
        try store.commit([.put(Tricky.record(number % 50, "save \(number)")), .delete(number % 7)])
        let isThere = number % 50 != number % 7
        #expect(try store.record(number % 50, in: .records)?.name == (isThere ? "save \(number)" : nil))
      }
      try Self.wait { try subject.open().records(.all, in: .records) == store.records(.all, in: .records) }
      try store.close()
    }
  }

  @Test(arguments: ["plist", "archive", "json"], [true, false])
  func theErrorOfABackgroundWriteIsThrown(_ backend: String, byCommit: Bool) throws {
    try Self.with(backend, every: "1ms") { subject in
      let store = try subject.open()
      let away = subject.directory + "-away"
      try FileManager.default.moveItem(atPath: subject.directory, toPath: away)
      try store.commit([.put(Tricky.record(1, "kept"))])
      let debouncer = try #require((store as? ResidentFile)?.debouncer)
      try Self.wait { debouncer.hasFailed }
      try FileManager.default.moveItem(atPath: away, toPath: subject.directory)
      if byCommit {
        #expect(throws: StoreError.self) { try store.commit([.put(Tricky.record(2, "refused"))]) }
        // The write is tried again by itself.
        try Self.wait { FileManager.default.fileExists(atPath: subject.file) }
        try store.commit([.put(Tricky.record(3, "kept"))])
        try store.close()
      } else {
        #expect(throws: StoreError.self) { try store.close() }
      }
      #expect(try subject.open().records(.all, in: .records).map(\.name) == (byCommit ? ["kept", "kept"] : ["kept"]))
    }
  }
}
