import Foundation
import StorageContract

/// The functions of LevelDB's C interface that the backend `leveldb` calls, loaded at run time.
struct LevelDBLibrary: @unchecked Sendable {
  // The structure is Sendable because function pointers are constants.

  typealias Failure = StoreError.Text
  typealias Bytes = UnsafeRawPointer?
  typealias Create = @convention(c) () -> OpaquePointer
  typealias Use = @convention(c) (OpaquePointer) -> Void
  typealias Switch = @convention(c) (OpaquePointer, UInt8) -> Void

  let open: @convention(c) (OpaquePointer, UnsafePointer<CChar>, Failure) -> OpaquePointer? = function("open")
  let close: Use = function("close")
  let write: @convention(c) (OpaquePointer, OpaquePointer, OpaquePointer, Failure) -> Void = function("write")
  let compactRange: @convention(c) (OpaquePointer, Bytes, Int, Bytes, Int) -> Void = function("compact_range")

  let get:
    @convention(c) (OpaquePointer, OpaquePointer, Bytes, Int, UnsafeMutablePointer<Int>, Failure)
      -> UnsafeMutableRawPointer? = function("get")
  let free: @convention(c) (UnsafeMutableRawPointer?) -> Void = function("free")

  private let propertyValue: @convention(c) (OpaquePointer, UnsafePointer<CChar>) -> UnsafeMutablePointer<CChar>? =
    function("property_value")

  let makeIterator: @convention(c) (OpaquePointer, OpaquePointer) -> OpaquePointer = function("create_iterator")
  let seek: @convention(c) (OpaquePointer, Bytes, Int) -> Void = function("iter_seek")
  let isValid: @convention(c) (OpaquePointer) -> UInt8 = function("iter_valid")
  let next: Use = function("iter_next")
  let key: @convention(c) (OpaquePointer, UnsafeMutablePointer<Int>) -> UnsafeRawPointer? = function("iter_key")
  let value: @convention(c) (OpaquePointer, UnsafeMutablePointer<Int>) -> UnsafeRawPointer? = function("iter_value")
  let iteratorError: @convention(c) (OpaquePointer, Failure) -> Void = function("iter_get_error")
  let endIterator: Use = function("iter_destroy")

  let makeBatch: Create = function("writebatch_create")
  let put: @convention(c) (OpaquePointer, Bytes, Int, Bytes, Int) -> Void = function("writebatch_put")
  let delete: @convention(c) (OpaquePointer, Bytes, Int) -> Void = function("writebatch_delete")
  let clearBatch: Use = function("writebatch_clear")
  let endBatch: Use = function("writebatch_destroy")

  let makeOptions: Create = function("options_create")
  let setCreateIfMissing: Switch = function("options_set_create_if_missing")
  let setCompression: @convention(c) (OpaquePointer, Int32) -> Void = function("options_set_compression")
  let setFilter: @convention(c) (OpaquePointer, OpaquePointer) -> Void = function("options_set_filter_policy")
  let makeBloomFilter: @convention(c) (_ bitsPerKey: Int32) -> OpaquePointer = function("filterpolicy_create_bloom")
  let endFilter: Use = function("filterpolicy_destroy")
  let setCache: @convention(c) (OpaquePointer, OpaquePointer) -> Void = function("options_set_cache")
  let makeCache: @convention(c) (_ bytes: Int) -> OpaquePointer = function("cache_create_lru")
  let endCache: Use = function("cache_destroy")
  let endOptions: Use = function("options_destroy")
  let makeReadOptions: Create = function("readoptions_create")
  let setVerifyChecksums: Switch = function("readoptions_set_verify_checksums")
  let endReadOptions: Use = function("readoptions_destroy")
  let makeWriteOptions: Create = function("writeoptions_create")
  let setSync: Switch = function("writeoptions_set_sync")
  let endWriteOptions: Use = function("writeoptions_destroy")

  private let major: @convention(c) () -> Int32 = function("major_version")
  private let minor: @convention(c) () -> Int32 = function("minor_version")

  var version: String { "LevelDB \(major()).\(minor())" }

  private static let library = SharedLibrary([["libleveldb.so.1d", "libleveldb.so.1"]])

  private static func function<Function>(_ name: String) -> Function { library.function("leveldb_\(name)") }

  private init() {}

  static let installed: LevelDBLibrary? = {
    let functions = LevelDBLibrary()
    return library.isComplete ? functions : nil
  }()

  static var file: String? { installed == nil ? nil : library.file(of: "leveldb_open") }

  static var missing: String? { installed == nil ? "install libleveldb1d" : nil }

  func property(_ name: String, of database: OpaquePointer) -> String? {
    guard let text = propertyValue(database, name) else { return nil }
    defer { free(text) }
    return String(cString: text)
  }
}
