import Dispatch
import Foundation

/// A group of managed objects whose changes stay in memory until a save. Use a context only on its queue or thread;
/// pass object IDs to other contexts.
public final class ManagedObjectContext: @unchecked Sendable {
  // Sendable because all mutable state is used only on the context's queue.

  /// The thread or queue on which a context and its objects may be used.
  public enum ConcurrencyType: Sendable {
    /// A private serial queue, on which ``perform(_:)-(()->Void)`` and ``performAndWait(_:)`` run blocks.
    case privateQueue
    /// The thread that created the context, for programs with one thread per context. The context has no queue.
    case confinement
  }

  /// The coordinator of the stores that the context reads and writes.
  public let persistentStoreCoordinator: PersistentStoreCoordinator
  /// Whether the context has a private queue or is confined to the thread that created it.
  public let concurrencyType: ConcurrencyType
  /// The policy by which a save resolves conflicts. By default, a conflict is an error.
  public var mergePolicy = MergePolicy.error
  /// Whether reading an object with a missing row marks the object as deleted, as in Core Data. If false, the read
  /// throws an error.
  public var shouldDeleteInaccessibleFaults = true
  /// The undo manager that records the changes of this context. Nil if changes are not recorded.
  public var undoManager: UndoManager? {
    didSet {
      guard undoManager !== oldValue else { return }
      oldValue?.context = nil
      undoManager?.context = self
      home.hearsEveryChange = undoManager != nil
    }
  }
  /// The name of the context in error messages; empty by default.
  public var name = ""

  let model: ManagedObjectModel
  let rowCache: RowCache
  let home: ContextReference
  let queue: DispatchQueue
  let thread: pthread_t

  let registered = RegisteredObjects()
  /// The objects created since the last save. A deleted object stays in the array, so that the indices of later objects
  /// do not change.
  @exclusivity(unchecked) private(set) var newObjects: [ManagedObject] = []
  /// New objects, which the next save inserts.
  public var insertedObjects: Set<ManagedObject> { Set(newObjects.filter { $0.isInserted && !$0.isDeleted }) }
  /// Changed objects, which the next save writes if their values differ from the stored ones.
  @exclusivity(unchecked) public internal(set) var updatedObjects: Set<ManagedObject> = []
  /// Deleted objects, which the next save removes from the store.
  @exclusivity(unchecked) public internal(set) var deletedObjects: Set<ManagedObject> = []

  @exclusivity(unchecked) var recentChanges: [ManagedObject] = []
  /// The refreshed and invalidated objects since the last ``processPendingChanges()``.
  var recent = ObjectChanges()
  @exclusivity(unchecked) var unpropagatedDeletes: [ManagedObject] = []

  private let temporaryOrigin = StoreIdentifier(UUID())
  @exclusivity(unchecked) private var lastTemporaryKey: Int64 = 0
  @exclusivity(unchecked) private var firstTemporaryKey: Int64 = -1
  var keptErrors = KeptErrors()
  var observers: [WeakObserver] = []
  /// The compiled fetched properties. The key of the dictionary is the entity's number and the property's index.
  var fetchedProperties: [[Int]: FetchedProperty] = [:]
  /// The token of the state that the context reads, or nil for the newest state at each request.
  var generation: QueryGenerationToken?
  /// The store chosen for each new object, by temporary ID. Objects without an entry go to the coordinator's first
  /// store.
  var assignments: [ManagedObjectID: PersistentStore] = [:]

