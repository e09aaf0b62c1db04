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
    case .binary: return try AtomicStore(at: url, BinaryFormat(), model, options)
    case .xml: return try AtomicStore(at: url, XMLFormat(), model, options)
    case .inMemory: return try AtomicStore(at: nil, nil, model, options)
    }
  }

  /// What a file says about the store that it is.
  ///
  /// - Throws: ``ObjectGraphError``.
  static func metadata(_ type: StoreType, at url: URL) throws -> PersistentStoreMetadata {
    let format: any AtomicFormat
    switch type {
    case .sqlite: return try SQLiteStore.metadata(at: url)
    case .binary: format = BinaryFormat()
    case .xml: format = XMLFormat()
    case .inMemory:
      throw ObjectGraphError.store(file: url.lastPathComponent, "a store in memory has no file to read metadata from")
    }
    try StoreLocation(url: url).check(mustExist: true)
    var file = StoreFile(AtomicStoreFile(at: url), format)
    guard let contents = try file.load() else {
      throw ObjectGraphError.cannotOpen(file: file.name, "there is no such file")
    }
    return PersistentStoreMetadata(contents.identifier, type, contents.model)
  }
}
