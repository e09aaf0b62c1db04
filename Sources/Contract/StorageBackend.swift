/// A storage strategy: the suite's one extension point for engines.
///
/// A new backend is one file with a class that conforms to this, and one line where backends are registered.
/// It then runs every workload, since what it does not offer itself (queries, transactions, relations, ...) is
/// emulated over the members below, see `Emulation/`. To offer a native way, conform to the capability protocol.
///
/// Instances are synchronous, throwing, and stay on the thread that opened them: called as
/// `any StorageBackend` they cost about 2 ns, where an actor hop costs 55.
///
/// The type itself may be named on any thread, which is how a store is opened on the thread that will own it.
public protocol StorageBackend: AnyObject, SendableMetatype {
  /// What this is: id, options, engine, one honest sentence about its safety.
  static var description: BackendDescription { get }

  /// Which level a durability comes to with these options, or why it cannot be had.
  static func promise(_ durability: Durability, _ options: Options) -> Promise

  /// Opens the store in the environment's directory, or creates an empty one if there is none.
  ///
  /// - Throws: ``StoreError`` if there is something that cannot be opened; it is left as it is.
  init(opening environment: StoreEnvironment) throws

  /// The literal settings in force, read back from the engine where it can tell: `journal_mode=wal synchronous=2`.
  var settings: String { get }

  /// Applies changes in order, all or none, and returns when they are as safe as the level says.
  ///
  /// A put replaces a record of the same key; deleting an absent key does nothing.
  ///
  /// - Throws: ``StoreError``; the store then holds what it held before.
  func commit(_ changes: [Change]) throws

  /// Passes the records whose keys are in the range, in key order, until the body returns false.
  ///
  /// The bodies of reads and scans may read from the store, and what they throw is thrown on as it is.
  func scan(
    _ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool
  ) throws

  /// Closes the store and lets go of every file. Nothing may be called afterwards.
  func close() throws

  // What follows has a default implementation.

  /// Passes the record with the key. The default scans a range of one key; override it where the engine has a better way.
  ///
  /// - Returns: Whether there is one; if not, the body is not called.
  func read(
    _ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void
  ) throws -> Bool

  /// The number of records in a collection. The default scans all of them; override it where the engine knows.
  func count(in collection: CollectionID) throws -> Int

  /// The record with the key as Swift values, or nil. Override it where the store already holds such values.
  func record(_ key: Int64, in collection: CollectionID) throws -> Record?

  /// The records whose keys are in the range, in key order. Override it where the store already holds them.
  func records(_ keys: ClosedRange<Int64>, in collection: CollectionID) throws -> [Record]

  /// Does now what the engine puts off (a checkpoint), so that deferred writes are counted. Called before ``close()``.
  func settle() throws

  /// Builds a store that holds the records, by the quickest way that gives the same files. The default commits
  /// them in one batch; override it where that is needlessly slow.
  static func writeFixture(_ records: [Record], in environment: StoreEnvironment) throws
}

extension StorageBackend {
  @inlinable
  public func read(
    _ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void
  ) throws -> Bool {
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
  /// What takes changes back that are to be made or have failed: each of their records as the store holds it now. For
  /// engines that must be opened again after a commit that failed, and may then find it in their log.
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
  /// Every key.
  public static var all: Self { .min ... .max }
}

/// Which of a store's collections: its place in ``StoreEnvironment/collections``. A store that has no such collection
/// throws ``StoreError/failed(_:)``.
public struct CollectionID: Hashable, Sendable {
  /// The place, from 0.
  public let index: Int

  /// Names a collection by its place.
  @inlinable public init(_ index: Int) { self.index = index }

  /// The first collection, which most workloads know as the only one.
  @inlinable public static var records: CollectionID { CollectionID(0) }

  /// The place, if the store has so many collections.
  ///
  /// - Throws: ``StoreError/failed(_:)``, where an array would trap.
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

/// One change of a commit.
///
/// A structure and not an enumeration with the record as its value, so that an engine in a hurry can look at the
/// record where it lies: see ``RecordCodec/encode(_:_:into:)``.
public struct Change: Sendable {
  /// What is done.
  public enum Action: Sendable {
    /// Store the record, in place of one with the same key.
    case put(Record, in: CollectionID)
    /// Remove the record with the key, if there is one.
    case delete(Int64, in: CollectionID)
  }

