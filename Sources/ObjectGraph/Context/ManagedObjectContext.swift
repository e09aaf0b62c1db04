import Dispatch
import Foundation

/// A set of objects with unsaved changes. Other contexts see them only after ``save()`` has written them in one
/// transaction; ``rollback()`` discards them.
///
/// Within a context there is one object for one ID. A context is used on its own queue: go through
/// ``perform(_:)-(()->Void)`` or ``performAndWait(_:)`` from elsewhere, and pass ``ManagedObject/objectID``, never
/// objects, to other contexts. Debug builds stop a program that does otherwise.
public final class ManagedObjectContext: @unchecked Sendable {
  // Sendable because everything below is used on the queue only.

  /// The thread or queue on which a context and its objects may be used.
  public enum ConcurrencyType: Sendable {
    /// A private serial queue.
    case privateQueue
    /// On the thread that made it, without a queue, as contexts were before they had queues. For programs that have
    /// one thread for one context anyway.
    case confinement
  }

  /// The coordinator of the stores.
  public let persistentStoreCoordinator: PersistentStoreCoordinator
  /// The thread or queue of the context.
  public let concurrencyType: ConcurrencyType
  /// The policy for objects that others have saved meanwhile.
  public var mergePolicy = MergePolicy.error
  /// Whether a fault whose row is gone becomes a deleted object without values, as Core Data has it since iOS 9, or
  /// an error.
  public var shouldDeleteInaccessibleFaults = true
  /// Takes back and repeats changes, if there is one; it serves this context alone.
  public var undoManager: UndoManager? {
    didSet {
      guard undoManager !== oldValue else { return }
      oldValue?.context = nil
      undoManager?.context = self
      home.hearsEveryChange = undoManager != nil
    }
  }
  /// A name for messages.
  public var name = ""

  let model: ManagedObjectModel
  let rowCache: RowCache
  let home: ContextReference
  let queue: DispatchQueue
  /// The thread that created it.
  let thread: pthread_t

  /// Every object, for as long as somebody holds it. Changed ones are held by the sets below.
  let registered = RegisteredObjects()
  /// New objects in the order in which they were made, which their temporary keys count; those that were deleted
  /// again, or taken away, among them.
  @exclusivity(unchecked) private(set) var newObjects: [ManagedObject] = []
  /// New objects, to be inserted by the next save.
  public var insertedObjects: Set<ManagedObject> { Set(newObjects.filter { $0.isInserted && !$0.isDeleted }) }
  /// Changed objects, to be updated by the next save where values differ from the store's.
  @exclusivity(unchecked) public internal(set) var updatedObjects: Set<ManagedObject> = []
  /// Deleted objects, to be removed by the next save.
  @exclusivity(unchecked) public internal(set) var deletedObjects: Set<ManagedObject> = []

  /// The changes since the last ``processPendingChanges()``, in order.
  @exclusivity(unchecked) var recentChanges: [ManagedObject] = []
  /// The objects that others deleted or refreshed, and that ``processPendingChanges()`` has not announced.
  var recentlyRefreshed: [ManagedObject] = []
  var recentlyInvalidated: [ManagedObject] = []
  /// Deleted, their relationships' rules not carried out yet.
  @exclusivity(unchecked) var unpropagatedDeletes: [ManagedObject] = []

  private let temporaryOrigin = StoreIdentifier()
  @exclusivity(unchecked) private var lastTemporaryKey: Int64 = 0
  /// The key of the first one in ``newObjects``.
  @exclusivity(unchecked) private var firstTemporaryKey: Int64 = -1
  /// The errors of properties that could not throw them.
  var keptErrors = KeptErrors()
  /// The observers of changes in this context.
  var observers: [WeakObserver] = []
  /// Fetched properties that were asked for, by the entity's number and their places.
  var fetchedProperties: [[Int]: FetchedProperty] = [:]
  /// The state of the stores that is read.
  var generation = Generation.unpinned
  /// To which store a new object goes, where it is not the first one.
  var assignments: [ManagedObjectID: PersistentStore] = [:]

  /// Makes a context.
  public init(_ coordinator: PersistentStoreCoordinator, _ concurrencyType: ConcurrencyType = .privateQueue) {
    persistentStoreCoordinator = coordinator
    rowCache = coordinator.rowCache
    home = ContextReference(coordinator.rowCache)
    model = coordinator.managedObjectModel
    self.concurrencyType = concurrencyType
    thread = pthread_self()
    queue = concurrencyType == .confinement ? .main : DispatchQueue(label: "ManagedObjectContext")
    home.context = self
  }

  deinit {
    home.hearsEveryChange = true
    // Objects that hold each other would stay.
    for object in registered.elements + newObjects { object.releaseDestinations() }
  }

  // MARK: - Objects

