import Foundation
import StorageContract
import Synchronization

/// A loader of SQLite libraries other than the linked one. It loads a copy in memory with the flag DT_SYMBOLIC. Without
/// the flag, the library would call functions of the linked library, and the process would crash.
enum SQLiteLoader {
  struct Failure: Error, CustomStringConvertible {
    let description: String
    /// Whether this error is a mistake of the user, such as naming an unusable library. If false, the user must install
    /// an SQLite library, or install the library again.
    let isMistake: Bool

    init(_ description: String, isMistake: Bool) { (self.description, self.isMistake) = (description, isMistake) }
  }

  /// The SQLite libraries loaded so far, or the errors of failed attempts, by the value of the option `library`.
  private static let loaded = Mutex<[String: Result<SQLiteLibrary, Failure>]>([:])

  /// Returns the SQLite library with a name, such as `sqlcipher`, or with the path of its file. Loads the library at
  /// the first call.
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
    guard let copy = memoryFile(symbolic) else { throw unusable("cannot be copied to memory") }
    // The library in the wheel uses functions of libm, but does not name libm.
    _ = dlopen("libm.so.6", RTLD_NOW | RTLD_GLOBAL)
    // With RTLD_DEEPBIND instead of DT_SYMBOLIC, calls of the C library could not be counted.
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

  /// Returns the paths at which an SQLite library with this name is searched for, in the order of the search.
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

  /// Creates a file in memory, and returns its path, such as `/proc/self/fd/5`; nil on an error. The file stays open,
  /// so that each file has a different path. For a known path, dlopen would return the earlier library.
  private static func memoryFile(_ content: [UInt8]) -> String? {
    // Swift does not import memfd_create and its flag MFD_CLOEXEC.
    typealias Create = @convention(c) (UnsafePointer<CChar>, UInt32) -> Int32
    guard let create = dlsym(nil, "memfd_create").map({ unsafeBitCast($0, to: Create.self) }) else { return nil }
    let descriptor = create("sqlite-library", 1)
    guard descriptor >= 0 else { return nil }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
    guard (try? file.write(contentsOf: content)) != nil else {
      close(descriptor)
      return nil
    }
    return "/proc/self/fd/\(descriptor)"
  }
}