  /// Whether the record is removed; else it is stored.
  public let isDelete: Bool
  /// The collection.
  public let collection: CollectionID
  /// The record to store; of one to remove only the id counts.
  public let record: Record

  @inlinable
  init(isDelete: Bool, collection: CollectionID, record: Record) {
    self.isDelete = isDelete
    self.collection = collection
    self.record = record
  }

  /// Stores a record, in place of one with the same key.
  @inlinable
  public static func put(_ record: Record, in collection: CollectionID = .records) -> Change {
    Change(isDelete: false, collection: collection, record: record)
  }

  /// Removes the record with a key, if there is one.
  @inlinable
  public static func delete(_ key: Int64, in collection: CollectionID = .records) -> Change {
    let empty = Record(id: key, name: "", group: "", score: 0, modified: 0, payload: [])
    return Change(isDelete: true, collection: collection, record: empty)
  }

  /// What is done, to switch over.
  @inlinable
  public var action: Action {
    isDelete ? .delete(record.id, in: collection) : .put(record, in: collection)
  }
}

extension UnsafePointer<Change> {
  /// The record of a change, where it lies.
  @inlinable
  public var record: UnsafePointer<Record> {
    // A stored property always has an offset.
    let offset = MemoryLayout<Change>.offset(of: \Change.record).unsafelyUnwrapped
    return (UnsafeRawPointer(self) + offset).assumingMemoryBound(to: Record.self)
  }
}

/// Where and how a backend opens its store.
public struct StoreEnvironment: Sendable {
  /// An existing directory that is the store's own; nothing outside it may be written.
  public var directory: String
  /// The backend's options.
  public var options: Options
  /// What was asked; the backend has answered it with a ``Promise/level(_:)``.
  public var durability: Durability
  /// The names of the collections, fixed for the life of the store.
  public var collections: [String]

  /// Describes a store.
  public init(
    directory: String, options: Options = Options(), durability: Durability = .shipped,
    collections: [String] = ["records"]
  ) {
    self.directory = directory
    self.options = options
    self.durability = durability
    self.collections = collections
  }

  /// The path of a file of the store.
  public func path(_ name: String) -> String { "\(directory)/\(name)" }
}

/// How an engine lays out its store: what one small change costs follows from it.
public enum EngineKind: String, Sendable, Codable {
  /// Changes touch pages; a save costs about the same in a small and in a large store.
  case page
  /// Every save writes the whole store.
  case wholeFile
  /// Nothing is written.
  case memory
}

/// What an engine does through a memory mapping of its files, where no call can be counted.
public enum MappedAccess: String, Sendable, Codable {
  /// Nothing: every byte passes through a call.
  case none
  /// It reads: the bytes read are not known.
  case reads
  /// It writes, too: neither are the bytes written.
  case readsAndWrites
}

/// What a backend is, for `list`, for plans and for reports.
public struct BackendDescription: Sendable {
  /// The name on the command line.
  public var id: String
  /// What it is, in a few words.
  public var summary: String
  /// One honest sentence about what can be lost, and other things its user should know.
  public var safety: String
  /// The promises of ``StorageBackend`` that it cannot keep. Options may change them.
  public var deviations: @Sendable (Options) -> [Deviation]
  /// Its options.
  public var options: [OptionSpec]
  /// How it lays out its store. Options may change it.
  public var kind: @Sendable (Options) -> EngineKind
  /// What it does through a memory mapping. Options may change it.
  public var mapped: @Sendable (Options) -> MappedAccess
  /// The id of the backend whose engine it runs on, where it is a library over another backend's engine: what the library
  /// costs is the difference of the two. Options may change it.
  public var runsOn: @Sendable (Options) -> String?
  /// Who sees what it writes and syncs. Options may change it. Unless said otherwise, whoever counts calls does, but
  /// where it writes through a memory mapping.
  public var witness: @Sendable (Options) -> WriteVisibility
  /// How many SQL statements this process has run in stores that were opened since it was first asked; nil where the
  /// engine takes none. BEGIN and COMMIT are statements, what triggers do is not.
  public var statements: (@Sendable () -> Int)?
  /// Which of other people's tools opens its files, or nil where there is none. Options may change it.
  public var opensWith: @Sendable (Options) -> String?
  /// The engine's name and version, as it tells itself: `SQLite 3.40.1`.
  public var engineVersion: @Sendable () -> String
  /// What the engine was compiled with, in its own words, as far as it tells; else empty.
  public var compileOptions: @Sendable () -> String
  /// What of it the engine's authors leave out, and costs time or bytes, separated by commas; nil where there is nothing.
  public var unusual: String?
  /// A defect of this version of the engine by which data can be damaged, as the end of "this version has ..."; nil where
  /// none is known.
  public var knownDefect: String?
  /// The command that installs what is missing, or why there is none; nil if all is there. It is never opened then.
  public var missing: @Sendable () -> String?
  /// Why no second process can have the store open, or nil.
  public var refusesOthers: String?
  /// How far it stands, in a workload with its options, for a system that does not exist here and that it imitates, given
  /// its own options; nil where it imitates none. Every report says so.
  public var likeness: (@Sendable (_ workload: Spec, Options) -> Resemblance)?
  /// Whether it imitates a system that does not exist here.
  public var isWorkAlike: Bool { likeness != nil }
  /// Whether its engine is another one than the one of the same name on Apple's systems. Every report says so.
  public var isPort: Bool
  /// Whether a run that names no backend takes it; `-b all` takes every one.
  public var isDefault: Bool
  /// Whether what it returns can be checked. Only a backend that stores nothing says no.
  public var isVerifiable: Bool
  /// Whether its counts repeat exactly from run to run; if not, ``safety`` says why.
  public var isDeterministic: Bool
  /// Other names that people know it by, small letters only; see ``isNamed(_:)``.
  public var aliases: [String]
  /// The most records that a store is worth trying with, where each takes so long that more would hold up everything
  /// else; nil for any number. Cells of more are skipped, and the conformance kit makes fewer saves.
  public var mostRecords: Int?

