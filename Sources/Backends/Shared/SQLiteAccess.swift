import Foundation
import GRDBSQLite
import StorageContract

/// The SQLite libraries that can encrypt a database. They differ in the syntax of a raw key of 32 bytes. With a wrong
/// syntax, a library would use the text as a passphrase.
enum SQLiteEncryption {
  case multipleCiphers
  case sqlcipher

  fileprivate func key(_ form: String) -> String {
    // The key need not be secret, because benchmarks store no secrets.
    let digits = (0..<32).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    return switch (form, self) {
    case ("raw", .multipleCiphers): "'raw:\(digits)'"
    case ("raw", .sqlcipher): "\"x'\(digits)'\""
    default: "'the passphrase of a benchmark'"
    }
  }

  fileprivate var shownPragmas: [String] { [self == .sqlcipher ? "cipher_version" : "cipher", "kdf_iter"] }
}

/// The access to a database of the backend `sqlite`: the SQLite library, and the encryption key if there is one.
struct SQLiteAccess: Sendable {
  static let libraryOption = OptionSpec(
    "library", .choiceOrPath(["linked", "sqlite3mc", "sqlcipher"]),
    help: "the SQLite library: the linked one, one that scripts/install engines fetches, or the file of another")
  static let keyOption = OptionSpec(
    "cipher-key", ["none", "raw", "passphrase"],
    help: "encrypt the database with a key of 32 bytes, or with a key that is derived from a passphrase")

  static let options = [libraryOption, keyOption, SQLiteChecksums.option]

  static let linked = SQLiteAccess(library: .linked, key: nil, hasChecksums: false)

  let library: SQLiteLibrary
  /// The PRAGMA statements that pass the encryption key to a new connection, or nil without encryption.
  let key: String?
  let hasChecksums: Bool

  private init(library: SQLiteLibrary, key: String?, hasChecksums: Bool) {
    (self.library, self.key, self.hasChecksums) = (library, key, hasChecksums)
  }

  /// Finds or loads the SQLite library that the options select. Throws ``SQLiteLoader/Failure`` if the library cannot
  /// be used.
  init(_ options: Options) throws {
    let name = options[Self.libraryOption]
    hasChecksums = options[SQLiteChecksums.option] == "yes"
    if hasChecksums {
      guard name == Self.libraryOption.defaultValue else {
        throw SQLiteLoader.Failure(
          "checksums=yes works only with the default SQLite library; leave out library=\(name)", isMistake: true)
      }
      if let obstacle = SQLiteChecksums.obstacle { throw SQLiteLoader.Failure(obstacle, isMistake: false) }
    }
    library = name == Self.libraryOption.defaultValue ? .linked : try SQLiteLoader.library(name)
    guard Self.isEncrypted(options) else {
      key = nil
      return
    }
    let form = options[Self.keyOption]
    guard let encryption = library.encryption else {
      throw SQLiteLoader.Failure(
        "cipher-key=\(form) needs a library with encryption; add library=sqlite3mc or library=sqlcipher",
        isMistake: true)
    }
    // SQLCipher ignores page_size in an encrypted database, and the default of version 3 is 1,024 bytes.
    let size = encryption == .sqlcipher ? "; PRAGMA cipher_page_size=\(options[SQLiteFile.page])" : ""
    key = "PRAGMA key=\(encryption.key(form))\(size)"
  }

  /// Returns the linked library's file name without a version, `libsqlite3.so`, or nil if the options select another
  /// library.
  @Sendable
  static func libraryName(_ options: Options) -> String? {
    options[libraryOption] == libraryOption.defaultValue ? SQLiteLibrary.linkedName : nil
  }

  static func isEncrypted(_ options: Options) -> Bool { options[keyOption] != keyOption.defaultValue }

  /// Returns an error message if the selected SQLite library has a version before 3.`minor`, and nil otherwise. The
  /// message names the missing `feature`.
  static func age(_ options: Options, before minor: Int, _ feature: String) -> String? {
    guard let library = try? SQLiteAccess(options).library,
      library.calls.pointee.libversion_number() < Int32(3_000_000 + minor * 1_000)
    else { return nil }
    return "\(library.version) has no \(feature), which version 3.\(minor) brought"
  }

  /// The name of the virtual file system (VFS) with which SQLite opens the database, or nil for the library's default.
  var fileSystem: String? {
    // The VFS `unix` avoids the encryption layer of SQLite3 Multiple Ciphers, which costs time even without a key.
    if hasChecksums { return SQLiteChecksums.fileSystem }
    return library.isLinked || key != nil ? nil : "unix"
  }

  /// The properties of the SQLite library, such as `checksums=cksumvfs`, for the store settings in a report.
  var settings: [String] { library.settings + (hasChecksums ? ["checksums=cksumvfs"] : []) }

  /// Returns the names of the PRAGMAs whose values a report shows, such as `journal_mode`.
  func shownPragmas(_ options: Options) -> [String] {
    SQLiteFile.shownPragmas(options) + (key == nil ? [] : library.encryption?.shownPragmas ?? [])
  }

  /// Returns a description of the selected SQLite library, or the reason why the library cannot be loaded. With default
  /// options, returns nil.
  @Sendable
  static func loaded(_ options: Options) -> LoadedEngine? {
    guard Self.options.contains(where: { options[$0] != $0.defaultValue }) else { return nil }
    do {
      let library = try SQLiteAccess(options).library
      return LoadedEngine(
        version: library.fullVersion, compileOptions: library.compileOptions, origin: library.file,
        knownDefect: library.knownDefect)
    } catch {
      let isMistake = (error as? SQLiteLoader.Failure)?.isMistake == true
      return LoadedEngine(obstacle: "\(error)", isMistake: isMistake)
    }
  }
}

/// SQLite's extension cksumvfs (sqlite.org/cksumvfs.html), which stores and verifies a checksum of each page.
enum SQLiteChecksums {
  static let option = OptionSpec(
    "checksums", ["no", "yes"],
    help: "a checksum of each page, by SQLite's extension cksumvfs, which scripts/install engines fetches")

  /// The name of the virtual file system (VFS) that SQLite's extension cksumvfs registers.
  static let fileSystem = "cksmvfs"

  /// The reason why the extension cannot be used, or nil. The first access loads the extension.
  static let obstacle: String? = {
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
    // The extension makes its VFS the default, which other connections of this process must not use.
    _ = sqlite3_vfs_register(usual, 1)
    return sqlite3_vfs_find(fileSystem) == nil ? "the linked SQLite cannot load \(file); leave out checksums=yes" : nil
  }()

  /// Reserves the last eight bytes of each page for a checksum, in a new database.
  static func reserve(_ connection: OpaquePointer) {
    var bytes: Int32 = 8
    _ = sqlite3_file_control(connection, nil, SQLITE_FCNTL_RESERVE_BYTES, &bytes)
  }
}
