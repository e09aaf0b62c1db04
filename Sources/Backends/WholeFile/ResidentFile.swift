import Foundation
import StorageContract

/// A codec that converts all records of a store to the content of one file and back.
protocol WholeFileCodec {
  /// The name of the file in the store's directory, such as `store.json`.
  var file: String { get set }
  /// The properties of the format for the settings of the store, each after a space, as in ` format=xml`.
  var settings: String { get }
  /// Returns the content of a file with these collections. The records of each collection must be in key order.
  func encode(_ collections: [(name: String, records: [Record])]) throws -> Data
  /// Returns one array of records for each collection in `names`, empty if missing. Throws ``StoreError/damaged(_:)``
  /// for another format.
  func decode(_ data: Data, _ names: [String]) throws -> [[Record]]
}

extension WholeFileCodec {
  /// Returns one array of records for each collection in `names`, empty if the collection is not in `root`. Throws an
  /// error if `root` has a collection that is not in `names`.
  func lists(_ root: [String: [Record]], _ names: [String]) throws -> [[Record]] {
    if let unknown = root.keys.first(where: { !names.contains($0) }) { throw WholeFile.unnamed(unknown, in: file) }
    return names.map { root[$0] ?? [] }
  }

  /// Returns the content of a file with one array of records for each collection. Throws only ``StoreError``.
  func encoded(_ lists: [[Record]], of collections: [String]) throws -> Data {
    do {
      return try encode(Array(zip(collections, lists)).map { ($0, $1) })
    } catch let error as StoreError {
      throw error
    } catch {
      throw StoreError.failed("the records cannot be encoded: \(error.localizedDescription)")
    }
  }
}

/// A storage for all records of a store: one file, several files or a value in UserDefaults.
protocol RecordFile {
  var settings: String { get }
  func load() throws -> RecordTables
  /// Saves the changes of a commit. `tables` contains all records after the commit. An error leaves the old content,
  /// unless the file is written in place.
  func save(_ changes: [Change], in tables: inout RecordTables) throws
  func syncDirectory() throws
  /// Restores the stored records after ``syncDirectory()`` has failed. `tables` contains the records from before the
  /// last save.
  func putBack(_ tables: inout RecordTables)
  func close()
}

extension RecordFile {
  func syncDirectory() {}
  func putBack(_ tables: inout RecordTables) {}
  func close() {}
}

/// One file with all records of a store. Every commit rewrites all records.
struct EncodedFile: RecordFile {
  let file: WholeFile
  let codec: any WholeFileCodec
  let collections: [String]

  var settings: String { file.rewriting.settings }

  func load() throws -> RecordTables {
    guard let data = try file.read() else { return RecordTables(count: collections.count) }
    return try RecordTables(codec.decode(data, collections), collections)
  }

  func save(_ changes: [Change], in tables: inout RecordTables) throws {
    try file.replace(with: codec.encoded(tables.sortedRecords(), of: collections))
  }

  func syncDirectory() throws { try file.syncDirectory() }

  func putBack(_ tables: inout RecordTables) { try? save([], in: &tables) }
}

/// A store that keeps all its records in memory (`resident=yes`), or loads them from its file for each operation
/// (`resident=no`). Backends that are subclasses differ only in the format of the file.
class ResidentFile {
  private let file: any RecordFile
  private let codec: (any WholeFileCodec)?
  private let collections: Int
  private let isResident: Bool
  private var tables: RecordTables
  /// The writer that delays the writes of the store. Nil if writes are not delayed.
  let debouncer: Debouncer?

  init(
    _ file: any RecordFile, collections: Int, isResident: Bool = true, debouncer: Debouncer? = nil,
    codec: (any WholeFileCodec)? = nil
  ) throws {
    self.file = file
    self.codec = codec
    self.collections = collections
    self.isResident = isResident
    self.debouncer = debouncer
    tables = RecordTables(count: collections)
    // The file is loaded even if it is not kept in memory, because opening must fail if the file is not a store.
    let loaded = try file.load()
    if isResident { tables = loaded }
    debouncer?.write { [weak self] in
      guard let self else { return {} }
      let file = self.file
      var snapshot = tables
      return {
        try file.save([], in: &snapshot)
        try file.syncDirectory()
      }
    }
  }

  convenience init(_ codec: any WholeFileCodec, _ environment: StoreEnvironment) throws {
    let options = environment.options
    let rewriting = Rewriting(environment.durability, options)
    let file: any RecordFile =
      try WholeFileOptions.isSplit(options)
      ? SplitFile(codec, rewriting, environment)
      : EncodedFile(
        file: WholeFile(path: environment.path(codec.file), rewriting: rewriting), codec: codec,
        collections: environment.collections)
    try self.init(
      file, collections: environment.collections.count, isResident: options[WholeFileOptions.resident] == "yes",
      debouncer: Debouncer(environment), codec: codec)
  }

