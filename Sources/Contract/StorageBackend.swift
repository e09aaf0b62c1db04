/// A storage engine to measure, with blocking methods. Only one thread may use an instance.
public protocol StorageBackend: AnyObject, SendableMetatype {
  /// The description of the backend: its id, options and engine, and one sentence about the data that can be lost.
  static var description: BackendDescription { get }

  /// Returns the safety level that the backend promises if a user requests `durability`, or a refusal with its reason.
  static func promise(_ durability: Durability, _ options: Options) -> Promise

  /// Opens the store in the environment's directory, or creates an empty store.
  ///
  /// - Throws: ``StoreError`` if a store exists and cannot be opened; the store is not changed.
  init(opening environment: StoreEnvironment) throws

  /// The settings that the engine uses for the open store, such as `journal_mode=wal synchronous=2`.
  var settings: String { get }

  /// Applies all changes in order, or none, with the promised safety ``Level``. Deleting an absent key does nothing.
  ///
  /// - Throws: ``StoreError``; the store is then unchanged.
  func commit(_ changes: [Change]) throws

  /// Passes the records in a range of keys to `body`, in key order, until `body` returns false. The closure may read
  /// from the store; its errors are thrown unchanged.
  func scan(_ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool) throws

  /// Closes the store and all its files. No member of the backend may be called afterwards.
  func close() throws

  // The following members have default implementations.

  /// Passes the record with the key to the closure `body`. The default implementation scans one key.
  ///
  /// - Returns: Whether a record has the key. If not, the closure is not called.
  func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool

  /// Returns the number of records in a collection. The default implementation scans all records.
  func count(in collection: CollectionID) throws -> Int

  /// Returns the record with the key, or nil if no record has the key. The default implementation calls
  /// ``read(_:in:_:)``.
  func record(_ key: Int64, in collection: CollectionID) throws -> Record?

  /// Returns the records in a range of keys, in key order. The default implementation calls ``scan(_:in:_:)``.
  func records(_ keys: ClosedRange<Int64>, in collection: CollectionID) throws -> [Record]

  /// Performs postponed work, such as a checkpoint. A trial calls this method before ``close()``, so that the work is
  /// counted.
  func settle() throws

  /// Creates a store with the given records, as the start of a measurement. The files must be the same as if
  /// ``commit(_:)`` had stored the records.
  static func writeFixture(_ records: [Record], in environment: StoreEnvironment) throws
}

extension StorageBackend {
  @inlinable
  public func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
    var isThere = false
    try scan(key...key, in: collection) { view in
      isThere = true
      try body(view)
      return false
    }
    return isThere
  }

  @inlinable
  public func count(in collection: CollectionID) throws -> Int {
    var count = 0
    try scan(.all, in: collection) { _ in
      count += 1
      return true
    }
    return count
  }

  public func record(_ key: Int64, in collection: CollectionID) throws -> Record? {
    var found: Record?
    _ = try read(key, in: collection) { found = $0.record() }
    return found
  }

  public func records(_ keys: ClosedRange<Int64>, in collection: CollectionID) throws -> [Record] {
    try collect { try scan(keys, in: collection, $0) }
  }

  public func settle() throws {}

  public static func writeFixture(_ records: [Record], in environment: StoreEnvironment) throws {
    let store = try Self(opening: environment)
    try store.commit(records.map { .put($0) })
    try store.settle()
    try store.close()
  }

  /// Returns the changes that will undo `changes`: they restore the records that are now in the store. Call this method
  /// before committing `changes`.
  ///
  /// - Throws: ``StoreError``.
  public func undoing(_ changes: [Change]) throws -> [Change] {
    try changes.map { change in
      let (key, collection) = (change.record.id, change.collection)
      return try record(key, in: collection).map { .put($0, in: collection) } ?? .delete(key, in: collection)
    }
  }
}

extension ClosedRange<Int64> {
  /// The range of all record keys, from the least to the greatest 64-bit integer.
  public static var all: Self { .min ... .max }
}

