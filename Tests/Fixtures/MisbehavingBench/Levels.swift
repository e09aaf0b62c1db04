import Foundation
import StorageContract

// Backends whose system calls cannot give the promised level.

final class NeverSyncs: Wrapper {
  static let description = describe("never-syncs", "promises to be durable without a sync")
  let inner: any StorageBackend

  init(_ inner: any StorageBackend) { self.inner = inner }

  init(opening environment: StoreEnvironment) throws { inner = try Self.openUnsynced(environment) }

  static func promise(_ durability: Durability, _ options: Options) -> Promise { .level(.durable) }
}

/// A backend that promises durable saves, and syncs a file that it has not written in every commit.
final class SyncsAnother: Wrapper {
  static let description = describe("syncs-another", "promises to be durable and syncs the wrong file")
  let inner: any StorageBackend
  private let another: FileHandle

  init(_ inner: any StorageBackend) { fatalError("it needs a place for its other file") }

  init(opening environment: StoreEnvironment) throws {
    inner = try Self.openUnsynced(environment)
    let path = environment.path("another")
    if !FileManager.default.fileExists(atPath: path) { try Data("nothing".utf8).write(to: URL(fileURLWithPath: path)) }
    another = try FileHandle(forUpdating: URL(fileURLWithPath: path))
  }

  static func promise(_ durability: Durability, _ options: Options) -> Promise { .level(.durable) }

  func commit(_ changes: [Change]) throws {
    try inner.commit(changes)
    try another.synchronize()
  }

  func close() throws {
    try another.close()
    try inner.close()
  }
}

/// A backend that promises an intact store, and syncs its file only after the rename.
final class RenamesUnsynced: Wrapper {
  static let description = describe("renames-unsynced", "promises to be intact and syncs after the rename")
  let inner: any StorageBackend
  private let path: String

  init(_ inner: any StorageBackend) { fatalError("it needs to know its file") }

  init(opening environment: StoreEnvironment) throws {
    inner = try Self.openUnsynced(environment)
    path = environment.path("store.plist")
  }

  static func promise(_ durability: Durability, _ options: Options) -> Promise {
    durability == .durable ? .unavailable("a power cut may undo the last rename") : .level(.intact)
  }

  func commit(_ changes: [Change]) throws {
    try inner.commit(changes)
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    try file.synchronize()
    try file.close()
  }
}

/// A backend that promises durable saves, and does not sync the new name of the file.
final class ForgetsDirectory: Wrapper {
  static let description = describe("forgets-directory", "promises to be durable and does not sync the directory")
  let inner: any StorageBackend

  init(_ inner: any StorageBackend) { self.inner = inner }

  init(opening environment: StoreEnvironment) throws {
    var environment = environment
    environment.durability = .intact
    inner = try Self.inner.init(opening: environment)
  }

  static func promise(_ durability: Durability, _ options: Options) -> Promise { .level(.durable) }
}

extension Wrapper {
  /// Opens the real store without syncs.
  fileprivate static func openUnsynced(_ environment: StoreEnvironment) throws -> any StorageBackend {
    var environment = environment
    environment.durability = .crash
    return try inner.init(opening: environment)
  }
}
