/// A storage engine under test: the suite's extension point for databases and file formats.
///
/// A new backend is one file with a class that conforms to this protocol, and one line in the list of backends. It then
/// runs every workload: missing capabilities (queries, transactions, relations, ...) are emulated with the members
/// below, see `Emulation/`. To provide a capability natively, conform to its protocol, such as ``Querying``.
///
/// Instances are synchronous, may throw, and stay on the thread that opened them. A call as `any StorageBackend` costs
/// about 2 ns; the hop to an actor would cost 55 ns.
///
/// The type itself may be used on any thread, so the thread that will own a store can open it.
public protocol StorageBackend: AnyObject, SendableMetatype {
  /// The description of the backend: its id, options and engine, and one sentence about the data that can be lost.
  static var description: BackendDescription { get }

  /// Returns the durability level that saves reach with the given options, for a requested durability. If the backend
  /// cannot give the requested durability, returns the reason.
  static func promise(_ durability: Durability, _ options: Options) -> Promise

  /// Opens the store in the environment's directory, or creates an empty store.
  ///
  /// - Throws: ``StoreError`` if a store exists and cannot be opened; the store is not changed.
  init(opening environment: StoreEnvironment) throws

  /// The engine's settings in force, such as `journal_mode=wal synchronous=2`. They are read back from the engine if
  /// the engine can report them.
  var settings: String { get }

  /// Applies changes in order, all or none. Returns when the changes are as safe from a crash and a power cut as the
  /// promised durability level requires.
  ///
  /// A put replaces a record with the same key. Deleting an absent key does nothing.
  ///
  /// - Throws: ``StoreError``; the store is then unchanged.
  func commit(_ changes: [Change]) throws

  /// Passes the records whose keys are in the range to the body, in key order, until the body returns false.
  ///
  /// The body of a read or scan may read from the store. An error of the body is thrown to the caller unchanged.
  func scan(_ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool) throws

  /// Closes the store and all its files. No member of the backend may be called afterwards.
  func close() throws

  // The following members have default implementations.

  /// Passes the record with the key to the body. The default scans one key. Override it if the engine has a faster way.
  ///
  /// - Returns: Whether a record has the key; if not, the body is not called.
  func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool

  /// Returns the number of records in a collection. The default scans all records. Override the default if the engine
  /// knows the number.
  func count(in collection: CollectionID) throws -> Int

  /// Returns the record with the key, or nil if no record has it. Override the default if the store already holds
  /// records as Swift values.
  func record(_ key: Int64, in collection: CollectionID) throws -> Record?

  /// Returns the records in a range of keys, in key order. Override the default if the store already holds Swift
  /// values.
  func records(_ keys: ClosedRange<Int64>, in collection: CollectionID) throws -> [Record]

  /// Performs the engine's deferred work, such as a checkpoint, so that a benchmark run can count this work. Called
  /// before ``close()``.
  func settle() throws

  /// Builds a fixture: an initial store with the given records, which measurements copy. The store's files must be the
  /// same as after commits of the records, but may be written in a faster way. The default commits all records in one
  /// batch. Override the default if one batch is unnecessarily slow.
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
    var records: [Record] = []
    try scan(keys, in: collection) { view in
      records.append(view.record())
      return true
    }
    return records
  }

  public func settle() throws {}

  public static func writeFixture(_ records: [Record], in environment: StoreEnvironment) throws {
    let store = try Self(opening: environment)
    try store.commit(records.map { .put($0) })
    try store.settle()
    try store.close()
  }
}

extension StorageBackend {
  /// Returns the changes that undo the given changes: each changed record gets the content that the store returns for
  /// it now, or is removed if the store has no such record.
  ///
  /// Call this method while the store still returns the content from before the given changes. A failed commit may be
  /// in the engine's log, and then take effect when the store is opened again. To undo its effect, commit the returned
  /// changes.
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
  /// The range of all record keys.
  public static var all: Self { .min ... .max }
}