  class func promise(_ durability: Durability, _ options: Options) -> Promise {
    WholeFileOptions.delayedPromise(durability, options) ?? Rewriting.promise(durability, options)
  }

  var settings: String {
    "\(file.settings) resident=\(isResident ? "yes" : "no")" + (debouncer?.settings ?? "") + (codec?.settings ?? "")
  }

  func commit(_ changes: [Change]) throws {
    guard !changes.isEmpty else { return }
    if let debouncer { return try debouncer.change { _ = try tables.apply(changes) } }
    if !isResident { tables = try file.load() }
    defer { if !isResident { tables = RecordTables(count: collections) } }
    let undo = try tables.apply(changes)
    var isSaved = false
    do {
      try file.save(changes, in: &tables)
      isSaved = true
      try file.syncDirectory()
    } catch {
      tables.revert(undo)
      if isSaved { file.putBack(&tables) }
      throw error
    }
  }

  func record(_ key: Int64, in collection: CollectionID) throws -> Record? {
    try reading { try $0.record(key, in: collection) }
  }

  func records(_ keys: ClosedRange<Int64>, in collection: CollectionID) throws -> [Record] {
    try reading { try $0.records(keys, in: collection) }
  }

  func scan(_ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool) throws {
    // The snapshot ends the access to `tables` before the body runs, because the body may commit.
    let (keys, records) = try reading { try $0.snapshot(keys, in: collection) }
    for key in keys {
      guard let record = records[key] else { continue }
      guard try record.withView(body) else { return }
    }
  }

  func count(in collection: CollectionID) throws -> Int { try reading { try $0.count(in: collection) } }

  private func reading<Result>(_ body: (inout RecordTables) throws -> Result) throws -> Result {
    guard isResident else {
      var loaded = try file.load()
      return try body(&loaded)
    }
    guard let debouncer else { return try body(&tables) }
    return try debouncer.read { try body(&tables) }
  }

  func settle() throws { try debouncer?.flush() }

  func close() throws {
    defer { file.close() }
    try debouncer?.flush()
  }
}

enum WholeFileOptions {
  static let all = [atomic, resident, split, write, every]
  /// The first part of ``BackendDescription/safety`` for backends without a checksum. Each backend appends the end of
  /// the sentence.
  static let safety = """
    Every save writes every record of a file; at shipped, a power cut can undo the last saves, but leaves a whole \
    file, or with split=16 some files of later saves than others; there is no checksum
    """

  static let atomic = OptionSpec(
    "atomic", ["yes", "no"], help: "write a new file and rename it, or empty the file and write in place")
  static let resident = OptionSpec(
    "resident", ["yes", "no"],
    help: "decode the file once and keep the records in memory, or decode it for every operation")

  static let split = OptionSpec(
    "split", ["1", "16"],
    help: "one file with all records, or 16 files by key, of which a commit writes those whose records it changes")

  static let write = OptionSpec(
    "write", ["commit", "debounced"],
    help: "write in each commit, or change only the memory and write in the background, at most once per every=")
  static let every = OptionSpec(
    "every", .duration("1s"), help: "with write=debounced, the time from the first unwritten change to the write")

  /// Returns the safety level of a store with delayed writes, or a refusal if options conflict. Nil if no option for
  /// delayed writes is set.
  static func delayedPromise(_ durability: Durability, _ options: Options) -> Promise? {
    guard options[write] == "debounced" else {
      return options.names.contains(every.name)
        ? .unavailable("every= has an effect only with write=debounced") : nil
    }
    if options[resident] == "no" {
      return .unavailable("write=debounced keeps the records in memory; leave resident=no out")
    }
    if isSplit(options) { return .unavailable("write=debounced is made for one file; leave split=16 out") }
    return durability == .shipped
      ? .level(.volatile) : .unavailable("write=debounced acknowledges a save before it is written")
  }

  static func isSplit(_ options: Options) -> Bool { options[split] != split.defaultValue }

  /// Returns one line of example code for saving a file. `encoding` is the code that encodes the records. Nil if the
  /// options or the durability need other code.
  static func code(_ encoding: String, _ options: Options, _ durability: Durability) -> String? {
    guard options.without(resident).isEmpty, durability != .crash else { return nil }
    let saving = "\(encoding).write(to: url, options: .atomic)"
    guard durability == .durable else { return saving }
    return "\(saving); try FileHandle(forReadingFrom: folder).synchronize()"
  }
}

/// The version of Foundation, derived from the compiler's version, because Foundation on Linux reports no version.
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

  static func name(_ format: String) -> String {
    #if canImport(Darwin)
      format
    #else
      "\(format) (Linux)"
    #endif
  }
}
