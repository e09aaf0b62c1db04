import Foundation

/// The type of a store: a database, a file that is always written as a whole, or memory.
public enum StoreType: String, Sendable, CaseIterable {
  /// A SQLite database. A save writes only the changes.
  case sqlite
  /// One binary file, which each save writes as a whole.
  case binary
  /// One XML file, which each save writes as a whole.
  case xml
  /// Rows in memory without a file, which are lost when the store is closed.
  case inMemory
}

/// The options for opening a store.
public struct StoreOptions: Sendable {
  /// The protection of a save against crashes and power cuts; for SQLite the value of `PRAGMA synchronous`.
  public enum Synchronous: Int, Sendable {
    /// A save flushes nothing: it survives a crash of the process, but perhaps not a power cut.
    case off
    /// A power cut may lose the last saves, but leaves the store in the state after an earlier save. A binary or XML
    /// file is flushed before it replaces the old one.
    case normal
    /// A power cut loses no save that has returned. The directory of a binary or XML file is flushed as well.
    case full
  }

  /// The transaction in which a save allocates the primary keys (Z_PK) of new objects.
  public enum Keys: String, Sendable {
    /// In a separate transaction before the save, as in Core Data. If the save fails, the keys are not used again.
    case separate
    /// In the transaction of the save, which takes one commit less. The keys of a failed save are used again.
    case joined
  }

  /// Whether a store that was created with another model is migrated to the coordinator's model when it is opened
  /// (NSMigratePersistentStoresAutomaticallyOption). If false, such a store cannot be opened.
  public var migratesAutomatically = false
  /// Whether a migration infers which entities and properties of the two models correspond
  /// (NSInferMappingModelAutomaticallyOption). If false, a store that was created with another model cannot be opened.
  public var infersMapping = false
  /// The protection of each save against crashes and power cuts, which decides what a save flushes to the disk.
  public var synchronous = Synchronous.normal
  /// The transaction in which a save allocates the primary keys of new objects. A binary or XML store writes its file
  /// once in either case, because the file has the keys together with the objects.
  public var keys = Keys.separate
  /// Whether the file of a SQLite store is rewritten without unused pages when it is opened
  /// (NSSQLiteManualVacuumOption). The rewrite temporarily needs space for a second copy.
  public var vacuums = false
  /// The least size in bytes of a value that a SQLite store keeps in a separate file,
  /// `.NAME_SUPPORT/_EXTERNAL_DATA/UUID`, if the attribute allows it. Core Data's own threshold is not documented; 100
  /// KB and 1 MB have been reported.
  package var externalStorageThreshold = 128 << 10
  /// The maximum time that an operation waits for a store that another process or coordinator has locked. The operation
  /// then fails with ``ObjectGraphError/busy(file:_:)``.
  package var busyTimeout = Duration.seconds(5)
  /// The number of requests that can read from a SQLite store in WAL mode at the same time, even during a save
  /// (NSPersistentStoreConnectionPoolMaxSizeKey). Each request uses a connection, which is opened when needed. A
  /// context that is pinned to a query generation uses an additional connection. Core Data's number is greater than 1,
  /// but not published.
  ///
  /// In stores of other types, requests run one after the other.
  package var connectionPoolSize = 4
  /// A closure that receives every SQL statement after it has run. The closure is called on the thread of the
  /// statement, possibly several times at once, and must not use a context or the coordinator.
  public var sqlTrace: (@Sendable (SQLTrace) -> Void)?

  /// Creates options with Core Data's defaults: WAL, synchronous NORMAL, keys allocated separately, no migration, a
  /// timeout of five seconds.
  public init() {}
}

/// A SQL statement that has run, with the data that Core Data prints if `-com.apple.CoreData.SQLDebug 3` is set.
public struct SQLTrace: Sendable {
  /// The text of the statement, with `?` instead of its values.
  public let sql: String
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

/// A function that returns the ID by which an error about a conflict names an object. It returns the temporary ID for
/// the permanent ID of a new object, and any other ID unchanged.
typealias PresentID = (ManagedObjectID) -> ManagedObjectID

/// A reader of one store, with requests for rows, keys and counts. Each request sees a single, consistent state of the
/// store.
protocol StoreReader: AnyObject {
  /// Passes each row that a request finds to a closure, in order and as soon as it is read. The closure can then create
  /// an object while the row is still in the processor's cache.
  func fetch(
    _ plan: FetchPlan, _ window: FetchWindow, _ variables: [String: Operand], _ body: (FetchedRow) -> Void
  ) throws

  func keys(_ plan: FetchPlan, _ window: FetchWindow, _ variables: [String: Operand]) throws -> [Int64]

  func count(_ plan: FetchPlan, _ window: FetchWindow, _ variables: [String: Operand]) throws -> Int