/// The identity of a collection: its index in ``StoreEnvironment/collections``. A store that has no collection at the
/// index throws ``StoreError/failed(_:)``.
public struct CollectionID: Hashable, Sendable {
  /// The index of the collection, from 0.
  public let index: Int

  /// Identifies a collection by its index, from 0, in the store's list of collections.
  @inlinable public init(_ index: Int) { self.index = index }

  /// The first collection of a store. Most workloads use only this collection.
  @inlinable public static var records: CollectionID { CollectionID(0) }

  /// Returns the index of the collection if the index is less than `count`, the store's number of collections.
  ///
  /// - Throws: ``StoreError/failed(_:)`` if the index is too large. An array would end the process instead.
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

/// One change of a commit: a record to store or to remove.
///
/// The type is a structure and not an enumeration with records in its cases. So a fast engine can read the record
/// without a copy: see ``RecordCodec/encode(_:_:into:)``.
public struct Change: Sendable {
  /// The kinds of change to a record.
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
  /// The record to store. A removal uses only the record's id.
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

  /// The change as an enumeration, for `switch`.
  @inlinable
  public var action: Action { isDelete ? .delete(record.id, in: collection) : .put(record, in: collection) }
}

extension UnsafePointer<Change> {
  /// The pointer to the record of a change, for reading the record without a copy.
  @inlinable
  public var record: UnsafePointer<Record> {
    // A stored property always has an offset.
    let offset = MemoryLayout<Change>.offset(of: \Change.record).unsafelyUnwrapped
    return (UnsafeRawPointer(self) + offset).assumingMemoryBound(to: Record.self)
  }
}

/// The layout of an engine's store, which determines the cost of one small change.
public enum EngineKind: String, Sendable, Codable {
  /// The layout in pages. A change writes some pages, so a save costs about the same in a small and in a large store.
  case page
  /// The layout in one file that is written as a whole. Every save writes the whole store.
  case wholeFile
  /// The layout in memory. Nothing is written.
  case memory
}

/// The use of a memory mapping for accesses to an engine's files. A run cannot count the bytes that are read or written
/// through a mapping.
public enum MappedAccess: String, Sendable, Codable {
  /// No access through a mapping: every byte passes through a system call.
  case none
  /// Reads through a mapping: the number of bytes read is unknown.
  case reads
  /// Reads and writes through a mapping: the numbers of bytes read and written are unknown.
  case readsAndWrites
}

/// The description of a backend, for the `list` command, for the plan of a run and for reports.
public struct BackendDescription: Sendable {
  /// The backend's name on the command line.
  public var id: String
  /// The backend's name, color and marker in reports.
  public var appearance: Appearance
  /// A summary of the backend in a few words, such as its file format, for the `list` command.
  public var summary: String
  /// One sentence about the data that can be lost, and other facts for the backend's user.
  public var safety: String
  /// The promises of ``StorageBackend`` that the backend, with the given options, cannot fully keep.
  public var deviations: @Sendable (Options) -> [Deviation]
  /// The options that the backend accepts.
  public var options: [OptionSpec]
  /// The layout of the backend's store with the given options: pages, one file that is written as a whole, or memory
  /// only.
  public var kind: @Sendable (Options) -> EngineKind
  /// The backend's use of memory mappings with the given options.
  public var mapped: @Sendable (Options) -> MappedAccess
  /// The id of the backend whose engine this backend uses, such as `sqlite` for a library on SQLite; nil for other
  /// backends. The difference in time between the two backends is the cost of the library.
  public var runsOn: @Sendable (Options) -> String?
  /// The visibility of the backend's writes and syncs to a benchmark run, which counts them to check the promised
  /// durability level. The default is ``WriteVisibility/mapping`` if the backend writes through a memory mapping with
  /// the given options, otherwise ``WriteVisibility/calls``.
  public var witness: @Sendable (Options) -> WriteVisibility
  /// The number of SQL statements that this process has run. The first call of the closure starts the count, which
  /// includes only stores that are opened afterwards. BEGIN and COMMIT count; the work of triggers does not. The
  /// closure is nil for an engine without SQL.
  public var statements: (@Sendable () -> Int)?
  /// The texts of the SQL statements that have run since the last call, without bound values. The statements are those
  /// that ``statements`` counts. The first call starts the recording. The closure is nil for an engine without SQL.
  public var statementTexts: (@Sendable () -> [String])?
  /// The name of a third-party tool that opens the store's files, such as `sqlite3`, or nil without one.
  public var opensWith: @Sendable (Options) -> String?
  /// A line of app code for the given options and durability, or nil if the backend has no example. The line opens a
  /// store. If an app does not open stores of this kind, such as JSON files, the line saves records instead. An app can
  /// use the line after changing names such as `url`.
  public var code: @Sendable (Options, Durability) -> String?
  /// The engine's name and version, as the engine reports them: `SQLite 3.40.1`.
  public var engineVersion: @Sendable () -> String
  /// The beginning of the file name of the C library that is the engine with the given options, such as
  /// `libsqlite3.so`; nil if the engine is no such library.
  public var library: @Sendable (Options) -> String?
  /// The compile options that the engine reports, or an empty text if it reports none.
  public var compileOptions: @Sendable () -> String
  /// The engine's build settings that cost time or bytes and that differ from the settings of the engine's authors,
  /// such as `SECURE_DELETE`. The settings are separated by commas; nil if there are none.
  public var unusual: String?
  /// The engine that the backend loads for the given options in place of its usual one, or nil for the usual one. A run
  /// calls the closure before it measures, so that loading is not measured.
  public var loaded: @Sendable (Options) -> LoadedEngine?
  /// The path of the file that contains the engine which the backend uses by default, or nil if the path is unknown.
  public var origin: @Sendable () -> String?
  /// A defect of the engine's version that can damage data, as text to follow "this version has"; nil if none is known.
  public var knownDefect: String?
  /// The command that installs the backend's missing parts, or the reason why no command can; nil if nothing is
  /// missing. A store is never opened if parts are missing.
  public var missing: @Sendable () -> String?
  /// The reason why a second process cannot open the same store, or nil if a second process can.
  public var refusesOthers: String?
  /// The reason why a copy of the store's files cannot be opened in another directory, or nil if it can.
  public var staysInPlace: String?
  /// The judgment of whether the figures of a work-alike (a backend that imitates another system) apply to the imitated
  /// system. It depends on the workload and the backend's options. Nil for a backend that imitates no system. Every
  /// report shows the judgment.
  public var likeness: (@Sendable (_ workload: Spec, Options) -> Resemblance)?
  /// Whether the backend imitates a system that does not exist on this platform.
  public var isWorkAlike: Bool { likeness != nil }
  /// Whether a run that names no backend includes this backend; `-b all` includes every backend.
  public var isDefault: Bool
  /// Whether the results of a workload can be checked. The value is false only for a backend that stores nothing.
  public var isVerifiable: Bool
  /// Whether the backend makes the same number of each kind of system call, such as writes and syncs, in every run of
  /// the same work. If not, ``safety`` gives the reason.
  public var isDeterministic: Bool
  /// Other names of the backend in common use, in lower case; see ``isNamed(_:)``.
  public var aliases: [String]
  /// The greatest number of records that is worth measuring in a very slow backend; nil for any number. Runs skip
  /// larger stores, and the conformance kit (the tests of every backend) makes fewer saves.
  public var mostRecords: Int?
  /// The reason why a store with the given options cannot keep a number of records, or nil if it can. `bytes` is a
  /// lower bound of the total logical size of these records. A backend must give a reason if its store would drop some
  /// of the records without an error.
  public var lackOfRoom: @Sendable (Options, _ records: Int, _ bytes: Int) -> String?

  /// Returns whether a word is the backend's id or one of its other names, in any spelling: `Core Data`, `core-data`.
  public func isNamed(_ word: String) -> Bool {
    func plain(_ text: String) -> String { text.lowercased().filter { $0.isLetter || $0.isNumber } }
    return id == word || !plain(word).isEmpty && ([id] + aliases).contains { plain($0) == plain(word) }
  }

  /// Describes a backend for the `list` command, the plan of a run and reports.
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
