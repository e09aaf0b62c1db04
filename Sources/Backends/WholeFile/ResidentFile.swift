import Foundation
import StorageContract

/// Turns the collections of a store into the bytes of one file and back.
protocol WholeFileCodec {
  /// Returns the file's bytes for collections whose records are in key order.
  func encode(_ collections: [(name: String, records: [Record])]) throws -> Data
  /// Returns the collections of a file; those that are missing come back empty.
  ///
  /// - Throws: ``StoreError/damaged(_:)``.
  func decode(_ data: Data, _ names: [String]) throws -> [[Record]]
}

/// The file behind a ``ResidentFile``, and how commits get into it.
protocol RecordFile {
  /// The settings while it was written, as a row shows them.
  var settings: String { get }
  /// Returns the content of the file. Empty tables if there is none.
  func load() throws -> RecordTables
  /// Saves changes that the tables hold already.
  ///
  /// - Throws: ``StoreError``; the file then holds what it held before, as far as its way of writing allows.
  func save(_ changes: [Change], in tables: inout RecordTables) throws
  /// Makes the file's name as safe as its content.
  func syncDirectory() throws
  /// Saves what the tables held before a commit whose name could not be made safe.
  func putBack(_ tables: inout RecordTables)
  /// Closes the file.
  func close()
}

/// The storage of an ``EncodedFile``.
protocol WholeValue {
  /// Returns the stored bytes. Nil if there are none.
  func read() throws -> Data?
  /// Puts other bytes in its place. What was there stays if it throws.
  func replace(with data: Data) throws
  /// Makes the last replacement survive a power cut, where that is promised and not yet done.
  func syncDirectory() throws
  /// The way it is written, as a row shows it.
  var settings: String { get }
}

extension WholeFile: WholeValue {
  var settings: String { rewriting.settings }
}

/// A file, or one value in a file, that is encoded and written whole by every commit.
struct EncodedFile: RecordFile {
  let file: any WholeValue
  let codec: any WholeFileCodec
  let collections: [String]

  var settings: String { file.settings }

  func load() throws -> RecordTables {
    guard let data = try file.read() else { return RecordTables(count: collections.count) }
    let lists = try codec.decode(data, collections)
    return try RecordTables(zip(lists, collections).map { try RecordTable($0, in: $1) })
  }

  func save(_ changes: [Change], in tables: inout RecordTables) throws {
    try file.replace(with: encoded(&tables))
  }

  func syncDirectory() throws { try file.syncDirectory() }

  /// The new file is in place already: the old content goes back, as far as the disk still lets us.
  func putBack(_ tables: inout RecordTables) { try? file.replace(with: encoded(&tables)) }

  func close() {}

  private func encoded(_ tables: inout RecordTables) throws -> Data {
    do {
      return try codec.encode(Array(zip(collections, tables.sortedRecords())).map { ($0, $1) })
    } catch let error as StoreError {
      throw error
    } catch {
      throw StoreError.failed("the records cannot be encoded: \(error.localizedDescription)")
    }
  }
}

/// A store that is one file: loaded when opened, read from memory, saved by each commit.
///
/// Not resident, it loads the file for every operation and keeps nothing.
final class ResidentFile {
  private let file: any RecordFile
  private let collections: Int
  private let isResident: Bool
  private var tables: RecordTables

  /// Opens a file, which need not exist.
  ///
  /// - Throws: ``StoreError`` if it is there and cannot be decoded.
  init(_ file: any RecordFile, collections: Int, isResident: Bool = true) throws {
    self.file = file
    self.collections = collections
    self.isResident = isResident
    tables = RecordTables(count: collections)
    // Loaded in any case: what is not a store must be told when it is opened.
    let loaded = try file.load()
    if isResident { tables = loaded }
  }

  /// Opens a file that is written whole.
  convenience init(file: some WholeValue, codec: any WholeFileCodec, collections: [String], isResident: Bool) throws {
    try self.init(
      EncodedFile(file: file, codec: codec, collections: collections), collections: collections.count,
      isResident: isResident)
  }

  var settings: String { "\(file.settings) resident=\(isResident ? "yes" : "no")" }

  func commit(_ changes: [Change]) throws {
    guard !changes.isEmpty else { return }
    if !isResident { tables = try file.load() }
    defer { if !isResident { tables = RecordTables(count: collections) } }
    let undo = try tables.apply(changes)
    do {
      try file.save(changes, in: &tables)
    } catch {
      tables.revert(undo)
      throw error
    }
    do {
      try file.syncDirectory()
    } catch {
      tables.revert(undo)
      file.putBack(&tables)
      throw error
    }
  }

  func record(_ key: Int64, in collection: CollectionID) throws -> Record? {
    try isResident ? tables.record(key, in: collection) : file.load().record(key, in: collection)
  }

  func records(_ keys: ClosedRange<Int64>, in collection: CollectionID) throws -> [Record] {
    if isResident { return try tables.records(keys, in: collection) }
    var loaded = try file.load()
    return try loaded.records(keys, in: collection)
  }

  func scan(
    _ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool
  ) throws {
    var loaded: RecordTables?
    if !isResident { loaded = try file.load() }
    // The snapshot ends the access to `tables` before the body runs, which may commit.
    let (keys, records) =
      try loaded?.snapshot(keys, in: collection) ?? tables.snapshot(keys, in: collection)
    for key in keys {
      guard let record = records[key] else { continue }
      guard try record.withView(body) else { return }
    }
  }

  func count(in collection: CollectionID) throws -> Int {
    try isResident ? tables.count(in: collection) : file.load().count(in: collection)
  }

  func close() { file.close() }
}

/// A backend that is a ``ResidentFile``: it brings the format, and gets the rest from here.
protocol WholeFileBackend: StorageBackend {
  var store: ResidentFile { get }
}

extension WholeFileBackend {
  func commit(_ changes: [Change]) throws { try store.commit(changes) }

  func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
    guard let record = try store.record(key, in: collection) else { return false }
    try record.withView(body)
    return true
  }

  func scan(
    _ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool
  ) throws {
    try store.scan(keys, in: collection, body)
  }

  func count(in collection: CollectionID) throws -> Int { try store.count(in: collection) }

  func record(_ key: Int64, in collection: CollectionID) throws -> Record? {
    try store.record(key, in: collection)
  }

  func records(_ keys: ClosedRange<Int64>, in collection: CollectionID) throws -> [Record] {
    try store.records(keys, in: collection)
  }

  func close() throws { store.close() }
}

/// The options that whole-file backends share.
enum WholeFileOptions {
  static let atomic = OptionSpec(
    "atomic", ["yes", "no"], help: "write beside the file and rename, or empty it and write in place")
  static let resident = OptionSpec(
    "resident", ["yes", "no"], help: "decode once and keep in memory, or decode for every operation")
}

/// The engine of the backends that are Foundation itself.
///
/// Foundation has no version to ask for on Linux: it comes with the toolchain, whose version is known at compile time.
enum FoundationVersion {
  static var text: String {
    #if compiler(>=6.5)
      "Foundation of Swift 6.5 or later"
    #elseif compiler(>=6.4)
      "Foundation of Swift 6.4"
    #elseif compiler(>=6.3)
      "Foundation of Swift 6.3"
    #else
      "Foundation of Swift 6.2"
    #endif
  }

  /// Whether it is another one than Apple's.
  static let isPort: Bool = {
    #if canImport(Darwin)
      false
    #else
      true
    #endif
  }()

  /// Returns a format's name for readers, with the platform if the engine is not Apple's.
  static func name(_ format: String) -> String { isPort ? "\(format) (Linux)" : format }
}