/// The identity of a collection: its index in ``StoreEnvironment/collections``. Calls for a missing collection throw
/// ``StoreError/failed(_:)``.
public struct CollectionID: Hashable, Sendable {
  /// The index of the collection, from 0.
  public let index: Int

  /// Creates the identity of the collection with the given index, from 0, in the store's list of collections.
  @inlinable public init(_ index: Int) { self.index = index }

  /// The first collection of a store. Most workloads use only this collection.
  @inlinable public static var records: CollectionID { CollectionID(0) }

  /// Returns the collection's index if it is less than `count`, the number of collections in the store.
  ///
  /// - Throws: ``StoreError/failed(_:)`` if the index is too large.
  @inlinable @inline(__always)
  public func checked(_ count: Int) throws -> Int {
    guard UInt(bitPattern: index) < UInt(bitPattern: count) else { throw absent(count) }
    return index
  }

  @usableFromInline @inline(never)
  func absent(_ count: Int) -> StoreError {
    .failed("there is no collection \(index): the store was opened with \(count)")
  }
}

/// One change in a commit: a record to store or to remove. Unlike with an enumeration, reading the record makes no
/// copy.
public struct Change: Sendable {
  /// A change as an enumeration: storing or removing a record.
  public enum Action: Sendable {
    /// The change that stores the record and replaces any record with the same key.
    case put(Record, in: CollectionID)
    /// The change that removes the record with the key, if such a record exists.
    case delete(Int64, in: CollectionID)
  }

  /// Whether the change removes the record; otherwise the change stores it.
  public let isDelete: Bool
  /// The collection of the changed record.
  public let collection: CollectionID
  /// The record to store. A change that removes a record uses only the record's id.
  public let record: Record

  @inlinable
  init(isDelete: Bool, collection: CollectionID, record: Record) {
    self.isDelete = isDelete
    self.collection = collection
    self.record = record
  }

  /// Returns a change that stores a record and replaces any record with the same key.
  @inlinable
  public static func put(_ record: Record, in collection: CollectionID = .records) -> Change {
    Change(isDelete: false, collection: collection, record: record)
  }

  /// Returns a change that removes the record with a key, if such a record exists.
  @inlinable
  public static func delete(_ key: Int64, in collection: CollectionID = .records) -> Change {
    let empty = Record(id: key, name: "", group: "", score: 0, modified: 0, payload: [])
    return Change(isDelete: true, collection: collection, record: empty)
  }

  /// The change as an enumeration, for use in a `switch`.
  @inlinable
  public var action: Action { isDelete ? .delete(record.id, in: collection) : .put(record, in: collection) }
}

extension UnsafePointer<Change> {
  /// A pointer to the record inside a change, for reading the record without a copy.
  @inlinable
  public var record: UnsafePointer<Record> {
    // A stored property always has an offset.
    let offset = MemoryLayout<Change>.offset(of: \Change.record).unsafelyUnwrapped
    return (UnsafeRawPointer(self) + offset).assumingMemoryBound(to: Record.self)
  }
}

/// The layout of an engine's store: pages, one file that is written as a whole, or memory.
public enum EngineKind: String, Sendable, Codable {
  /// The kind of engine that stores pages. A change writes only a few of the pages.
  case page
  /// The kind of engine that stores one file. Every save writes the whole file.
  case wholeFile
  /// The kind of engine that keeps the store only in memory and writes no files.
  case memory
}

/// The access of an engine to its files through a memory mapping (mmap), whose bytes a benchmark run cannot count.
public enum MappedAccess: String, Sendable, Codable {
  /// No memory mapping. The engine reads and writes by system calls, whose bytes a benchmark run can count.
  case none
  /// A memory mapping for reading only. A benchmark run can count the bytes written, but not the bytes read.
  case reads
  /// A memory mapping for reading and writing. A benchmark run cannot count the bytes read or written.
  case readsAndWrites
}

