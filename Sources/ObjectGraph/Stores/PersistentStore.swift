import Foundation

/// The type of a store.
public enum StoreType: String, Sendable, CaseIterable {
  /// A database. A save writes only its changes.
  case sqlite
  /// One binary file. Each save writes all of it.
  case binary
  /// One XML file. Each save writes all of it.
  case xml
  /// Memory only.
  case inMemory
}

/// The options for opening a store.
public struct StoreOptions: Sendable {
  /// The protection of a save against crashes and power cuts; for SQLite the value of `PRAGMA synchronous`.
  public enum Synchronous: Int, Sendable {
    /// A save flushes nothing: it survives the death of the process, but perhaps not a power cut.
    case off
    /// A power cut may lose the last saves, but leaves the store in the state after an earlier save. A binary or XML
    /// file is flushed before it replaces the old one.
    case normal
    /// No save that has returned is lost. The directory of a binary or XML file is flushed as well.
    case full
  }

  /// The moment at which a save allocates the keys of new objects.
  public enum Keys: String, Sendable {
    /// In a separate transaction before the save, as in Core Data. If the save fails, the keys are not used again.
    case separate
    /// In the transaction of the save. This takes one commit less, and a save that fails releases the keys.
    case joined
  }

  /// Whether a store of another model is migrated (NSMigratePersistentStoresAutomaticallyOption).
  public var migratesAutomatically = false
  /// Whether the mapping for a migration is inferred from the two models (NSInferMappingModelAutomaticallyOption).
  public var infersMapping = false
  /// The safety level of a save.
  public var synchronous = Synchronous.normal
  /// The moment at which a save allocates the keys of new objects. A binary or XML store writes its file once in either
  /// case, because the file has the keys together with the objects.
  public var keys = Keys.separate
  /// Whether the file of a SQLite store is rewritten without unused pages when it is opened
  /// (NSSQLiteManualVacuumOption). The rewrite temporarily needs space for a second copy.
  public var vacuums = false
  /// The least size in bytes of a value that a SQLite store keeps in a separate file, if the attribute allows it. The
  /// file is `.NAME_SUPPORT/_EXTERNAL_DATA/UUID` beside the store. Core Data's size is not documented; 100 KB and 1 MB
  /// have been reported.
  package var externalStorageThreshold = 128 << 10
  /// The time that an operation waits for another process or coordinator that has locked the store, before it fails
  /// with ``ObjectGraphError/busy(file:_:)``.
  package var busyTimeout = Duration.seconds(5)
  /// The number of requests that can read from a SQLite store in WAL mode at the same time, even during a save
  /// (NSPersistentStoreConnectionPoolMaxSizeKey). Each uses a connection, which is opened when needed. A context that
  /// is pinned to a query generation uses an additional connection. Core Data's number is not published, only that it
  /// is greater than 1.
  ///
  /// In stores of other types, requests run one after the other.
  package var connectionPoolSize = 4
  /// A closure that receives every SQL statement after it has run. The closure is called on the thread of the
  /// statement, possibly several times at once, and must not use a context or the coordinator.
  public var sqlTrace: (@Sendable (SQLTrace) -> Void)?

  /// Creates Core Data's defaults: WAL, synchronous NORMAL, keys allocated separately, no migration, a timeout of five
  /// seconds.
  public init() {}
}

/// A SQL statement that has run, as Core Data prints it with `-com.apple.CoreData.SQLDebug 3`.
public struct SQLTrace: Sendable {
  /// The statement with `?` for its values.
  public let sql: String
  /// The statement with its values in place.
  package let boundSQL: String
  /// The time from the statement's first step to its end.
  package let duration: Duration
}

/// A store that a coordinator has opened.
public final class PersistentStore: @unchecked Sendable {
  // Sendable because the engine synchronizes its readers, and saves run one at a time.

  /// The URL of the store's file. Nil for a store in memory.
  public let url: URL?
  /// The type of the store.
  public let type: StoreType
  /// The unique and permanent identifier of the store.
  public var identifier: UUID { origin.uuid }
  /// The store's settings as `name=value`, such as `synchronous=1`. They are read back from SQLite if possible.
  public let settings: String

  let origin: StoreIdentifier
  let engine: any StoreEngine

  init(url: URL?, type: StoreType, engine: any StoreEngine) {
    self.url = url
    self.type = type
    self.engine = engine
    origin = engine.identifier
    settings = engine.settings
  }
}

extension StoreEngine {
  func save(_ changes: StoreChanges, _ presentID: PresentID) throws { try saveInTransaction(changes, presentID) }

  /// Writes a save in a transaction: ``begin()``, ``write(_:_:)``, and ``commit()`` or ``rollback()``.
  func saveInTransaction(_ changes: StoreChanges, _ presentID: PresentID) throws {
    try begin()
    do {
      try write(changes, presentID)
      try commit()
    } catch {
      rollback()
      throw error
    }
  }
}

/// A function that maps an object's permanent ID to the ID that a conflict shows: for a new object, its temporary ID.
typealias PresentID = (ManagedObjectID) -> ManagedObjectID

/// A reader of one store. Each request sees one state of the store.
protocol StoreReader: AnyObject {
  /// Passes a closure the rows that a request finds, in order and each as soon as it is read. An object is created
  /// fastest while its row is in the processor's cache.
  func fetch(
    _ plan: FetchPlan, _ window: FetchWindow, _ variables: [String: Operand], _ body: (FetchedRow) -> Void
  ) throws

