import Foundation
import StorageContract

// One backend for each promise, which it breaks.

/// A backend without a fault: the faults of the others are their own.
final class Honest: Wrapper {
  static let description = describe("honest", "does everything as it should")
  let inner: any StorageBackend

  init(_ inner: any StorageBackend) { self.inner = inner }
}

final class Boasts: Wrapper {
  static let description = describe("boasts", "answers every durability with the same level")
  let inner: any StorageBackend

  init(_ inner: any StorageBackend) { self.inner = inner }

  static func promise(_ durability: Durability, _ options: Options) -> Promise { .level(.fragile) }
}

/// A backend that stores texts as C strings.
final class CutsTexts: Wrapper {
  static let description = describe("cuts-texts", "ends a name at its first NUL")
  let inner: any StorageBackend

  init(_ inner: any StorageBackend) { self.inner = inner }

  func commit(_ changes: [Change]) throws {
    try inner.commit(
      changes.map { change in
        guard !change.isDelete else { return change }
        var record = change.record
        record.name = String(record.name.prefix { $0 != "\0" })
        return .put(record, in: change.collection)
      })
  }
}

/// A backend with space for half a megabyte.
final class CutsPayloads: Wrapper {
  static let description = describe("cuts-payloads", "keeps the first 500,000 bytes of a payload")
  let inner: any StorageBackend

  init(_ inner: any StorageBackend) { self.inner = inner }

  func commit(_ changes: [Change]) throws {
    try inner.commit(
      changes.map { change in
        var record = change.record
        record.payload = Array(record.payload.prefix(500_000))
        return change.isDelete ? change : .put(record, in: change.collection)
      })
  }
}

final class ScansBackwards: Wrapper {
  static let description = describe("scans-backwards", "goes from the last key to the first")
  let inner: any StorageBackend

  init(_ inner: any StorageBackend) { self.inner = inner }

  func scan(
    _ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool
  ) throws {
    for record in try inner.records(keys, in: collection).reversed() where try !record.withView(body) { return }
  }
}

final class SwallowsErrors: Wrapper {
  static let description = describe("swallows-errors", "does not throw on what bodies throw")
  let inner: any StorageBackend

  init(_ inner: any StorageBackend) { self.inner = inner }

  func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
    try inner.read(key, in: collection) { try? body($0) }
  }
}

final class Tears: Wrapper {
  static let description = describe("tears", "commits each change by itself")
  let inner: any StorageBackend

  init(_ inner: any StorageBackend) { self.inner = inner }

  func commit(_ changes: [Change]) throws {
    for change in changes { try inner.commit([change]) }
  }
}

final class NeedsFile: Wrapper {
  static let description = describe("needs-file", "cannot be opened where there is no file")
  let inner: any StorageBackend

  init(_ inner: any StorageBackend) { self.inner = inner }

  init(opening environment: StoreEnvironment) throws {
    guard FileManager.default.fileExists(atPath: environment.path("store.plist")) else {
      throw StoreError.failed("there is no file")
    }
    inner = try Self.inner.init(opening: environment)
  }
}

/// A backend that treats an unreadable file as empty.
final class StartsAnew: Wrapper {
  static let description = describe("starts-anew", "replaces a file that it cannot read by an empty store")
  let inner: any StorageBackend

  init(_ inner: any StorageBackend) { self.inner = inner }

  init(opening environment: StoreEnvironment) throws {
    do {
      inner = try Self.inner.init(opening: environment)
    } catch StoreError.damaged {
      try FileManager.default.removeItem(atPath: environment.path("store.plist"))
      inner = try Self.inner.init(opening: environment)
    }
  }
}

/// A backend that collects changes until it is closed.
final class WritesAtClose: Wrapper {
  static let description = describe("writes-at-close", "writes what was committed when it is closed")
  let inner: any StorageBackend
  private var pending: [Change] = []

  init(_ inner: any StorageBackend) { self.inner = inner }

  func commit(_ changes: [Change]) throws { pending += changes }

  func close() throws {
    try inner.commit(pending)
    try inner.close()
  }
}

final class NeverFails: Wrapper {
  static let description = describe("never-fails", "acknowledges commits that failed")
  let inner: any StorageBackend

  init(_ inner: any StorageBackend) { self.inner = inner }

  func commit(_ changes: [Change]) throws { try? inner.commit(changes) }
}

/// A backend that acknowledges every save, but drops some.
final class DropsSaves: Wrapper {
  static let description = describe("drops-saves", "does not do every 1,000th commit")
  let inner: any StorageBackend
  private var commits = 0

  init(_ inner: any StorageBackend) { self.inner = inner }

  func commit(_ changes: [Change]) throws {
    commits += 1
    if commits % 1_000 != 0 { try inner.commit(changes) }
  }
}

final class Litters: Wrapper {
  static let description = describe("litters", "keeps a log in the directory for temporary files")
  let inner: any StorageBackend

  init(_ inner: any StorageBackend) { self.inner = inner }

  func commit(_ changes: [Change]) throws {
    let log = FileManager.default.temporaryDirectory.appendingPathComponent("litter.log")
    try Data("\(changes.count) changes\n".utf8).write(to: log)
    try inner.commit(changes)
  }
}

/// A backend that keeps 100 bytes of each commit.
final class LeaksMemory: Wrapper {
  static let description = describe("leaks-memory", "allocates in each commit and never frees")
  let inner: any StorageBackend

  init(_ inner: any StorageBackend) { self.inner = inner }

  func commit(_ changes: [Change]) throws {
    _ = UnsafeMutableRawPointer.allocate(byteCount: 100, alignment: 8)
    try inner.commit(changes)
  }
}

final class LeaksDescriptors: Wrapper {
  static let description = describe("leaks-descriptors", "opens a file in every hundredth commit and never closes it")
  let inner: any StorageBackend
  private var commits = 0

  init(_ inner: any StorageBackend) { self.inner = inner }

  func commit(_ changes: [Change]) throws {
    commits += 1
    if commits % 100 == 0 { _ = open("/dev/null", O_RDONLY) }
    try inner.commit(changes)
  }
}
