import Foundation
import GRDBSQLite
import StorageContract

/// SQLite's extension cksumvfs (sqlite.org/cksumvfs.html), which stores a checksum in each page and verifies the
/// checksum at each read.
enum SQLiteChecksums {
  static let option = OptionSpec(
    "checksums", ["no", "yes"],
    help: "a checksum of each page, by SQLite's extension cksumvfs, which scripts/install engines fetches")

  /// The name of the virtual file system (VFS) that SQLite's extension cksumvfs registers.
  static let fileSystem = "cksmvfs"

  /// The reason why the extension cksumvfs cannot be used; nil if the extension is usable. The first access loads the
  /// extension.
  static let obstacle: String? = load()

  private static func load() -> String? {
    let file = "\(EngineDirectory.path)/cksumvfs.so"
    guard let handle = dlopen(file, RTLD_NOW | RTLD_LOCAL), let symbol = dlsym(handle, "sqlite3_cksumvfs_init") else {
      return "checksums=yes needs SQLite's extension cksumvfs, which is not at \(file); run scripts/install engines"
    }
    let entryPoint = unsafeBitCast(symbol, to: (@convention(c) () -> Void).self)
    let usual = sqlite3_vfs_find(nil)
    // Opening a connection calls the entry point, which registers the virtual file system (VFS) of the extension.
    _ = sqlite3_auto_extension(entryPoint)
    var connection: OpaquePointer?
    _ = sqlite3_open_v2(":memory:", &connection, SQLITE_OPEN_READWRITE, nil)
    _ = sqlite3_close(connection)
    _ = sqlite3_cancel_auto_extension(entryPoint)
    // The extension makes its virtual file system (VFS) the default, which other connections of this process must not
    // use.
    _ = sqlite3_vfs_register(usual, 1)
    return sqlite3_vfs_find(fileSystem) == nil ? "the linked SQLite cannot load \(file); leave out checksums=yes" : nil
  }

  /// Reserves the last eight bytes of each page for a checksum, in a new database.
  static func reserve(_ connection: OpaquePointer) {
    var bytes: Int32 = 8
    _ = sqlite3_file_control(connection, nil, SQLITE_FCNTL_RESERVE_BYTES, &bytes)
  }
}