  /// Creates a context for the stores of a coordinator.
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
    // Objects that retain each other would otherwise never be released.
    for object in registered.elements + newObjects { object.keptObjects = [:] }
  }

  // MARK: - Objects

  /// Creates a new object of the given class. The next save inserts it.
  ///
  /// - Throws: ``ObjectGraphError/unknownEntity(_:)`` if no entity of the model, or more than one, has this class.
  public func insert<Object: ManagedObject>(_ objectClass: Object.Type) throws -> Object {
    let object = insert(try model.entity(of: objectClass))
    // The downcast is safe: the entity was looked up by this class.
    return unsafeDowncast(object, to: Object.self)
  }

  /// Creates a new object of the entity with the given name. The next save inserts it.
  ///
  /// - Throws: ``ObjectGraphError/unknownEntity(_:)`` if the model has no entity of this name.
  public func insert(_ entityName: String) throws -> ManagedObject { insert(try model.entity(entityName)) }

  /// Creates a new object of an entity. The next save inserts it.
  public func insert(_ entity: Entity) -> ManagedObject {
    checkQueue()
    lastTemporaryKey -= 1
    let id = ManagedObjectID(entity: entity, origin: temporaryOrigin, key: lastTemporaryKey)
    let object = entity.objectClass.init(.init(objectID: id, context: self, row: nil, flags: .inserted))
    newObjects.append(object)
    registerChange(of: object)
    undoManager?.record(.inserted(object))
    return object
  }

  /// Chooses the store to which the next save writes a new object. The default is the coordinator's first store.
  public func assign(_ object: ManagedObject, to store: PersistentStore) {
    checkQueue()
    if object.isInserted { assignments[object.objectID] = store }
  }

  /// Returns the context's object with the given ID, or creates one without reading the store. Values are loaded at the
  /// first access.
  public func object(with id: ManagedObjectID) -> ManagedObject {
    #if DEBUG || CHECKS_QUEUES
      checkQueue()
    #endif
    if let object = known(id) { return object }
    // An ID from another coordinator may refer to another instance of the model.
    let own = model.adopted(id)
    if own.entity !== id.entity, let object = known(own) { return object }
    let isForeign = !model.owns(own.entity)
    let object = own.entity.objectClass.init(
      .init(objectID: own, context: self, row: nil, flags: isForeign ? .deleted : .fault))
    if !isForeign { rowCache.add(object, nil) }
    registered.insert(object)
    return object
  }

  /// Returns the object with the given ID, with its values, or nil if the store has no such object.
  ///
  /// - Throws: ``ObjectGraphError`` if the store cannot be read.
  public func existingObject(with id: ManagedObjectID) throws -> ManagedObject? {
    checkQueue()
    let id = model.adopted(id)
    if let object = known(id), !object.isFault || object.row != nil {
      return object.isDeleted ? nil : object
    }
    let reading = try startReading()
    guard let row = try persistentStoreCoordinator.row(for: id, in: readGeneration()) else { return nil }
    let object = object(with: id, row: row, reading)
    rowCache.add(object, reading)
    return object
  }

  @inline(__always)
  func known(_ id: ManagedObjectID) -> ManagedObject? {
    guard id.isTemporary else { return registered[id] }
    let index = Int(firstTemporaryKey - id.key)
    return id.origin == temporaryOrigin && newObjects.indices.contains(index) ? newObjects[index] : nil
  }

  /// Returns the object with the given ID, for recording a change in the undo manager. Nil if the ID is temporary and
  /// the context no longer has the object.
  func recordable(_ id: ManagedObjectID) -> ManagedObject? { id.isTemporary ? known(id) : object(with: id) }

  func forgetNewObjects() {
    newObjects = []
    firstTemporaryKey = lastTemporaryKey - 1
  }

  package var registeredObjects: Set<ManagedObject> { insertedObjects.union(registered.elements) }

  /// Whether the context has unsaved changes.
  public var hasChanges: Bool {
    !deletedObjects.isEmpty || newObjects.contains { $0.isInserted && !$0.isDeleted }
      || updatedObjects.contains { $0.hasPersistentChangedValues }
  }

  // MARK: - Changes of objects

  @inline(__always)
  func willChange(_ object: ManagedObject, _ event: @autoclosure () -> UndoEvent?) {
    if object.flags.isDisjoint(with: [.inserted, .updated, .deleted]) {
      object.flags.insert(.updated)
      updatedObjects.insert(object)
    }
    registerChange(of: object)
    undoManager?.record(event())
  }

  @inline(__always)
  func registerChange(of object: ManagedObject) {
    guard !object.flags.contains(.inRecentChanges) else { return }
    object.flags.insert(.inRecentChanges)
    recentChanges.append(object)
  }
}