  /// Returns the aggregates of the rows that a request finds: one array for all rows, or one array per group, which
  /// begins with the group's value.
  func aggregate(
    _ plan: FetchPlan, _ aggregates: [ResolvedAggregate], groupedBy: Attribute?, _ variables: [String: Operand]
  ) throws -> [[Value]]

  func row(_ key: Int64, _ entity: Entity) throws -> Row?

  func rows(_ keys: [Int64], _ entity: Entity) throws -> [FetchedRow]

  func destinations(
    _ relationship: Relationship, of keys: [Int64], in entity: Entity
  ) throws -> [(source: Int64, destination: Int64)]

  func rows(pointing relationship: Relationship, to keys: [Int64], _ entity: Entity) throws -> [FetchedRow]
}

/// A state of a store that stays readable, despite later saves, as long as this object is referenced.
protocol PinnedSnapshot: AnyObject {}

/// The operations that each type of store implements. Reads may come from any thread, but only one save runs at a time.
protocol StoreEngine: AnyObject {
  var identifier: StoreIdentifier { get }
  var settings: String { get }

  /// Returns a reader of this store for the current thread. The thread must return the reader with ``giveBack(_:_:)``.
  ///
  /// - Parameter snapshot: The state of the store to read. Nil for the newest state.
  func borrowReader(_ snapshot: (any PinnedSnapshot)?) throws -> any StoreReader

  func giveBack(_ reader: any StoreReader, _ snapshot: (any PinnedSnapshot)?)

  /// Returns the store's newest state, which stays readable despite later saves as long as the result is referenced.
  /// Nil if this type of store cannot keep a state.
  func snapshot() throws -> (any PinnedSnapshot)?

  /// The reader inside the running transaction, which also sees the rows that the transaction has written.
  var transactionReader: any StoreReader { get }

  func begin() throws

  var takesKeysSeparately: Bool { get }

  /// Allocates `count` consecutive primary keys for new objects and returns the first one. No object, not even a
  /// deleted one, ever had these keys.
  func allocateKeys(_ count: Int, _ entity: Entity) throws -> Int64

  /// Writes the changes of a save in the running transaction.
  ///
  /// - Throws: ``ObjectGraphError/conflicts(_:)`` if another writer has changed the same rows;
  ///   ``ObjectGraphError/constraints(_:)`` if rows share values that must be unique.
  func write(_ changes: StoreChanges, _ presentID: PresentID) throws

  func commit() throws
  func rollback()

  /// Writes and commits all changes of a save in a separate transaction. After an error, nothing is written.
  func save(_ changes: StoreChanges, _ presentID: PresentID) throws

  /// Completes deferred work, such as a checkpoint of SQLite's log, so that the store's file contains all changes.
  func settle() throws

  /// Waits for readers and closes the file. Earlier states of the store, to which contexts may be pinned, can then no
  /// longer be read.
  func close() throws

  /// Inserts the rows of a batch insertion in the running transaction, or updates stored rows with the same unique
  /// values. Allocates the keys of the inserted rows.
  ///
  /// - Returns: The number of rows written.
  /// - Throws: ``ObjectGraphError/constraints(_:)`` if unique values already exist and must not be replaced, and errors
  ///   of the block that sets a row's values.
  func insert(_ rows: BatchRows) throws -> Int

  /// Deletes the rows that a request finds, in the running transaction. All delete rules of the entity must be
  /// `noAction`.
  func delete(_ plan: FetchPlan, _ window: FetchWindow, _ variables: [String: Operand]) throws -> Int
}

/// A row that a fetch found, with its store and primary key. All rows of a result have the same entity, which is not
/// stored here.
struct FetchedRow {
  let origin: StoreIdentifier
  let key: Int64
  let row: Row

  func id(_ entity: Entity) -> ManagedObjectID { ManagedObjectID(entity: entity, origin: origin, key: key) }
}

struct StoreChanges {
  struct Update {
    let id: ManagedObjectID
    /// The row before the change. Nil if another writer has deleted the row and the save inserts it again.
    let old: Row?
    let new: Row
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

  /// Whether the save only changes or deletes a single row, so that one SQL statement is enough.
  var isOneRow: Bool {
    inserted.isEmpty && addedLinks.isEmpty && removedLinks.isEmpty && updated.count + deleted.count == 1
      && updated.allSatisfy { $0.old != nil }
  }

  var inserted: [NewRows] = []
  var updated: [Update] = []
  /// The IDs of the deleted objects. If `version` is set, a stored row with another version is a conflict. Nil allows
  /// any version.
  var deleted: [(id: ManagedObjectID, version: Int64?)] = []
  var addedLinks: [Link] = []
  var removedLinks: [Link] = []
}
