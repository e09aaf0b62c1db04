import Foundation

/// The type of a store: a database, a file that each save writes as a whole, or memory.
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
  /// The protection of saves against crashes and power cuts. A SQLite store sets `PRAGMA synchronous` to this value.
  public enum Synchronous: Int, Sendable {
    /// The setting without flushes. A crash of the process loses no saved changes, but a power cut may lose some or
    /// damage the store.
    case off
    /// The setting with which a power cut may lose the last saves. The store then has the state after an earlier save.
    case normal
    /// The setting with which a power cut does not lose any completed save.
    case full
  }

  /// The kind of transaction in which a save allocates the primary keys (Z_PK) of new objects.
  public enum Keys: String, Sendable {
    /// The setting that allocates keys in a separate transaction, before the objects are written. Keys of a failed save
    /// are not used again.
    case separate
    /// The setting that allocates keys in the transaction that writes the objects. A later save reuses the keys of a
    /// failed save.
    case joined
  }

  /// Whether a store with another model is migrated at opening. If false, such a store cannot be opened.
  public var migratesAutomatically = false
  /// Whether a migration may infer the mapping between the models. If false, a store with another model cannot be
  /// opened.
  public var infersMapping = false
  /// The protection of saves against crashes and power cuts.
  public var synchronous = Synchronous.normal
  /// Whether the primary keys of new objects are allocated in a separate transaction, or in the transaction that writes
  /// the objects.
  public var keys = Keys.separate
  /// Whether a SQLite database is rewritten without unused pages at opening, which needs disk space for a second copy.
  public var vacuums = false
  /// The minimum size in bytes of values that a SQLite store keeps in separate files, for attributes that allow
  /// separate files.
  package var externalStorageThreshold = 128 << 10
  /// The maximum time to wait for a locked store. After this time, the operation fails with
  /// ``ObjectGraphError/busy(file:_:)``.
  package var busyTimeout = Duration.seconds(5)
  /// The maximum number of simultaneous reads of a SQLite store in WAL mode, each on a separate connection.
  package var connectionPoolSize = 4
  /// A closure that receives each executed SQL statement, also from several threads at once. The closure must not use a
  /// context or coordinator.
  public var sqlTrace: (@Sendable (SQLTrace) -> Void)?

  /// Creates options with Core Data's defaults: WAL mode, synchronous NORMAL, separate key allocation and no migration.
  public init() {}
}

/// A SQL statement that has run.
public struct SQLTrace: Sendable {
  /// The text of the statement, with `?` instead of its values.
  public let sql: String
  package let boundSQL: String
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
  /// The settings of the store as text, such as `synchronous=1`. SQLite's settings are read back from the open
  /// database.
  public var settings: String { engine.settings }

  let origin: StoreIdentifier
  let engine: any StoreEngine

  init(url: URL?, type: StoreType, engine: any StoreEngine) {
    self.url = url
    self.type = type
    self.engine = engine
    origin = engine.identifier
  }
}

extension StoreEngine {
  func save(_ changes: StoreChanges, _ presentID: PresentID) throws {
    try transaction { try write(changes, presentID) }
  }

  /// Runs a block in a transaction, which is rolled back if an error is thrown.
  @inline(__always)
  func transaction<Result>(_ body: () throws -> Result) throws -> Result {
    try begin()
    do {
      let result = try body()
      try commit()
      return result
    } catch {
      rollback()
      throw error
    }
  }

  /// Inserts or updates the rows that `fill` sets one by one, in the running transaction, and returns their number.
  ///
  /// - Throws: ``ObjectGraphError/constraints(_:)`` for an unresolved conflict, and errors of `fill`.
  func insert(_ rows: BatchObject, _ fill: (BatchObject) throws -> Bool) throws -> Int {
    // The keys are allocated at the end, once they are counted. Until then, no other writer can allocate keys.
    let first = try allocateKeys(0, rows.entity)
    var (next, count) = (first, 0)
    while try rows.fill(fill) {
      guard let key = try insert(rows, key: next) else { continue }
      if key == next { next += 1 }
      count += 1
    }
    _ = try allocateKeys(Int(next - first), rows.entity)
    return count
  }
}

/// A function that returns the object ID to report in an error. For a new object, this is its temporary ID, the only
/// one that the caller knows.
typealias PresentID = (ManagedObjectID) -> ManagedObjectID

/// A reader of one store's rows, primary keys and row counts. Each request reads one consistent state of the store.
protocol StoreReader: AnyObject {
  /// Reads the rows that a request finds, and passes each row to a closure, in order.
  func fetch(_ request: StoreRequest, _ body: (FetchedRow) -> Void) throws

