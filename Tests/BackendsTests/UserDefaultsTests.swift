import Foundation
import StorageContract
import Testing

@testable import StorageBackends

/// UserDefaults takes its directory from the environment that a process starts with, so each test is a child.
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
      // A file that was cut within its second value still begins like a good one.
      let subject = try Self.subject()
      try FileManager.default.removeItem(atPath: subject.file)
      try subject.writeFixture(Array(Tricky.records.prefix(3)))
      let whole = try #require(FileManager.default.contents(atPath: subject.file))
      try Checks.garbage(subject, whole.prefix(whole.count * 2 / 3))
    }
    try FileManager.default.removeItem(atPath: directory)
  }

  /// The fixture's bytes are those that UserDefaults itself writes for the same records.
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

  /// Without the variable, or with it set too late, the store would land in the user's own settings.
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
