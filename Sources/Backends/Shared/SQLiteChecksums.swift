import Foundation
import GRDBSQLite
import StorageContract

/// SQLite's checksum extension, cksumvfs: a layer below the linked library that adds a checksum to each page, and
/// verifies it whenever the page is read from a file.
///
/// Source: sqlite.org/cksumvfs.html.
enum SQLiteChecksums {
  static let option = OptionSpec(
    "checksums", ["no", "yes"],
    help: "a checksum of each page, by SQLite's extension cksumvfs, which scripts/install engines fetches")

  /// The name of the virtual file system (VFS) that the extension registers.
  static let fileSystem = "cksmvfs"

  /// The reason why the extension cksumvfs cannot be used; nil if it can. The first use of this property loads it.
  static let obstacle: String? = load()

  private static func load() -> String? {
    let file = "\(EngineDirectory.path)/cksumvfs.so"
    guard let handle = dlopen(file, RTLD_NOW | RTLD_LOCAL), let symbol = dlsym(handle, "sqlite3_cksumvfs_init") else {
      return "checksums=yes needs SQLite's extension cksumvfs, which is not at \(file); run scripts/install engines"
    }
    let entryPoint = unsafeBitCast(symbol, to: (@convention(c) () -> Void).self)
    let usual = sqlite3_vfs_find(nil)
    // Opening a connection calls the entry point, which registers the VFS and then ends the opening with the code that
    // keeps an extension loaded.
    _ = sqlite3_auto_extension(entryPoint)
    var connection: OpaquePointer?
    _ = sqlite3_open_v2(":memory:", &connection, SQLITE_OPEN_READWRITE, nil)
    _ = sqlite3_close(connection)
    _ = sqlite3_cancel_auto_extension(entryPoint)
    // The extension makes its VFS the default, which other connections of this process must not use.
    _ = sqlite3_vfs_register(usual, 1)
    return sqlite3_vfs_find(fileSystem) == nil ? "the linked SQLite cannot load \(file); leave out checksums=yes" : nil
  }

  /// Reserves the last eight bytes of each page of a new database for its checksum.
  static func reserve(_ connection: OpaquePointer) {
    var bytes: Int32 = 8
    _ = sqlite3_file_control(connection, nil, SQLITE_FCNTL_RESERVE_BYTES, &bytes)
  }
}