  func keys(_ request: StoreRequest) throws -> [Int64]

  func count(_ request: StoreRequest) throws -> Int

  /// Returns aggregates, such as sums, of the rows that a request finds. With `groupedBy`, the array of each group
  /// begins with the group's value.
  func aggregate(
    _ request: StoreRequest, _ aggregates: [ResolvedAggregate], groupedBy: Attribute?
  ) throws -> [[Value]]

  func row(_ key: Int64, _ entity: Entity) throws -> Row?

  func rows(_ keys: [Int64], _ entity: Entity) throws -> [FetchedRow]

  func destinations(
    _ relationship: Relationship, of keys: [Int64], in entity: Entity
  ) throws -> [(source: Int64, destination: Int64)]

  func rows(pointing relationship: Relationship, to keys: [Int64], _ entity: Entity) throws -> [FetchedRow]
}

/// A state of a store that stays readable as long as this object is referenced.
protocol PinnedSnapshot: AnyObject {
  /// Returns a reader of this state. Other threads wait until ``giveBack()``.
  func borrow() throws -> any StoreReader
  func giveBack()
}

/// The operations of a store. Several threads may read at the same time, but only one thread may save.
protocol StoreEngine: AnyObject {
  var identifier: StoreIdentifier { get }
  var settings: String { get }

  /// Returns a reader of the newest state for the current thread, to be passed to ``giveBack(_:)`` after use.
  func borrowReader() throws -> any StoreReader
  func giveBack(_ reader: any StoreReader)

  /// Returns an object that keeps the newest state readable, or nil if the store type cannot keep states.
  func snapshot() throws -> (any PinnedSnapshot)?

  /// A reader that also reads the uncommitted changes of the running transaction.
  var transactionReader: any StoreReader { get }

  func begin() throws

  var takesKeysSeparately: Bool { get }

  /// Allocates `count` consecutive primary keys for new objects, none used before, and returns the first key.
  func allocateKeys(_ count: Int, _ entity: Entity) throws -> Int64

  /// Writes the changes of a save in the running transaction.
  ///
  /// - Throws: ``ObjectGraphError/conflicts(_:)`` if another writer has changed the same rows.
  ///   ``ObjectGraphError/constraints(_:)`` if rows share values that must be unique.
  func write(_ changes: StoreChanges, _ presentID: PresentID) throws

  func commit() throws
  func rollback()

  /// Writes and commits all changes of a save in one transaction. If an error is thrown, nothing was written.
  func save(_ changes: StoreChanges, _ presentID: PresentID) throws

  /// Completes deferred work, such as a checkpoint of SQLite's log, so that the store's file contains all changes.
  func settle() throws

  /// Waits for readers and closes the file. A context that is pinned to an earlier state can then no longer read this
  /// state.
  func close() throws

  /// Inserts the current row of a batch, or updates a stored row by the merge policy, in the running transaction.
  ///
  /// - Parameter key: The primary key of a new row.
  /// - Returns: The key of the written row, or nil if none was written.
  /// - Throws: ``ObjectGraphError/constraints(_:)`` for an unresolved conflict of unique values.
  func insert(_ rows: BatchObject, key: Int64) throws -> Int64?

  /// Deletes the rows that a request finds, and returns their number. Related rows stay unchanged, so all relationships
  /// of the entity must have the delete rule `noAction`.
  func delete(_ request: StoreRequest) throws -> Int
}

/// A row that a fetch has found, with its store and its primary key.
struct FetchedRow {
  let origin: StoreIdentifier
  let key: Int64
  let row: Row

  func id(_ entity: Entity) -> ManagedObjectID { ManagedObjectID(entity: entity, origin: origin, key: key) }
}

struct StoreChanges {
  struct Update {
    let id: ManagedObjectID
    /// The row before the change. Nil if another writer has deleted the row, so that the save inserts it again.
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

  /// The new objects of one entity in a save, with consecutive keys and version 1.
  struct NewRows {
    let entity: Entity
    let firstKey: Int64
    let values: ArraySlice<[Value]>
  }

  /// Whether the save changes or deletes exactly one row, and writes nothing else.
  var isOneRow: Bool {
    inserted.isEmpty && addedLinks.isEmpty && removedLinks.isEmpty && updated.count + deleted.count == 1
      && updated.allSatisfy { $0.old != nil }
  }

  var inserted: [NewRows] = []
  var updated: [Update] = []
  /// The IDs of the deleted objects, with the expected version of each row. A nil version allows any version.
  var deleted: [(id: ManagedObjectID, version: Int64?)] = []
  var addedLinks: [Link] = []
  var removedLinks: [Link] = []
}