/// The description of a backend, for the `list` command and for reports.
public struct BackendDescription: Sendable {
  /// The backend's name on the command line, such as `sqlite`.
  public var id: String
  /// The backend's name, color and marker in reports.
  public var appearance: Appearance
  /// A summary of the backend in a few words, such as its file format, for the `list` command.
  public var summary: String
  /// One sentence for users about the data that can be lost, such as recent saves after a power cut.
  public var safety: String
  /// The backend's deviations from the promises of ``StorageBackend``, for the given options.
  public var deviations: @Sendable (Options) -> [Deviation]
  /// The options that the backend accepts.
  public var options: [OptionSpec]
  /// The layout of the backend's store, for the given options: pages, one file that is written as a whole, or memory.
  public var kind: @Sendable (Options) -> EngineKind
  /// The backend's access to its files through a memory mapping (mmap), for the given options: none, reads, or both.
  public var mapped: @Sendable (Options) -> MappedAccess
  /// The id of the backend with which reports compare a library built on the same engine, such as `sqlite` for a
  /// library on SQLite. Nil for no comparison.
  public var runsOn: @Sendable (Options) -> String?
  /// The extent to which a benchmark run sees the backend's writes and syncs. The default is ``WriteVisibility/calls``,
  /// or ``WriteVisibility/mapping`` if the backend writes through a memory mapping.
  public var witness: @Sendable (Options) -> WriteVisibility
  /// A closure that returns the number of executed SQL statements, in all stores that were opened after the first call
  /// of the closure. Statements of triggers do not count. Nil without SQL.
  public var statements: (@Sendable () -> Int)?
  /// A closure that records the backend's SQL statements from its first call on. Each further call returns the new
  /// statements. Nil without SQL.
  public var statementTexts: (@Sendable () -> [String])?
  /// The name of a third-party tool that can open the store's files, such as `sqlite3`. Nil without such a tool.
  public var opensWith: @Sendable (Options) -> String?
  /// A closure that returns one line of app code that opens the store, such as `sqlite3_open(url.path, &database)`, or
  /// that saves a file. Returns nil if no line fits the options.
  public var code: @Sendable (Options, Durability) -> String?
  /// The engine's name and version, as the engine reports them: `SQLite 3.40.1`.
  public var engineVersion: @Sendable () -> String
  /// The start of the file name of the engine's C library, such as `libsqlite3.so`. Nil if the engine is not a C
  /// library.
  public var library: @Sendable (Options) -> String?
  /// The compile options that the engine reports, or an empty text if it reports none.
  public var compileOptions: @Sendable () -> String
  /// The engine's unusual compile options that cost time or bytes, such as `SECURE_DELETE`, separated by commas. Nil
  /// without any.
  public var unusual: String?
  /// The engine that the given options select instead of the backend's default engine. Nil if they select the default
  /// engine.
  public var loaded: @Sendable (Options) -> LoadedEngine?
  /// The path of the file that contains the backend's default engine, or nil if the path is unknown.
  public var origin: @Sendable () -> String?
  /// A defect of the engine's version that can damage data; nil if none is known. The text completes "This version
  /// has".
  public var knownDefect: String?
  /// A closure that returns a hint about missing parts of the backend, such as the command that installs them. Nil if
  /// nothing is missing.
  public var missing: @Sendable () -> String?
  /// The reason why a second process cannot open a store of the backend at the same time, or nil if it can.
  public var refusesOthers: String?
  /// The reason why a copy of a store's files cannot be opened in another directory, or nil if it can.
  public var staysInPlace: String?
  /// The judgment of how closely the backend resembles the system that it imitates. Nil if the backend imitates no
  /// system.
  public var likeness: (@Sendable (_ workload: Spec, Options) -> Resemblance)?
  /// Whether the backend imitates a system that does not exist on this platform.
  public var isWorkAlike: Bool { likeness != nil }
  /// Whether a benchmark run includes the backend if the user names no backend. With `-b all`, every backend is
  /// included.
  public var isDefault: Bool
  /// Whether the stored records can be checked after a workload. False only for a backend that stores nothing.
  public var isVerifiable: Bool
  /// Whether the same work always makes equal numbers of system calls. False, for example, if the engine uses a
  /// background thread.
  public var isDeterministic: Bool
  /// Other names of the backend in common use, in lower case.
  public var aliases: [String]
  /// The greatest number of records with which a very slow backend is measured. Larger stores are skipped. Nil without
  /// a limit.
  public var mostRecords: Int?
  /// The reason why a store cannot hold the given numbers of records and bytes, such as a cache that drops records. Nil
  /// if the store can.
  public var lackOfRoom: @Sendable (Options, _ records: Int, _ bytes: Int) -> String?

