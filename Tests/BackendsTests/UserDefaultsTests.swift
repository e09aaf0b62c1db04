import Foundation
import StorageContract
import Testing

@testable import StorageBackends

/// UserDefaults takes its directory from the environment at the start of a process, so each test is a child process.
@Suite(.serialized) struct UserDefaultsTests {
  private let directory: String

  init() throws {
    directory = try Subject.temporaryDirectory()
    setenv("XDG_CONFIG_HOME", directory, 1)
  }

  private static func subject() throws -> Subject {
    let directory = try #require(ProcessInfo.processInfo.environment["XDG_CONFIG_HOME"])
    return Subject(Configuration("defaults"), directory: directory)
  }

  @Test func whatWasCutIsDamaged() async throws {
    await #expect(processExitsWith: .success) { try Checks.garbage(Self.subject(), Data()) }
    await #expect(processExitsWith: .success) {
      // A file that is truncated within its second value still begins like a valid one.
      let subject = try Self.subject()
      try FileManager.default.removeItem(atPath: subject.file)
      try subject.writeFixture(Array(Tricky.records.prefix(3)))
      let whole = try #require(FileManager.default.contents(atPath: subject.file))
      try Checks.garbage(subject, whole.prefix(whole.count * 2 / 3))
    }
    try FileManager.default.removeItem(atPath: directory)
  }

  @Test func theFixtureIsWhatUserDefaultsWrites() async throws {
    await #expect(processExitsWith: .success) {
      let subject = try Self.subject()
      let store = try subject.open()
      try store.commit(Tricky.records.map { .put($0) })
      try store.close()
      let written = FileManager.default.contents(atPath: subject.file)
      try FileManager.default.removeItem(atPath: subject.file)
      try subject.writeFixture(Tricky.records)
      #expect(written != nil && FileManager.default.contents(atPath: subject.file) == written)
    }
    await #expect(processExitsWith: .success) { try Checks.fixture(Self.subject()) }
    try FileManager.default.removeItem(atPath: directory)
  }

  @Test func withoutSynchronizeNothingIsWritten() async throws {
    await #expect(processExitsWith: .success) {
      for value in ["record", "archive"] {
        let configuration = Configuration("defaults", ["synchronize=no", "value=\(value)"])
        let (type, options) = try configuration.resolved()
        #expect(type.promise(.shipped, options) == .level(.volatile))
        let subject = Subject(configuration, directory: try Self.subject().directory)
        let store = try subject.open()
        // The records of the store before were only in memory.
        #expect(try store.count(in: .records) == 0)
        try store.commit((0..<9).map { .put(Tricky.record($0, "one")) })
        #expect(try store.count(in: .records) == 9 && store.settings.hasPrefix("synchronize=no"))
        try store.close()
        #expect(FileManager.default.contents(atPath: subject.file) == nil)
      }
    }
    try FileManager.default.removeItem(atPath: directory)
  }

  @Test func delayedChangesAreSynchronizedInTheBackground() async throws {
    await #expect(processExitsWith: .success) {
      for value in ["record", "archive"] {
        let options = ["write=debounced", "every=1ms", "value=\(value)"]
        let subject = Subject(Configuration("defaults", options), directory: try Self.subject().directory)
        let store = try subject.open()
        for number in Int64(0)..<200 {
          try store.commit([.put(Tricky.record(number % 20, "save \(number)"))])
          #expect(try store.record(number % 20, in: .records)?.name == "save \(number)")
        }
        for _ in 0..<5_000 where !FileManager.default.fileExists(atPath: subject.file) { usleep(1_000) }
        #expect(FileManager.default.fileExists(atPath: subject.file))
        try store.close()
        let names = try subject.open().records(.all, in: .records).map(\.name)
        #expect(names == (180..<200).map { "save \($0)" })
        try FileManager.default.removeItem(atPath: subject.file)
      }
    }
    try FileManager.default.removeItem(atPath: directory)
  }

  /// Without the variable, or with a late change of it, the store would be in the user's own settings.
  @Test func theHomeDirectoryIsNeverTouched() async throws {
    let parent = directory
    await #expect(processExitsWith: .success) {
      let other = try Subject.temporaryDirectory()
      defer { try? FileManager.default.removeItem(atPath: other) }
      setenv("XDG_CONFIG_HOME", other, 1)
      let subject = Subject(Configuration("defaults"), directory: other)
      #expect(throws: StoreError.self) { try subject.open() }
      #expect(throws: StoreError.self) { try subject.writeFixture([]) }
      #expect(try FileManager.default.contentsOfDirectory(atPath: other).isEmpty)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: parent).isEmpty)
    try FileManager.default.removeItem(atPath: directory)
  }
}