  /// Whether a word is its id or one of its other names, however it is spelled: `Core Data`, `core-data`.
  public func isNamed(_ word: String) -> Bool {
    func plain(_ text: String) -> String { text.lowercased().filter { $0.isLetter || $0.isNumber } }
    return id == word || !plain(word).isEmpty && ([id] + aliases).contains { plain($0) == plain(word) }
  }

  /// Describes a backend.
  public init(
    id: String, summary: String, safety: String, options: [OptionSpec] = [],
    kind: @escaping @Sendable (Options) -> EngineKind,
    mapped: @escaping @Sendable (Options) -> MappedAccess = { _ in .none },
    runsOn: @escaping @Sendable (Options) -> String? = { _ in nil },
    witness: (@Sendable (Options) -> WriteVisibility)? = nil,
    statements: (@Sendable () -> Int)? = nil,
    opensWith: @escaping @Sendable (Options) -> String? = { _ in nil },
    engineVersion: @escaping @Sendable () -> String,
    compileOptions: @escaping @Sendable () -> String = { "" }, unusual: String? = nil, knownDefect: String? = nil,
    missing: @escaping @Sendable () -> String? = { nil }, refusesOthers: String? = nil,
    deviations: @escaping @Sendable (Options) -> [Deviation] = { _ in [] },
    likeness: (@Sendable (_ workload: Spec, Options) -> Resemblance)? = nil, isPort: Bool = false,
    isDefault: Bool = true,
    isVerifiable: Bool = true, isDeterministic: Bool = true, mostRecords: Int? = nil,
    aliases: [String] = []
  ) {
    self.id = id
    self.summary = summary
    self.safety = safety
    self.deviations = deviations
    self.options = options
    self.kind = kind
    self.mapped = mapped
    self.runsOn = runsOn
    self.witness = witness ?? { mapped($0) == .readsAndWrites ? .mapping : .calls }
    self.statements = statements
    self.opensWith = opensWith
    self.engineVersion = engineVersion
    self.compileOptions = compileOptions
    self.unusual = unusual
    self.knownDefect = knownDefect
    self.missing = missing
    self.refusesOthers = refusesOthers
    self.likeness = likeness
    self.isPort = isPort
    self.isDefault = isDefault
    self.isVerifiable = isVerifiable
    self.isDeterministic = isDeterministic
    self.aliases = aliases
    self.mostRecords = mostRecords
  }
}
