import Dispatch
import Foundation

/// A set of objects with unsaved changes. Other contexts see the changes only after ``save()`` has written them in one
/// transaction; ``rollback()`` discards them.
///
/// Within a context there is one object for one ID. A context may be used only on its own queue. Elsewhere, call
/// ``perform(_:)-(()->Void)`` or ``performAndWait(_:)``, and pass ``ManagedObject/objectID`` instead of objects to
/// other contexts. Debug builds stop a program that violates this.
public final class ManagedObjectContext: @unchecked Sendable {
  // Sendable because everything below is used on the queue only.

  /// The thread or queue on which a context and its objects may be used.
  public enum ConcurrencyType: Sendable {
    /// A private serial queue.
    case privateQueue
    /// The thread that created the context, without a queue, as in the first versions of Core Data. For programs with
    /// one thread per context.
    case confinement
  }

  /// The coordinator of the stores.
  public let persistentStoreCoordinator: PersistentStoreCoordinator
  /// The thread or queue of the context.
  public let concurrencyType: ConcurrencyType
  /// The policy for conflicts with other saves and with uniqueness constraints.
  public var mergePolicy = MergePolicy.error
  /// Whether a fault whose row is gone becomes a deleted object without values, as in Core Data since iOS 9. If false,
  /// reading such a fault is an error.
  public var shouldDeleteInaccessibleFaults = true
  /// The undo manager, if any. It serves only this context.
  public var undoManager: UndoManager? {
    didSet {
      guard undoManager !== oldValue else { return }
      oldValue?.context = nil
      undoManager?.context = self
      home.hearsEveryChange = undoManager != nil
    }
  }
  /// The name of the context in error messages.
  public var name = ""

  let model: ManagedObjectModel
  let rowCache: RowCache
  let home: ContextReference
  let queue: DispatchQueue
  let thread: pthread_t

  let registered = RegisteredObjects()
  /// The new objects in order of creation. Deleted ones stay, because a temporary key is an index of the list.
  @exclusivity(unchecked) private(set) var newObjects: [ManagedObject] = []
  /// New objects, which the next save inserts.
  public var insertedObjects: Set<ManagedObject> { Set(newObjects.filter { $0.isInserted && !$0.isDeleted }) }
  /// Changed objects. The next save updates those whose values differ from the store's.
  @exclusivity(unchecked) public internal(set) var updatedObjects: Set<ManagedObject> = []
  /// Deleted objects, which the next save removes from the store.
  @exclusivity(unchecked) public internal(set) var deletedObjects: Set<ManagedObject> = []

  /// The objects changed since the last ``processPendingChanges()``, in order.
  @exclusivity(unchecked) var recentChanges: [ManagedObject] = []
  /// The objects that a merge, a refresh or a rollback has changed or added since observers were last notified.
  var recentlyRefreshed: [ManagedObject] = []
  var recentlyInvalidated: [ManagedObject] = []
  /// The deleted objects to which ``processPendingChanges()`` has not applied the delete rules yet.
  @exclusivity(unchecked) var unpropagatedDeletes: [ManagedObject] = []

  private let temporaryOrigin = StoreIdentifier()
  @exclusivity(unchecked) private var lastTemporaryKey: Int64 = 0
  @exclusivity(unchecked) private var firstTemporaryKey: Int64 = -1
  var keptErrors = KeptErrors()
  var observers: [WeakObserver] = []
  /// The compiled fetched properties. Each key has two elements: the entity's number and the property's index.
  var fetchedProperties: [[Int]: FetchedProperty] = [:]
  /// The state of the stores that requests read: the newest one, or one that the context is pinned to.
  var generation = Generation.unpinned
  /// The stores chosen for new objects, by the objects' temporary IDs. All other new objects go to the first store.
  var assignments: [ManagedObjectID: PersistentStore] = [:]

  /// Creates a context.
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
    // Otherwise, objects that refer to each other would never be released.
    for object in registered.elements + newObjects { object.releaseDestinations() }
  }

  // MARK: - Objects

  /// Creates a new object of a class. The next save inserts it.
  ///
  /// - Throws: ``ObjectGraphError/unknownEntity(_:)`` if the model has no entity of this class, or several.
  public func insert<Object: ManagedObject>(_ objectClass: Object.Type) throws -> Object {
    let object = insert(try model.entity(of: objectClass))
    // The downcast is safe: the entity was looked up by this class.
    return unsafeDowncast(object, to: Object.self)
  }

  /// Creates a new object of an entity. The next save inserts it.
  ///
  /// - Throws: ``ObjectGraphError/unknownEntity(_:)``.
  public func insert(_ entityName: String) throws -> ManagedObject { insert(try model.entity(entityName)) }

  /// Creates a new object of an entity. The next save inserts it.
  public func insert(_ entity: Entity) -> ManagedObject {
    let object = entity.objectClass.init(originOfNewObject(entity))
    adopt(object)
    return object
  }

  /// Chooses the store of a new object. The default is the coordinator's first store.
  public func assign(_ object: ManagedObject, to store: PersistentStore) {
    checkQueue()
    if object.isInserted { assignments[object.objectID] = store }
  }

  /// Returns the object with an ID: the existing one, or a new fault. The store is not read.
  public func object(with id: ManagedObjectID) -> ManagedObject {
    #if DEBUG
      checkQueue()
    #endif
    if let object = known(id) { return object }
    // The ID may come from another coordinator.
    let own = model.adopted(id)
    if own.entity !== id.entity, let object = known(own) { return object }
    let isForeign = !model.owns(own.entity)
    let object = own.entity.objectClass.init(
      .init(objectID: own, context: self, row: nil, flags: isForeign ? .deleted : .fault))
    if !isForeign { rowCache.add(object, nil) }
    registered.insert(object)
    return object
  }

  /// Returns the object with an ID and its values, or nil if the store has no such object.
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

  /// Returns the object with an ID if it is in this context.
  package func registeredObject(for id: ManagedObjectID) -> ManagedObject? {
    checkQueue()
    return known(model.adopted(id))
  }

  /// Returns the new or registered object with an ID, or nil if this context does not have the object.
  @inline(__always)
  func known(_ id: ManagedObjectID) -> ManagedObject? {
    guard id.isTemporary else { return registered[id] }
    let index = Int(firstTemporaryKey - id.key)
    return id.origin == temporaryOrigin && newObjects.indices.contains(index) ? newObjects[index] : nil
  }

  /// Empties the list of new objects, after a save has registered them or a rollback has removed them.
  func forgetNewObjects() {
    newObjects = []
    firstTemporaryKey = lastTemporaryKey - 1
  }

  /// All objects of this context that are still referenced.
  package var registeredObjects: Set<ManagedObject> { insertedObjects.union(registered.elements) }

  /// Whether there are unsaved changes.
  public var hasChanges: Bool {
    !deletedObjects.isEmpty || newObjects.contains { $0.isInserted && !$0.isDeleted }
      || updatedObjects.contains { $0.hasPersistentChangedValues }
  }

  // MARK: - Changes of objects

  /// A change of one property of one object, with the data to undo it. The inverse relationship gets a separate
  /// `Change`.
  enum Change {
    /// A change of an attribute: its index in the entity, and its former value.
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

  /// Adds an object to the list of changes for the next notification of observers.
  @inline(__always)
  func registerChange(of object: ManagedObject) {
    guard !object.flags.contains(.inRecentChanges) else { return }
    object.flags.insert(.inRecentChanges)
    recentChanges.append(object)
  }
}
