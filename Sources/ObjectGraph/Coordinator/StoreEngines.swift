import Foundation

enum StoreEngines {
  /// Opens a store, or creates an empty one if its file does not exist.
  static func open(
    _ type: StoreType, at url: URL?, _ model: ManagedObjectModel, _ options: StoreOptions
  ) throws -> any StoreEngine {
    if let url, type != .inMemory { try StoreLocation(url: url).check(mustExist: false) }
    switch type {
    case .sqlite:
      guard let url else { throw ObjectGraphError.store(file: "sqlite", "a store of this type needs a file") }
      return try SQLiteStore(at: url, model, options)
    case .binary, .xml, .inMemory: return try AtomicStore(at: url, type, model, options)
    }
  }

  static func model(of type: StoreType, at url: URL) throws -> ManagedObjectModel {
    guard type != .inMemory else {
      throw ObjectGraphError.store(
        file: url.lastPathComponent, "a store in memory has no file to read its model from; give the type of the file")
    }
    try StoreLocation(url: url).check(mustExist: true)
    guard type != .sqlite else { return try SQLiteStore.model(at: url) }
    var file = AtomicStoreFile(at: url, type)
    guard let contents = try file.load() else {
      throw ObjectGraphError.cannotOpen(file: file.name, "there is no such file")
    }
    return contents.model
  }
}