  func keys(_ plan: FetchPlan, _ window: FetchWindow, _ variables: [String: Operand]) throws -> [Int64]

  func count(_ plan: FetchPlan, _ window: FetchWindow, _ variables: [String: Operand]) throws -> Int

  /// Returns the aggregates of the rows that a request finds: one line per group, or one line without a group key.
  func aggregate(
    _ plan: FetchPlan, _ aggregates: [ResolvedAggregate], groupedBy: Attribute?, _ variables: [String: Operand]
  ) throws -> [[Value]]

  /// Returns the row with a key, or nil if there is none.
  func row(_ key: Int64, _ entity: Entity) throws -> Row?

  func rows(_ keys: [Int64], _ entity: Entity) throws -> [FetchedRow]

  /// Returns the links of a to-many relationship as pairs (source key, destination key). The source is one of `keys`.
  func destinations(
    _ relationship: Relationship, of keys: [Int64], in entity: Entity
  ) throws -> [(source: Int64, destination: Int64)]

  /// Returns the rows of an entity whose to-one relationship leads to an object with one of the keys.
  func rows(pointing relationship: Relationship, to keys: [Int64], _ entity: Entity) throws -> [FetchedRow]
}

/// A state of a store, which the store keeps readable while this object is referenced.
protocol PinnedSnapshot: AnyObject {}

/// The operations that each type of store implements. Reads may come from any thread, but only one save runs at a time.
protocol StoreEngine: AnyObject {
  var identifier: StoreIdentifier { get }
  var settings: String { get }

  /// Returns a reader for the current thread. The thread must return the reader with ``giveBack(_:_:)``.
  ///
  /// - Parameter snapshot: The state of the store to read. Nil for the newest state.
  func borrowReader(_ snapshot: (any PinnedSnapshot)?) throws -> any StoreReader

  func giveBack(_ reader: any StoreReader, _ snapshot: (any PinnedSnapshot)?)

  /// Pins the store's newest state and returns it, or nil if this type of store cannot keep a state.
  func snapshot() throws -> (any PinnedSnapshot)?

  /// The reader in the running transaction, which also sees the rows that the transaction has written.
  var transactionReader: any StoreReader { get }

  /// Starts a transaction, which ``commit()`` or ``rollback()`` ends.
  func begin() throws

  /// Whether a save allocates the keys of new objects in a separate transaction before that of the objects.
  var takesKeysSeparately: Bool { get }

  /// Allocates consecutive keys and returns the first one. A key was never used before, and is never used again.
  func allocateKeys(_ count: Int, _ entity: Entity) throws -> Int64

  /// Writes the changes of a save in the running transaction.
  ///
  /// - Throws: ``ObjectGraphError/conflicts(_:)``, ``ObjectGraphError/constraints(_:)``.
  func write(_ changes: StoreChanges, _ presentID: PresentID) throws

  func commit() throws
  func rollback()

  /// Writes and commits all changes of a save in a separate transaction. After an error, nothing is written.
  ///
  /// - Throws: As ``write(_:_:)``.
  func save(_ changes: StoreChanges, _ presentID: PresentID) throws

  /// Runs a checkpoint: completes deferred work, so that the store's file contains all changes.
  func settle() throws

  /// Waits for readers and closes the file. Contexts can then no longer read states that they are pinned to.
  func close() throws

  /// Inserts the rows of a batch insertion in the running transaction, and allocates their keys.
  ///
  /// - Returns: The number of rows written.
  /// - Throws: ``ObjectGraphError/constraints(_:)``, and errors from filling a row.
  func insert(_ rows: BatchRows) throws -> Int

  /// Deletes the rows that a request finds, in the running transaction. The entity's delete rules are all `noAction`.
  func delete(_ plan: FetchPlan, _ window: FetchWindow, _ variables: [String: Operand]) throws -> Int
}

/// A row that a fetch found. Its entity is not stored here, because all rows of the result share it.
struct FetchedRow {
  let origin: StoreIdentifier
  let key: Int64
  let row: Row

  func id(_ entity: Entity) -> ManagedObjectID { ManagedObjectID(entity: entity, origin: origin, key: key) }
}

struct StoreChanges {
  struct Update {
    let id: ManagedObjectID
    /// The row that the change started from. Nil if another writer has deleted the row and the save inserts it again.
    let old: Row?
    let new: Row
    /// The indices of the columns whose values the save changes.
    let columns: [Int]
  }

  /// A row of a join table: the keys of two linked objects.
  struct Link {
    let relationship: Relationship
    let source: Int64
    let destination: Int64
  }

  /// The new objects of one entity in a save. They get consecutive keys and version 1.
  struct NewRows {
    let entity: Entity
    let firstKey: Int64
    let values: ArraySlice<[Value]>
  }

  /// Whether the save changes or deletes one row and does nothing else, so that one statement is enough.
  var isOneRow: Bool {
    inserted.isEmpty && addedLinks.isEmpty && removedLinks.isEmpty && updated.count + deleted.count == 1
      && updated.allSatisfy { $0.old != nil }
  }

  var inserted: [NewRows] = []
  var updated: [Update] = []
  /// The deleted objects. If `version` is set, the stored row must have this version. Nil deletes any version.
  var deleted: [(id: ManagedObjectID, version: Int64?)] = []
  var addedLinks: [Link] = []
  var removedLinks: [Link] = []
}
