import Foundation
import StorageContract

// Backends whose system calls cannot give the promised level.

final class NeverSyncs: Wrapper {
  override class var summary: String { "promises to be durable without a sync" }

  required init(opening environment: StoreEnvironment) throws { super.init(try Self.open(environment, .crash)) }

  override class func promise(_ durability: Durability, _ options: Options) -> Promise { .level(.durable) }
}

/// A backend that promises durable saves, and syncs a file that it has not written in every commit.
final class SyncsAnother: Wrapper {
  override class var summary: String { "promises to be durable and syncs the wrong file" }
  private let another: FileHandle

  required init(opening environment: StoreEnvironment) throws {
    let store = try Self.open(environment, .crash)
    let path = environment.path("another")
    if !FileManager.default.fileExists(atPath: path) { try Data("nothing".utf8).write(to: URL(fileURLWithPath: path)) }
    another = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    super.init(store)
  }

  override class func promise(_ durability: Durability, _ options: Options) -> Promise { .level(.durable) }

  override func commit(_ changes: [Change]) throws {
    try inner.commit(changes)
    try another.synchronize()
  }

  override func close() throws {
    try another.close()
    try inner.close()
  }
}

final class RenamesUnsynced: Wrapper {
  override class var summary: String { "promises to be intact and syncs after the rename" }
  private let path: String

  required init(opening environment: StoreEnvironment) throws {
    path = environment.path("store.plist")
    super.init(try Self.open(environment, .crash))
  }

  override class func promise(_ durability: Durability, _ options: Options) -> Promise {
    durability == .durable ? .unavailable("a power cut may undo the last rename") : .level(.intact)
  }

  override func commit(_ changes: [Change]) throws {
    try inner.commit(changes)
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    try file.synchronize()
    try file.close()
  }
}

final class ForgetsDirectory: Wrapper {
  override class var summary: String { "promises to be durable and does not sync the directory" }

  required init(opening environment: StoreEnvironment) throws { super.init(try Self.open(environment, .intact)) }

  override class func promise(_ durability: Durability, _ options: Options) -> Promise { .level(.durable) }
}

extension Wrapper {
  /// Opens the real store at another durability.
  fileprivate static func open(
    _ environment: StoreEnvironment, _ durability: Durability
  ) throws -> any StorageBackend {
    var environment = environment
    environment.durability = durability
    return try inner.init(opening: environment)
  }
}
