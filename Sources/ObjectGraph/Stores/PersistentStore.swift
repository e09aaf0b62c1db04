import Foundation

/// How a store keeps its objects.
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

/// How a store is opened.
public struct StoreOptions: Sendable {
  /// How safe a save is; for SQLite the value of `PRAGMA synchronous`.
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
  /// How safe a save is.
  public var synchronous = Synchronous.normal
  /// When a save takes the keys of new objects. Stores that are written whole write the file once either way: the keys
  /// are in it with the objects.
  public var keys = Keys.separate
  /// Whether a SQLite store's file is written anew when it is opened, without the pages that nothing uses any more
  /// (NSSQLiteManualVacuumOption). It needs room for a second copy meanwhile.
  public var vacuums = false
  /// The number of bytes from which on a SQLite store keeps the value of an attribute that allows it in a file of its own,
  /// `.NAME_SUPPORT/_EXTERNAL_DATA/UUID` beside the store. From which size on Core Data does so is not documented; 100 KB
  /// and 1 MB have been reported.
  package var externalStorageThreshold = 128 << 10
  /// How long an operation waits for another process or coordinator that holds the store, before it fails with
  /// ``ObjectGraphError/busy(file:_:)``.
  package var busyTimeout = Duration.seconds(5)
  /// How many requests read from a SQLite store in WAL mode at the same time, each on a connection of its own, beside one
  /// save (NSPersistentStoreConnectionPoolMaxSizeKey). Connections are opened as they are needed; a context that is pinned
  /// to a query generation has one more. Core Data's number is not published, only that it is greater than 1.
  ///
  /// In stores of other types, requests take turns.
  package var connectionPoolSize = 4
  /// Receives every SQL statement after it has run. It is called on the thread that ran it, several at a time, and must
  /// not use a context or the coordinator.
  public var sqlTrace: (@Sendable (SQLTrace) -> Void)?

  /// Core Data's defaults: WAL, synchronous NORMAL, keys taken separately, no migration; five seconds of patience.
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

  /// Where it is, or nil in memory.
  public let url: URL?
  /// How it keeps its objects.
  public let type: StoreType
  /// What tells it from every other store, for as long as it exists.
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

/// What can be asked of a store. It shows one state to each request.
protocol StoreReader: AnyObject {
  /// Hands over the rows that a request finds, in its order, one by one as they are read: an object is best made while
  /// its row is in the processor's cache.
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

  /// The rows of those keys that exist.
  func rows(_ keys: [Int64], _ entity: Entity) throws -> [FetchedRow]

  /// The pairs of a to-many relationship that start at one of the keys, by source and destination.
  func destinations(
    _ relationship: Relationship, of keys: [Int64], in entity: Entity
  ) throws -> [(source: Int64, destination: Int64)]

  /// The rows that point with a to-one relationship to one of the keys: what its inverse leads to.
  func rows(pointing relationship: Relationship, to keys: [Int64], _ entity: Entity) throws -> [FetchedRow]
}

/// A state of a store that is kept for as long as somebody holds this.
protocol PinnedSnapshot: AnyObject {}

/// What every type of store can do. Readers may come from any thread; of those who save the coordinator lets in one at a
/// time.
protocol StoreEngine: BatchEngine {
  var identifier: StoreIdentifier { get }
  var settings: String { get }

  /// Somebody to ask, for this thread until ``giveBack(_:_:)``.
  ///
  /// - Parameter snapshot: The state to ask about; nil for the present one.
  func borrowReader(_ snapshot: (any PinnedSnapshot)?) throws -> any StoreReader

  func giveBack(_ reader: any StoreReader, _ snapshot: (any PinnedSnapshot)?)

  /// The present state, to be kept; nil if this store cannot.
  func snapshot() throws -> (any PinnedSnapshot)?

  /// Who answers within a transaction: what it has written is seen.
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

  /// Waits for those who are reading and lets go of the file; states that are kept are lost.
  func close() throws
}

/// A row that a fetch found.
///
/// It does not hold the entity, which all rows of an answer share.
struct FetchedRow {
  let origin: StoreIdentifier
  let key: Int64
  let row: Row

  /// The ID of the object of this entity.
  func id(_ entity: Entity) -> ManagedObjectID { ManagedObjectID(entity: entity, origin: origin, key: key) }
}

/// What a save changes in one store.
struct StoreChanges {
  struct Update {
    let id: ManagedObjectID
    /// What it was changed from; nil to insert it again under its key.
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
