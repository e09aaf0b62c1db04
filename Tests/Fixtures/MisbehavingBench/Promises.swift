import Foundation
import StorageContract

// One backend for each promise, which it breaks.

/// A backend without a fault: the faults of the others are their own.
final class Honest: Wrapper {
  override class var summary: String { "does everything as it should" }
}

final class Boasts: Wrapper {
  override class var summary: String { "answers every durability with the same level" }

  override class func promise(_ durability: Durability, _ options: Options) -> Promise { .level(.fragile) }
}

final class CutsTexts: Wrapper {
  override class var summary: String { "ends a name at its first NUL" }

  override func commit(_ changes: [Change]) throws {
    try inner.commit(
      changes.map { change in
        guard !change.isDelete else { return change }
        var record = change.record
        record.name = String(record.name.prefix { $0 != "\0" })
        return .put(record, in: change.collection)
      })
  }
}

final class CutsPayloads: Wrapper {
  override class var summary: String { "keeps the first 500,000 bytes of a payload" }

  override func commit(_ changes: [Change]) throws {
    try inner.commit(
      changes.map { change in
        var record = change.record
        record.payload = Array(record.payload.prefix(500_000))
        return change.isDelete ? change : .put(record, in: change.collection)
      })
  }
}

final class ScansBackwards: Wrapper {
  override class var summary: String { "goes from the last key to the first" }

  override func scan(
    _ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool
  ) throws {
    for record in try inner.records(keys, in: collection).reversed() where try !record.withView(body) { return }
  }
}

final class SwallowsErrors: Wrapper {
  override class var summary: String { "does not throw on what bodies throw" }

  override func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
    try inner.read(key, in: collection) { try? body($0) }
  }
}

final class Tears: Wrapper {
  override class var summary: String { "commits each change by itself" }

  override func commit(_ changes: [Change]) throws {
    for change in changes { try inner.commit([change]) }
  }
}

final class NeedsFile: Wrapper {
  override class var summary: String { "cannot be opened where there is no file" }

  required init(opening environment: StoreEnvironment) throws {
    guard FileManager.default.fileExists(atPath: environment.path("store.plist")) else {
      throw StoreError.failed("there is no file")
    }
    try super.init(opening: environment)
  }
}

final class StartsAnew: Wrapper {
  override class var summary: String { "replaces a file that it cannot read by an empty store" }

  required init(opening environment: StoreEnvironment) throws {
    do {
      super.init(try Self.inner.init(opening: environment))
    } catch StoreError.damaged {
      try FileManager.default.removeItem(atPath: environment.path("store.plist"))
      super.init(try Self.inner.init(opening: environment))
    }
  }
}

final class WritesAtClose: Wrapper {
  override class var summary: String { "writes what was committed when it is closed" }
  private var pending: [Change] = []

  override func commit(_ changes: [Change]) throws { pending += changes }

  override func close() throws {
    try inner.commit(pending)
    try inner.close()
  }
}

final class NeverFails: Wrapper {
  override class var summary: String { "acknowledges commits that failed" }

  override func commit(_ changes: [Change]) throws { try? inner.commit(changes) }
}

final class DropsSaves: Wrapper {
  override class var summary: String { "does not do every 1,000th commit" }
  private var commits = 0

  override func commit(_ changes: [Change]) throws {
    commits += 1
    if commits % 1_000 != 0 { try inner.commit(changes) }
  }
}

final class Litters: Wrapper {
  override class var summary: String { "keeps a log in the directory for temporary files" }

  override func commit(_ changes: [Change]) throws {
    let log = FileManager.default.temporaryDirectory.appendingPathComponent("litter.log")
    try Data("\(changes.count) changes\n".utf8).write(to: log)
    try inner.commit(changes)
  }
}

final class LeaksMemory: Wrapper {
  override class var summary: String { "allocates in each commit and never frees" }

  override func commit(_ changes: [Change]) throws {
    _ = UnsafeMutableRawPointer.allocate(byteCount: 100, alignment: 8)
    try inner.commit(changes)
  }
}

final class LeaksDescriptors: Wrapper {
  override class var summary: String { "opens a file in every hundredth commit and never closes it" }
  private var commits = 0

  override func commit(_ changes: [Change]) throws {
    commits += 1
    if commits % 100 == 0 { _ = open("/dev/null", O_RDONLY) }
    try inner.commit(changes)
  }
}
