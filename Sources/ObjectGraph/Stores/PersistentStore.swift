import Foundation

/// The type of a store.
public enum StoreType: String, Sendable, CaseIterable {
  /// A database, which changes only what a save changes.
  case sqlite
  /// One binary file, written whole by each save.
  case binary
  /// One XML file, written whole by each save.
  case xml
  /// Nothing but memory.
  case inMemory
}

/// The options for opening a store.
public struct StoreOptions: Sendable {
  /// The safety level of a save; for SQLite the value of `PRAGMA synchronous`.
  public enum Synchronous: Int, Sendable {
    /// Nothing is flushed: safe from the death of the process, not from a power cut.
    case off
    /// A power cut leaves the store at some earlier save. Whole files are flushed before they take the old one's place.
    case normal
    /// No save is lost that returned. Whole files flush their directory, too.
    case full
  }

  /// When a save takes the keys of new objects.
  public enum Keys: String, Sendable {
    /// In a transaction of their own before that of the save, as Core Data does. If the save fails then, they are not
    /// given to others.
    case separate
    /// In the transaction of the save: one commit less, and a save that fails gives them back.
    case joined
  }

  /// Whether a store made by another model is migrated (NSMigratePersistentStoresAutomaticallyOption).
  public var migratesAutomatically = false
  /// Whether the way from the other model is inferred from the two (NSInferMappingModelAutomaticallyOption).
  public var infersMapping = false
  /// The safety level of a save.
  public var synchronous = Synchronous.normal
  /// When a save takes the keys of new objects. Stores that are written whole write the file once either way: the keys
  /// are in it with the objects.
  public var keys = Keys.separate
  /// Whether a SQLite store's file is written anew when it is opened, without the pages that nothing uses any more
  /// (NSSQLiteManualVacuumOption). It needs room for a second copy meanwhile.
  public var vacuums = false
  /// The size in bytes from which a SQLite store keeps the value of an attribute in a separate file,
  /// `.NAME_SUPPORT/_EXTERNAL_DATA/UUID` beside the store, if the attribute allows it. Core Data's size is not
  /// documented; 100 KB and 1 MB have been reported.
  package var externalStorageThreshold = 128 << 10
  /// The time that an operation waits for another process or coordinator that has locked the store, before it fails
  /// with ``ObjectGraphError/busy(file:_:)``.
  package var busyTimeout = Duration.seconds(5)
  /// The number of requests that read from a SQLite store in WAL mode at the same time, each on its own connection,
  /// beside one save (NSPersistentStoreConnectionPoolMaxSizeKey). Connections are opened when needed; a context that is
  /// pinned to a query generation has one more. Core Data's number is not published, only that it is greater than 1.
  ///
  /// In stores of other types, requests take turns.
  package var connectionPoolSize = 4
  /// Receives every SQL statement after it has run. It is called on the thread that ran it, several at a time, and must
  /// not use a context or the coordinator.
  public var sqlTrace: (@Sendable (SQLTrace) -> Void)?

  /// Core Data's defaults: WAL, synchronous NORMAL, keys taken separately, no migration; a timeout of five seconds.
  public init() {}
}

/// One SQL statement that ran: what Core Data prints with `-com.apple.CoreData.SQLDebug 3`.
public struct SQLTrace: Sendable {
  /// The statement with `?` for its values.
  public let sql: String
  /// The statement with its values in place.
  package let boundSQL: String
  /// From its first step to its end.
  package let duration: Duration
}

/// A store that a coordinator has opened.
public final class PersistentStore: @unchecked Sendable {
  // Sendable because the engine takes care of its readers, and saves come one at a time.

  /// The file. Nil in memory.
  public let url: URL?
  /// The type.
  public let type: StoreType
  /// The unique and permanent identifier of the store.
  public var identifier: UUID { origin.uuid }
  /// The settings in force, as `name=value`, read back from the engine where it can tell.
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

  /// ``save(_:_:)`` by the other members.
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

/// The ID that an object has in the context that saves it, for conflicts: that of a new one is temporary.
typealias PresentID = (ManagedObjectID) -> ManagedObjectID

/// The read requests to a store. Each request sees one state of the store.
protocol StoreReader: AnyObject {
  /// Passes the rows that a request finds, in its order, one by one while they are read: an object is created fastest
  /// while its row is in the processor's cache.
  func fetch(
    _ plan: FetchPlan, _ window: FetchWindow, _ variables: [String: Operand], _ body: (FetchedRow) -> Void
  ) throws

  /// Their keys.
  func keys(_ plan: FetchPlan, _ window: FetchWindow, _ variables: [String: Operand]) throws -> [Int64]

