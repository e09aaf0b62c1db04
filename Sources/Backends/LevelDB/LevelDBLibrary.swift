import CStorageLMDB

extension LevelDBLibrary {
  /// The functions of LevelDB, loaded at the first access. Nil if the library or a function is missing.
  static let installed = storage_leveldb_load()?.pointee

  static var file: String? {
    installed.flatMap { SharedObject.file(of: unsafeBitCast($0.open, to: UnsafeRawPointer.self)) }
  }

  static var missing: String? { installed == nil ? "install libleveldb1d" : nil }

  var version: String { "LevelDB \(major_version()).\(minor_version())" }

  func property(_ name: String, of database: OpaquePointer) -> String? {
    guard let text = property_value(database, name) else { return nil }
    defer { free(text) }
    return String(cString: text)
  }
}
