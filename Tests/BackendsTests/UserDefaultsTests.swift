import Foundation
import StorageContract
import Testing

@testable import StorageBackends

/// UserDefaults takes its directory from the environment at the start of a process, so each test is a child process.
@Suite(.serialized) struct UserDefaultsTests {
  private final class Home {
    let path: String

    init() throws {
      path = try Subject.temporaryDirectory()
      setenv("XDG_CONFIG_HOME", path, 1)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
  }

  private let home: Home

  init() throws { home = try Home() }

  private static func subject() throws -> Subject {
    let directory = try #require(ProcessInfo.processInfo.environment["XDG_CONFIG_HOME"])
    return Subject(Configuration("defaults"), directory: directory)
  }

  @Test func anEmptyFileIsDamaged() async throws {
    await #expect(processExitsWith: .success) { try Self.subject().expectDamage(Data()) }
  }

  @Test func theFixtureIsWhatUserDefaultsWrites() async throws {
    await #expect(processExitsWith: .success) {
      let subject = try Self.subject()
      try subject.withOpen { try $0.commit(Tricky.records.map { .put($0) }) }
      let written = FileManager.default.contents(atPath: subject.file)
      try FileManager.default.removeItem(atPath: subject.file)
      try subject.writeFixture(Tricky.records)
      #expect(written != nil && FileManager.default.contents(atPath: subject.file) == written)
    }
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
  }

  @Test func aRefusedFirstSaveIsUndone() async throws {
    await #expect(processExitsWith: .success) {
      let subject = try Self.subject()
      let store = try subject.open()
      var files = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &files)
      var none = rlimit(rlim_cur: 0, rlim_max: files.rlim_max)
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none)
      #expect(throws: StoreError.self) { try store.commit([.put(Tricky.record(1, "refused"))]) }
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &files)
      #expect(!FileManager.default.fileExists(atPath: subject.file))
      #expect(try store.count(in: .records) == 0)
      try store.commit([.put(Tricky.record(2, "saved"))])
      try store.close()
      #expect(try subject.open().records(.all, in: .records).map(\.name) == ["saved"])
    }
  }

  /// A file that cannot be reached is not a missing one, whose records would all be given up.
  @Test func aRefusedSaveOfAnUnreachableFileLosesNoEarlierRecord() async throws {
    await #expect(processExitsWith: .success) {
      let subject = try Self.subject()
      let store = try subject.open()
      try store.commit([.put(Tricky.record(1, "saved"))])
      let aside = subject.directory + "-aside"
      try FileManager.default.moveItem(atPath: subject.directory, toPath: aside)
      try Data().write(to: URL(fileURLWithPath: subject.directory))
      #expect(throws: StoreError.self) { try store.commit([.put(Tricky.record(1, "refused"))]) }
      try FileManager.default.removeItem(atPath: subject.directory)
      try FileManager.default.moveItem(atPath: aside, toPath: subject.directory)
      try store.commit([.put(Tricky.record(2, "later"))])
      try store.close()
      #expect(try subject.open().records(.all, in: .records).map(\.id) == [1, 2])
    }
  }

  /// Without the variable, or with a late change of it, the store would be in the user's own settings.
  @Test func theHomeDirectoryIsNeverTouched() async throws {
    let parent = home.path
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
  }
}