  /// Returns whether a word is the backend's id or one of its aliases, in any spelling: `Core Data`, `core-data`.
  public func isNamed(_ word: String) -> Bool {
    func plain(_ text: String) -> String { text.lowercased().filter { $0.isLetter || $0.isNumber } }
    return id == word || !plain(word).isEmpty && ([id] + aliases).contains { plain($0) == plain(word) }
  }

  /// Describes a backend for the `list` command and for reports.
  public init(
    id: String, appearance: Appearance? = nil, summary: String, safety: String, options: [OptionSpec] = [],
    kind: @escaping @Sendable (Options) -> EngineKind,
    mapped: @escaping @Sendable (Options) -> MappedAccess = { _ in .none },
    runsOn: @escaping @Sendable (Options) -> String? = { _ in nil },
    witness: (@Sendable (Options) -> WriteVisibility)? = nil,
    statements: (@Sendable () -> Int)? = nil, statementTexts: (@Sendable () -> [String])? = nil,
    opensWith: @escaping @Sendable (Options) -> String? = { _ in nil },
    code: @escaping @Sendable (Options, Durability) -> String? = { _, _ in nil },
    engineVersion: @escaping @Sendable () -> String,
    library: @escaping @Sendable (Options) -> String? = { _ in nil },
    compileOptions: @escaping @Sendable () -> String = { "" }, unusual: String? = nil,
    loaded: @escaping @Sendable (Options) -> LoadedEngine? = { _ in nil },
    origin: @escaping @Sendable () -> String? = { nil }, knownDefect: String? = nil,
    missing: @escaping @Sendable () -> String? = { nil }, refusesOthers: String? = nil,
    staysInPlace: String? = nil,
    deviations: @escaping @Sendable (Options) -> [Deviation] = { _ in [] },
    likeness: (@Sendable (_ workload: Spec, Options) -> Resemblance)? = nil, isDefault: Bool = true,
    isVerifiable: Bool = true, isDeterministic: Bool = true, mostRecords: Int? = nil,
    lackOfRoom: @escaping @Sendable (Options, _ records: Int, _ bytes: Int) -> String? = { _, _, _ in nil },
    aliases: [String] = []
  ) {
    self.id = id
    self.appearance = appearance ?? Appearance(id: id)
    self.summary = summary
    self.safety = safety
    self.deviations = deviations
    self.options = options
    self.kind = kind
    self.mapped = mapped
    self.runsOn = runsOn
    self.witness = witness ?? { mapped($0) == .readsAndWrites ? .mapping : .calls }
    self.statements = statements
    self.statementTexts = statementTexts
    self.opensWith = opensWith
    self.code = code
    self.engineVersion = engineVersion
    self.library = library
    self.compileOptions = compileOptions
    self.unusual = unusual
    self.loaded = loaded
    self.origin = origin
    self.knownDefect = knownDefect
    self.missing = missing
    self.refusesOthers = refusesOthers
    self.staysInPlace = staysInPlace
    self.likeness = likeness
    self.isDefault = isDefault
    self.isVerifiable = isVerifiable
    self.isDeterministic = isDeterministic
    self.aliases = aliases
    self.mostRecords = mostRecords
    self.lackOfRoom = lackOfRoom
  }
}
