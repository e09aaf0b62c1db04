import CStorageLMDB
import Foundation
import StorageContract
import Synchronization

/// A loader of SQLite libraries other than the one linked to this program. The flag DT_SYMBOLIC keeps a loaded library
/// from calling the linked library.
enum SQLiteLoader {
  struct Failure: Error, CustomStringConvertible {
    let description: String
    /// Whether the user's options are wrong, such as the path of a file that is no SQLite library. If false, a library
    /// is missing or damaged.
    let isMistake: Bool

    init(_ description: String, isMistake: Bool) { (self.description, self.isMistake) = (description, isMistake) }
  }

  /// The SQLite libraries loaded so far, or the errors of failed attempts, by the value of the option `library`.
  private static let loaded = Mutex<[String: Result<SQLiteLibrary, Failure>]>([:])

  /// Returns the SQLite library with a name, such as `sqlcipher`, or with a file path. Loads the library at the first
  /// call.
  static func library(_ name: String) throws(Failure) -> SQLiteLibrary {
    try loaded.withLock { loaded in
      if let known = loaded[name] { return known }
      let result = Result { () throws(Failure) in try load(name) }
      loaded[name] = result
      return result
    }.get()
  }

  private static func load(_ name: String) throws(Failure) -> SQLiteLibrary {
    let isPath = name.contains("/")
    guard let file = isPath ? name : files(of: name).first(where: FileManager.default.fileExists) else {
      throw Failure("library=\(name) is not installed; run scripts/install engines", isMistake: false)
    }
    func unusable(_ complaint: String) -> Failure {
      isPath
        ? Failure("library=\(name) \(complaint); give the path of an SQLite library", isMistake: true)
        : Failure("\(file) \(complaint); remove it, then run scripts/install engines", isMistake: false)
    }
    guard let object = SharedObject(file) else { throw unusable("cannot be read") }
    guard let symbolic = object.symbolic else {
      throw unusable("is not a shared library that can be loaded beside the linked SQLite")
    }
    // The file in memory is never closed, so that each library has a unique path.
    let descriptor = storage_memory_file(symbolic, symbolic.count)
    guard descriptor >= 0 else { throw unusable("cannot be copied to memory") }
    let copy = "/proc/self/fd/\(descriptor)"
    // The library sqlite3mc, from a Python wheel, uses functions of libm without naming libm.
    _ = dlopen("libm.so.6", RTLD_NOW | RTLD_GLOBAL)
    // With RTLD_DEEPBIND instead of DT_SYMBOLIC, calls of the C library could not be counted.
    guard let handle = dlopen(copy, RTLD_NOW | RTLD_LOCAL) else {
      let reason = dlerror().map { String(cString: $0).replacing("\(copy): ", with: "") } ?? "unknown"
      throw unusable("cannot be loaded (\(reason))")
    }
    let calls = UnsafeMutablePointer<SQLiteCalls>.allocate(capacity: 1)
    if let missing = storage_sqlite_find(calls, handle) {
      throw unusable("lacks the function \(String(cString: missing))")
    }
    let isMultiple = dlsym(handle, "sqlite3mc_version") != nil
    let encryption: SQLiteEncryption? =
      isMultiple ? .multipleCiphers : calls.pointee.compileoption_used("HAS_CODEC") == 1 ? .sqlcipher : nil
    return SQLiteLibrary(calls, file: file, encryption: encryption)
  }

  /// Returns the paths at which an SQLite library may be installed, in the order of the search.
  private static func files(of name: String) -> [String] {
    let own = "\(EngineDirectory.path)/lib\(name).so"
    guard name == "sqlcipher" else { return [own] }
    #if arch(arm64)
      let architecture = "aarch64"
    #else
      let architecture = "x86_64"
    #endif
    let directories = ["/usr/local/lib", "/usr/lib/\(architecture)-linux-gnu", "/usr/lib64", "/usr/lib"]
    return [own] + directories.flatMap { directory in ["1", "0"].map { "\(directory)/libsqlcipher.so.\($0)" } }
  }
}
