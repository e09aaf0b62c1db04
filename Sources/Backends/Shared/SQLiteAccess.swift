import GRDBSQLite
import StorageContract

/// The SQLite libraries that can encrypt a database. They differ in the syntax of a raw key, which is given as bytes
/// and not as a passphrase. In the wrong syntax, the key's text would silently be used as a passphrase.
enum SQLiteEncryption {
  case multipleCiphers
  case sqlcipher

  fileprivate func key(_ form: String) -> String {
    // The keys are public, because nothing is kept secret here.
    let digits = (0..<32).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    return switch (form, self) {
    case ("raw", .multipleCiphers): "'raw:\(digits)'"
    case ("raw", .sqlcipher): "\"x'\(digits)'\""
    default: "'the passphrase of a benchmark'"
    }
  }

  fileprivate var shownPragmas: [String] {
    switch self {
    case .multipleCiphers: ["cipher", "kdf_iter"]
    case .sqlcipher: ["cipher_version", "kdf_iter"]
    }
  }
}

/// The library that opens a database of the backend `sqlite`, and the key for it.
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
  /// The statements that pass the key to a new connection, or nil without encryption.
  let key: String?
  let hasChecksums: Bool

  private init(library: SQLiteLibrary, key: String?, hasChecksums: Bool) {
    (self.library, self.key, self.hasChecksums) = (library, key, hasChecksums)
  }

  /// Finds the library that the options name, and loads it at the first use.
  ///
  /// - Throws: ``SQLiteLoader/Failure``.
  init(_ options: Options) throws {
    let name = options[Self.libraryOption]
    hasChecksums = options[SQLiteChecksums.option] == "yes"
    if hasChecksums {
      guard name == Self.libraryOption.defaultValue else {
        throw SQLiteLoader.Failure("checksums=yes needs the linked library; leave out library=\(name)", isMistake: true)
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

  /// Returns the beginning of the linked library's file name, or nil if the options select another library, which is
  /// loaded from a copy in memory.
  @Sendable
  static func libraryName(_ options: Options) -> String? {
    options[libraryOption] == libraryOption.defaultValue ? SQLiteLibrary.linkedName : nil
  }

  static func isEncrypted(_ options: Options) -> Bool { options[keyOption] != keyOption.defaultValue }

  /// Returns an error message if the library that the options select is older than version 3.`minor`, which introduced
  /// a feature. Otherwise, returns nil.
  static func age(_ options: Options, before minor: Int, _ feature: String) -> String? {
    guard let library = try? SQLiteAccess(options).library,
      library.calls.pointee.versionNumber() < Int32(3_000_000 + minor * 1_000)
    else { return nil }
    return "\(library.version) has no \(feature), which version 3.\(minor) brought"
  }

  /// The name of SQLite's virtual file system (VFS), or nil for the library's default. The default VFS of SQLite3
  /// Multiple Ciphers is a layer for encryption, which costs time also without a key.
  var fileSystem: String? {
    if hasChecksums { return SQLiteChecksums.fileSystem }
    return library.isLinked || key != nil ? nil : "unix"
  }

  /// The words about the library and its layers that reports list among the store's settings.
  var settings: [String] { library.settings + (hasChecksums ? ["checksums=cksumvfs"] : []) }

  /// Returns the names of the pragmas whose values appear among the store's settings in a report, including those of
  /// the encryption.
  func shownPragmas(_ options: Options) -> [String] {
    SQLiteFile.shownPragmas(options) + (key == nil ? [] : library.encryption?.shownPragmas ?? [])
  }

  /// Returns a description of the SQLite library that the options select: its properties, or the reason why it cannot
  /// be loaded. Returns nil if the options select the linked library alone.
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
