import Foundation
import StorageContract
import Synchronization

/// A loader of SQLite libraries other than the linked one.
///
/// A loaded library has functions with the same names as the linked library. If its file were loaded unchanged, the
/// calls inside the library would bind to the linked library, and the process would crash. Therefore a copy in memory
/// is loaded, in which the flag DT_SYMBOLIC is set. The library's calls of the C library still bind as usual, so that
/// they are counted. (RTLD_DEEPBIND would bypass the counters.)
enum SQLiteLoader {
  struct Failure: Error, CustomStringConvertible {
    let description: String
    /// Whether the user has named an unusable library or key. If false, a library must be installed, or installed
    /// again.
    let isMistake: Bool

    init(_ description: String, isMistake: Bool) { (self.description, self.isMistake) = (description, isMistake) }
  }

  /// The libraries loaded so far, and the failures, by the value of the option `library`.
  private static let loaded = Mutex<[String: Result<SQLiteLibrary, Failure>]>([:])

  /// Returns the library for a value of the option `library`, which must not be `linked`. Loads it at the first call.
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
      throw Failure("run scripts/install engines", isMistake: false)
    }
    func unusable(_ complaint: String) -> Failure {
      isPath
        ? Failure("library=\(name) \(complaint); give the path of an SQLite library", isMistake: true)
        : Failure("\(file) \(complaint); remove it, then run scripts/install engines", isMistake: false)
    }
    guard let object = SharedObject(file) else { throw unusable("cannot be read") }
    guard let symbolic = object.symbolic else {
      throw unusable("is no shared library that can be loaded beside the linked SQLite")
    }
    guard let copy = memoryFile(symbolic) else { throw unusable("cannot be copied to memory") }
    // The library in the wheel uses functions of libm, but does not name libm.
    _ = dlopen("libm.so.6", RTLD_NOW | RTLD_GLOBAL)
    guard let handle = dlopen(copy, RTLD_NOW | RTLD_LOCAL) else {
      let reason = dlerror().map { String(cString: $0).replacing("\(copy): ", with: "") } ?? "unknown"
      throw unusable("cannot be loaded (\(reason))")
    }
    var missing: [String] = []
    let calls = SQLiteCalls(
      { name in
        // If the library lacks the function, one of the same name in a library that it needs is found.
        let found = dlsym(handle, name)
        return found == dlsym(nil, name) ? nil : found
      }, missing: &missing)
    if let first = missing.first { throw unusable("lacks the function \(first)") }
    let isMultiple = dlsym(handle, "sqlite3mc_version") != nil
    let encryption: SQLiteEncryption? =
      isMultiple ? .multipleCiphers : calls.isCompiled("HAS_CODEC") == 1 ? .sqlcipher : nil
    return SQLiteLibrary(calls, file: file, encryption: encryption)
  }

  /// Returns the paths of the files that may contain a library, in the order of the search.
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

  /// Writes a file that exists only in memory, and returns its path. The file stays open, so that the next file gets
  /// another path. With the same path, dlopen would return the earlier library.
  private static func memoryFile(_ content: [UInt8]) -> String? {
    // Swift does not import memfd_create and its flag MFD_CLOEXEC.
    typealias Create = @convention(c) (UnsafePointer<CChar>, UInt32) -> Int32
    guard let create = dlsym(nil, "memfd_create").map({ unsafeBitCast($0, to: Create.self) }) else { return nil }
    let descriptor = create("sqlite-library", 1)
    guard descriptor >= 0 else { return nil }
    var written = 0
    while written < content.count {
      let count = content.withUnsafeBytes { write(descriptor, $0.baseAddress! + written, content.count - written) }
      guard count > 0 else {
        close(descriptor)
        return nil
      }
      written += count
    }
    return "/proc/self/fd/\(descriptor)"
  }
}
