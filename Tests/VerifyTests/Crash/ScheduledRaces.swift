import Foundation
import StorageBackends
import StorageContract

@testable import MisbehavingBench

// Backends that claim to isolate two processes, and that only some schedules prove wrong.

/// A backend whose processes read its file again for each block, and exclude each other in a wrong way.
protocol Rereading: Wrapper, Sharing {
  static var hasLock: Bool { get }
  static func write<Result>(_ body: (any StoreTransaction) throws -> Result, to store: RereadStore) throws -> Result
}

extension Rereading {
  static var hasLock: Bool { false }

  static func openAmongProcesses(_ environment: StoreEnvironment, _ way: SharingWay) throws -> ProcessShare {
    ProcessShare(try RereadStore(Self.self, environment), losesNothing: true)
  }
}

// Sendable only formally, because it stays on the thread that opened it.
final class RereadStore: SharedStore, @unchecked Sendable {
  let environment: StoreEnvironment
  let lock: FileLock?
  /// The version after the last save of this process.
  var own: ino_t = 0
  private let type: any Rereading.Type

  init(_ type: any Rereading.Type, _ environment: StoreEnvironment) throws {
    (self.type, self.environment) = (type, environment)
    lock = type.hasLock ? try FileLock(at: environment.path("turns")) : nil
    own = version
  }

  var settings: String { "" }
  func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result {
    try Capability.emulatedSharing(opening: environment, as: Wrapper.inner, .documented).store.read(body)
  }
  func write<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
    try type.write(body, to: self)
  }
  func settle() {}
  func close() {}

  /// Reads the file, and returns a store that saves into it without a lock.
  func reread(at durability: Durability? = nil) throws -> any SharedStore {
    var environment = environment
    environment.durability = durability ?? environment.durability
    return try Capability.emulatedSharing(opening: environment, as: Wrapper.inner, .naive).store
  }

  /// The number of the file with the content, which each save replaces.
  var version: ino_t {
    var status = stat()
    return stat(environment.path("store.plist"), &status) == 0 ? status.st_ino : 0
  }

  var lockFile: String { environment.path("locked") }

  /// Makes the lock file. Throws if another process has it.
  func takeLockFile() throws {
    let descriptor = open(lockFile, O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw StoreError.busy("another process has the lock file") }
    Foundation.close(descriptor)
  }
}

/// A backend that reads its file before it takes the lock.
final class LocksLate: Wrapper, Rereading {
  override class var summary: String { "takes its lock after the file was read" }
  static let hasLock = true

  static func write<Result>(_ body: (any StoreTransaction) throws -> Result, to store: RereadStore) throws -> Result {
    let share = try store.reread()
    return try store.lock!.exclusively { try share.write(body) }
  }
}

/// A backend that leaves its lock file behind if another process has changed the store before the lock was taken.
final class StaysLocked: Wrapper, Rereading {
  override class var summary: String { "does not remove its lock file after a conflict" }

  static func write<Result>(_ body: (any StoreTransaction) throws -> Result, to store: RereadStore) throws -> Result {
    let before = store.version
    let share = try store.reread()
    try store.takeLockFile()
    guard store.version == before else { throw StoreError.conflict("the file was changed") }
    defer { unlink(store.lockFile) }
    return try share.write(body)
  }
}

/// A backend whose lock is a file, which it always removes, unless its process is killed.
final class LocksByFile: Wrapper, Rereading {
  override class var summary: String { "waits for the lock file of a killed process" }

  static func write<Result>(_ body: (any StoreTransaction) throws -> Result, to store: RereadStore) throws -> Result {
    try store.takeLockFile()
    defer { unlink(store.lockFile) }
    return try store.reread().write(body)
  }
}

/// A backend that removes the lock file of another process after some time, as if that process had died.
final class BreaksLocks: Wrapper, Rereading {
  override class var summary: String { "takes a lock file away from a slow process" }

  static func write<Result>(_ body: (any StoreTransaction) throws -> Result, to store: RereadStore) throws -> Result {
    for wait in 0...5 {
      if wait == 5 { unlink(store.lockFile) }
      if (try? store.takeLockFile()) != nil { break }
      usleep(1_000)
    }
    defer { unlink(store.lockFile) }
    return try store.reread().write(body)
  }
}

