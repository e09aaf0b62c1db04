import Foundation
import StorageContract

/// The required functions of LevelDB's C interface, loaded at run time: everything else works without the library.
struct LevelDBLibrary: @unchecked Sendable {
  // Sendable because function pointers are constants.

  typealias Failure = StoreError.Text
  typealias Bytes = UnsafeRawPointer?
  typealias Create = @convention(c) () -> OpaquePointer
  typealias Use = @convention(c) (OpaquePointer) -> Void
  typealias Switch = @convention(c) (OpaquePointer, UInt8) -> Void

  let open: @convention(c) (OpaquePointer, UnsafePointer<CChar>, Failure) -> OpaquePointer?
  let close: Use
  let write: @convention(c) (OpaquePointer, OpaquePointer, OpaquePointer, Failure) -> Void
  let compactRange: @convention(c) (OpaquePointer, Bytes, Int, Bytes, Int) -> Void

  let get:
    @convention(c) (OpaquePointer, OpaquePointer, Bytes, Int, UnsafeMutablePointer<Int>, Failure)
      -> UnsafeMutableRawPointer?
  let free: @convention(c) (UnsafeMutableRawPointer?) -> Void

  private let propertyValue: @convention(c) (OpaquePointer, UnsafePointer<CChar>) -> UnsafeMutablePointer<CChar>?

  let makeIterator: @convention(c) (OpaquePointer, OpaquePointer) -> OpaquePointer
  let seek: @convention(c) (OpaquePointer, Bytes, Int) -> Void
  let isValid: @convention(c) (OpaquePointer) -> UInt8
  let next: Use
  let key: @convention(c) (OpaquePointer, UnsafeMutablePointer<Int>) -> UnsafeRawPointer?
  let value: @convention(c) (OpaquePointer, UnsafeMutablePointer<Int>) -> UnsafeRawPointer?
  let iteratorError: @convention(c) (OpaquePointer, Failure) -> Void
  let endIterator: Use

  let makeBatch: Create
  let put: @convention(c) (OpaquePointer, Bytes, Int, Bytes, Int) -> Void
  let delete: @convention(c) (OpaquePointer, Bytes, Int) -> Void
  let clearBatch: Use
  let endBatch: Use

  let makeOptions: Create
  let setCreateIfMissing: Switch
  let setCompression: @convention(c) (OpaquePointer, Int32) -> Void
  let setFilter: @convention(c) (OpaquePointer, OpaquePointer) -> Void
  let makeBloomFilter: @convention(c) (_ bitsPerKey: Int32) -> OpaquePointer
  let endFilter: Use
  let endOptions: Use
  let makeReadOptions: Create
  let setVerifyChecksums: Switch
  let endReadOptions: Use
  let makeWriteOptions: Create
  let setSync: Switch
  let endWriteOptions: Use

  /// The name and version, such as `LevelDB 1.23`.
  let version: String

  /// The library; nil if it is not installed.
  static let installed = try? LevelDBLibrary()

  /// The installation hint; nil if the library is installed.
  static var missing: String? { installed == nil ? "install libleveldb1d" : nil }

  private struct Absent: Error {}

  private init() throws {
    // The name of the library in Debian, then elsewhere.
    let flags = RTLD_NOW | RTLD_LOCAL
    guard let handle = dlopen("libleveldb.so.1d", flags) ?? dlopen("libleveldb.so.1", flags) else { throw Absent() }
    func function<Function>(_ name: String) throws -> Function {
      guard let address = dlsym(handle, "leveldb_\(name)") else { throw Absent() }
      return unsafeBitCast(address, to: Function.self)
    }
    open = try function("open")
    close = try function("close")
    write = try function("write")
    compactRange = try function("compact_range")
    get = try function("get")
    propertyValue = try function("property_value")
    free = try function("free")
    makeIterator = try function("create_iterator")
    seek = try function("iter_seek")
    isValid = try function("iter_valid")
    next = try function("iter_next")
    key = try function("iter_key")
    value = try function("iter_value")
    iteratorError = try function("iter_get_error")
    endIterator = try function("iter_destroy")
    makeBatch = try function("writebatch_create")
    put = try function("writebatch_put")
    delete = try function("writebatch_delete")
    clearBatch = try function("writebatch_clear")
    endBatch = try function("writebatch_destroy")
    makeOptions = try function("options_create")
    setCreateIfMissing = try function("options_set_create_if_missing")
    setCompression = try function("options_set_compression")
    setFilter = try function("options_set_filter_policy")
    makeBloomFilter = try function("filterpolicy_create_bloom")
    endFilter = try function("filterpolicy_destroy")
    endOptions = try function("options_destroy")
    makeReadOptions = try function("readoptions_create")
    setVerifyChecksums = try function("readoptions_set_verify_checksums")
    endReadOptions = try function("readoptions_destroy")
    makeWriteOptions = try function("writeoptions_create")
    setSync = try function("writeoptions_set_sync")
    endWriteOptions = try function("writeoptions_destroy")
    let (major, minor): (@convention(c) () -> Int32, @convention(c) () -> Int32)
    major = try function("major_version")
    minor = try function("minor_version")
    version = "LevelDB \(major()).\(minor())"
  }

  /// Returns a property of a database, or nil if it does not exist.
  func property(_ name: String, of database: OpaquePointer) -> String? {
    guard let text = propertyValue(database, name) else { return nil }
    defer { free(text) }
    return String(cString: text)
  }
}
