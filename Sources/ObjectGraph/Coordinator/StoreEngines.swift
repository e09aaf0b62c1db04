import Foundation

/// Which engine keeps which type of store.
enum StoreEngines {
  /// Opens a store, or makes an empty one where there is none.
  ///
  /// - Throws: ``ObjectGraphError``.
  static func open(
    _ type: StoreType, at url: URL?, _ model: ManagedObjectModel, _ options: StoreOptions
  ) throws -> any StoreEngine {
    if let url, type != .inMemory { try StoreLocation(url: url).check(mustExist: options.isReadOnly) }
    switch type {
    case .sqlite:
      guard let url else { throw ObjectGraphError.store(file: "sqlite", "a store of this type needs a file") }
      return try SQLiteStore(at: url, model, options)
    case .binary, .xml, .inMemory: return try AtomicStore(at: url, type, model, options)
    }
  }

  /// What a file says about the store that it is.
  ///
  /// - Throws: ``ObjectGraphError``.
  static func metadata(_ type: StoreType, at url: URL) throws -> PersistentStoreMetadata {
    switch type {
    case .sqlite: return try SQLiteStore.metadata(at: url)
    case .inMemory:
      throw ObjectGraphError.store(file: url.lastPathComponent, "a store in memory has no file to read metadata from")
    case .binary, .xml: break
    }
    try StoreLocation(url: url).check(mustExist: true)
    var file = AtomicStoreFile(at: url, type)
    guard let contents = try file.load() else {
      throw ObjectGraphError.cannotOpen(file: file.name, "there is no such file")
    }
    return PersistentStoreMetadata(contents.identifier, type, contents.model)
  }
}