/// A backend that does not sync a save if another process has saved since its own last save.
final class TrustsOthers: Wrapper, Rereading {
  override class var summary: String { "syncs no save that follows one of another process" }
  static let hasLock = true

  override class func promise(_ durability: Durability, _ options: Options) -> Promise {
    inner.promise(durability, options)
  }

  static func write<Result>(_ body: (any StoreTransaction) throws -> Result, to store: RereadStore) throws -> Result {
    try store.lock!.exclusively {
      let share = try store.reread(at: store.version == store.own ? nil : .crash)
      defer { store.own = store.version }
      return try share.write(body)
    }
  }
}

/// A backend that makes each change of a save visible at once.
final class SavesPiecemeal: Wrapper, Sharing {
  override class var summary: String { "shows other processes half of a save" }

  static func openAmongProcesses(_ environment: StoreEnvironment, _ way: SharingWay) throws -> ProcessShare {
    let share = try Capability.emulatedSharing(opening: environment, as: inner, .documented).store
    return ProcessShare(Piecemeal(shared: share), losesNothing: true)
  }

  /// A store that is its own transaction, which makes each change visible at once, and whose reads each see a state of
  /// another moment.
  private struct Piecemeal: SharedStore, StoreTransaction {
    let shared: any SharedStore

    var settings: String { shared.settings }
    func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result { try body(self) }
    func write<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result { try body(self) }
    func settle() throws { try shared.settle() }
    func close() throws { try shared.close() }

    func apply(_ change: Change) throws {
      try shared.write { try $0.apply(change) }
      usleep(500)
    }

    func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
      try shared.read { try $0.read(key, in: collection, body) }
    }

    func scan(_ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool) throws {
      try shared.read { try $0.scan(keys, in: collection, body) }
    }

    func count(in collection: CollectionID) throws -> Int { try shared.read { try $0.count(in: collection) } }
  }
}

/// A backend of two files: saves go to a log, which a checkpoint moves to the other file. Readers read that file first.
final class IgnoresReaders: Wrapper, Scheduled {
  override class var summary: String { "empties its log below a reader" }
  private static let log = Backends.all.first { $0.description.id == "json" } ?? inner

  private let environment: StoreEnvironment
  private let writers: FileLock

  required init(opening environment: StoreEnvironment) throws {
    self.environment = environment
    writers = try FileLock(at: environment.path("writers"))
    try super.init(opening: environment)
  }

  override func commit(_ changes: [Change]) throws {
    try writers.exclusively {
      let isPutting = changes.allSatisfy { !$0.isDelete }
      if !isPutting { try moveLog() }
      try with(isPutting ? Self.log : Self.inner) { try $0.commit(changes) }
    }
  }

  override func scan(
    _ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool
  ) throws {
    var records: [Int64: Record] = [:]
    for type in [Self.inner, Self.log] {
      for record in try with(type, { try $0.records(keys, in: collection) }) { records[record.id] = record }
    }
    for record in records.values.sorted(by: { $0.id < $1.id }) {
      guard try record.withView(body) else { return }
    }
  }

  override func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
    var isFound = false
    try scan(key...key, in: collection) {
      try body($0)
      isFound = true
      return false
    }
    return isFound
  }

  static func busyOptions(_ options: Options) -> Options { options }
  func checkpoint() throws { try writers.exclusively(moveLog) }
  func findDamage() -> String? { nil }

  private func moveLog() throws {
    try with(Self.log) { log in
      for index in environment.collections.indices {
        let records = try log.records(.all, in: CollectionID(index))
        guard !records.isEmpty else { continue }
        try with(Self.inner) { try $0.commit(records.map { .put($0, in: CollectionID(index)) }) }
        try log.commit(records.map { .delete($0.id, in: CollectionID(index)) })
      }
    }
  }

  private func with<Result>(
    _ type: any StorageBackend.Type, _ body: (any StorageBackend) throws -> Result
  ) throws -> Result {
    let store = try type.init(opening: environment)
    let result = try body(store)
    try store.close()
    return result
  }
}