  /// Makes a new object of a class, to be saved with the context.
  ///
  /// - Throws: ``ObjectGraphError/unknownEntity(_:)`` if the model has no entity of this class, or several.
  public func insert<Object: ManagedObject>(_ objectClass: Object.Type) throws -> Object {
    let object = insert(try model.entity(of: objectClass))
    // The entity was looked up by this class.
    return unsafeDowncast(object, to: Object.self)
  }

  /// Makes a new object of an entity, to be saved with the context.
  ///
  /// - Throws: ``ObjectGraphError/unknownEntity(_:)``.
  public func insert(_ entityName: String) throws -> ManagedObject { insert(try model.entity(entityName)) }

  /// Makes a new object of an entity, to be saved with the context.
  public func insert(_ entity: Entity) -> ManagedObject {
    let object = entity.objectClass.init(originOfNewObject(entity))
    adopt(object)
    return object
  }

  /// Says to which store a new object goes; without, it goes to the coordinator's first one.
  public func assign(_ object: ManagedObject, to store: PersistentStore) {
    checkQueue()
    if object.isInserted { assignments[object.objectID] = store }
  }

  /// Returns the object of an ID: the one that is here already, or a fault, without asking the store.
  public func object(with id: ManagedObjectID) -> ManagedObject {
    #if DEBUG
      checkQueue()
    #endif
    if let object = known(id) { return object }
    // Made by another coordinator, perhaps.
    let own = model.adopted(id)
    if own.entity !== id.entity, let object = known(own) { return object }
    let isForeign = !model.owns(own.entity)
    let object = own.entity.objectClass.init(
      .init(objectID: own, context: self, row: nil, flags: isForeign ? .deleted : .fault))
    if !isForeign { rowCache.add(object, nil) }
    registered.insert(object)
    return object
  }

  /// Returns the object of an ID, its values read, or nil if there is none in the store.
  ///
  /// - Throws: ``ObjectGraphError`` if the store cannot be read.
  public func existingObject(with id: ManagedObjectID) throws -> ManagedObject? {
    checkQueue()
    let id = model.adopted(id)
    if let object = known(id), !object.isFault || object.row != nil {
      return object.isDeleted ? nil : object
    }
    let reading = try startReading()
    guard !id.isTemporary, let row = try persistentStoreCoordinator.row(for: id, in: readGeneration()) else {
      return nil
    }
    let object = object(with: id, row: row, reading)
    rowCache.add(object, reading)
    return object
  }

  /// Returns the object of an ID if it is in this context.
  package func registeredObject(for id: ManagedObjectID) -> ManagedObject? {
    checkQueue()
    return known(model.adopted(id))
  }

  /// Returns the object of an ID if it is here: among the new ones, or among those that the stores know.
  @inline(__always)
  func known(_ id: ManagedObjectID) -> ManagedObject? {
    guard id.isTemporary else { return registered[id] }
    let place = Int(firstTemporaryKey - id.key)
    return id.origin == temporaryOrigin && newObjects.indices.contains(place) ? newObjects[place] : nil
  }

  /// Releases the new objects after a save or a rollback.
  func forgetNewObjects() {
    newObjects = []
    firstTemporaryKey = lastTemporaryKey - 1
  }

  /// Every object of this context that somebody holds.
  package var registeredObjects: Set<ManagedObject> { insertedObjects.union(registered.elements) }

  /// Whether there is anything to save.
  public var hasChanges: Bool {
    !deletedObjects.isEmpty || newObjects.contains { $0.isInserted && !$0.isDeleted }
      || updatedObjects.contains { $0.hasPersistentChangedValues }
  }

  // MARK: - What objects tell

  /// One change of one property of one object, on one side of a relationship: what undo needs to take it back.
  enum Change {
    /// The value before.
    case attribute(Int, Value)
    case destination(Int, from: ManagedObjectID?, to: ManagedObjectID?)
    case destinations(Int, ToMany.Change)
  }

  func originOfNewObject(_ entity: Entity) -> ManagedObject.Origin {
    checkQueue()
    lastTemporaryKey -= 1
    let id = ManagedObjectID(entity: entity, origin: temporaryOrigin, key: lastTemporaryKey)
    return ManagedObject.Origin(objectID: id, context: self, row: nil, flags: .inserted)
  }

  /// Takes a new object in; what was made first comes first.
  func adopt(_ object: ManagedObject) {
    newObjects.append(object)
    registerChange(of: object)
    undoManager?.record(.inserted(object))
  }

  @inline(__always)
  func willChange(_ object: ManagedObject, _ change: @autoclosure () -> Change) {
    if object.flags.isDisjoint(with: [.inserted, .updated, .deleted]) {
      object.flags.insert(.updated)
      updatedObjects.insert(object)
    }
    registerChange(of: object)
    undoManager?.record(change(), of: object)
  }

  /// Remembers an object for ``processPendingChanges()``.
  @inline(__always)
  func registerChange(of object: ManagedObject) {
    guard !object.flags.contains(.inRecentChanges) else { return }
    object.flags.insert(.inRecentChanges)
    recentChanges.append(object)
  }
}