  /// Their number.
  func count(_ plan: FetchPlan, _ window: FetchWindow, _ variables: [String: Operand]) throws -> Int

  /// Groups and sums of what a request finds.
  func aggregate(
    _ plan: FetchPlan, _ aggregates: [ResolvedAggregate], groupedBy: Attribute?, _ variables: [String: Operand]
  ) throws -> [[Value]]

  /// One row, or nil.
  func row(_ key: Int64, _ entity: Entity) throws -> Row?

  /// Returns the rows of those keys that exist.
  func rows(_ keys: [Int64], _ entity: Entity) throws -> [FetchedRow]

  /// Returns the pairs of a to-many relationship that start at one of the keys, by source and destination.
  func destinations(
    _ relationship: Relationship, of keys: [Int64], in entity: Entity
  ) throws -> [(source: Int64, destination: Int64)]

  /// Returns the rows that point with a to-one relationship to one of the keys: what its inverse leads to.
  func rows(pointing relationship: Relationship, to keys: [Int64], _ entity: Entity) throws -> [FetchedRow]
}

/// A state of a store that is kept for as long as somebody holds this.
protocol PinnedSnapshot: AnyObject {}

/// The operations of every type of store. Reads may come from any thread. The coordinator admits one save at a time.
protocol StoreEngine: BatchEngine {
  var identifier: StoreIdentifier { get }
  var settings: String { get }

  /// Somebody to ask, for this thread until ``giveBack(_:_:)``.
  ///
  /// - Parameter snapshot: The state to ask about; nil for the present one.
  func borrowReader(_ snapshot: (any PinnedSnapshot)?) throws -> any StoreReader

  func giveBack(_ reader: any StoreReader, _ snapshot: (any PinnedSnapshot)?)

  /// Returns the present state, to be kept; nil if this store cannot.
  func snapshot() throws -> (any PinnedSnapshot)?

  /// The reader within a transaction, which sees the written rows.
  var transactionReader: any StoreReader { get }

  /// Starts what ``commit()`` or ``rollback()`` ends.
  func begin() throws

  /// Whether the keys of new objects are taken in a transaction of their own.
  var takesKeysSeparately: Bool { get }

  /// Sets keys aside that were never used and never will be again.
  ///
  /// - Returns: The first of them.
  func allocateKeys(_ count: Int, _ entity: Entity) throws -> Int64

  /// Writes what a save changes.
  ///
  /// - Throws: ``ObjectGraphError/conflicts(_:)``, ``ObjectGraphError/constraints(_:)``.
  func write(_ changes: StoreChanges, _ presentID: PresentID) throws

  func commit() throws
  func rollback()

  /// Writes all that a save changes and makes it last, or, if it throws, nothing. Nothing has begun.
  ///
  /// - Throws: As ``write(_:_:)``.
  func save(_ changes: StoreChanges, _ presentID: PresentID) throws

  /// Does now what is put off: a checkpoint.
  func settle() throws

  /// Waits for readers and closes the file. Kept states are lost.
  func close() throws
}

/// A row that a fetch found.
///
/// It does not hold the entity, which all rows of an answer share.
struct FetchedRow {
  let origin: StoreIdentifier
  let key: Int64
  let row: Row

  /// Returns the ID of the object of this entity.
  func id(_ entity: Entity) -> ManagedObjectID { ManagedObjectID(entity: entity, origin: origin, key: key) }
}

/// The changes of a save in one store.
struct StoreChanges {
  struct Update {
    let id: ManagedObjectID
    /// The previous row. Nil to insert the object again under its key.
    let old: Row?
    let new: Row
    /// The places of the columns that differ.
    let columns: [Int]
  }

  /// A pair of a join table.
  struct Link {
    let relationship: Relationship
    let source: Int64
    let destination: Int64
  }

  /// New objects of one entity, whose keys follow each other and whose version is 1.
  struct NewRows {
    let entity: Entity
    let firstKey: Int64
    /// The values of all columns.
    let values: ArraySlice<[Value]>
  }

  /// Whether all of it is the change or the deletion of one row.
  var isOneRow: Bool {
    inserted.isEmpty && addedLinks.isEmpty && removedLinks.isEmpty && updated.count + deleted.count == 1
      && updated.allSatisfy { $0.old != nil }
  }

  var inserted: [NewRows] = []
  var updated: [Update] = []
  /// With the version that was seen, if one was.
  var deleted: [(id: ManagedObjectID, version: Int64?)] = []
  var addedLinks: [Link] = []
  var removedLinks: [Link] = []
}
