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
}
