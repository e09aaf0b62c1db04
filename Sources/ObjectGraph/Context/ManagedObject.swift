/// An object of an entity in one context.
///
/// Subclass it to give its properties types:
///
///     final class Student: ManagedObject {
///       @Managed("studentName") var name: String
///       @ManagedToOne("student_class") var schoolClass: SchoolClass?
///       @ManagedToMany("student_course") var courses: Set<Course>
///     }
///
/// An object may be used only on its context's queue. Fetched objects are faults: the first access takes their values
/// from the row in memory, or reads them from the store.
open class ManagedObject {
  /// The entity of the object.
  public final var entity: Entity { objectID.entity }
  /// The identity of the object. It changes once, when a new object is saved.
  @exclusivity(unchecked) public final internal(set) var objectID: ManagedObjectID
  /// The context of the object. Nil after the object was deleted and saved, or its context was reset.
  public final internal(set) var managedObjectContext: ManagedObjectContext? {
    get { home?.context }
    set { home = newValue?.home }
  }

  /// A reference to the context that does not retain it.
  @exclusivity(unchecked) private final var home: ContextReference?

  /// Whether the object has values. If its row is gone, all its values are null.
  final var hasValues: Bool { isInserted || row != nil || !edits.isEmpty }

  final var isInContext: Bool { home != nil }

  /// The row as it was last read or saved. Nil in a new object, and in a fault whose row has not been read.
  @exclusivity(unchecked) final var row: Row?
  /// The current values of the attributes. Empty until one is set.
  @exclusivity(unchecked) final var edits: [Value] = []
  /// The known states of the relationships, by index. Empty if none is known.
  @exclusivity(unchecked) final var relations: [RelationState] = []
  /// The objects at the other end of relationships that were accessed or prefetched, by the index of the relationship.
  /// They stay in memory as long as this object.
  @exclusivity(unchecked) final var destinationObjects: [Int: [ManagedObject]] = [:]
  /// The results of fetched properties, by their indexes.
  @exclusivity(unchecked) final var fetched: [Int: [ManagedObject]]?
  @exclusivity(unchecked) final var flags: Flags
  /// The page of the coordinator's row cache that counts this object; nil if none does.
  @exclusivity(unchecked) final var cachePage: Unmanaged<RowCache.Page>?

  struct Flags: OptionSet {
    let rawValue: UInt16
    /// The object's values have not been accessed yet.
    static let fault = Flags(rawValue: 1)
    static let inserted = Flags(rawValue: 2)
    static let updated = Flags(rawValue: 4)
    static let deleted = Flags(rawValue: 8)
    /// The delete rules of the object's relationships have been applied.
    static let propagated = Flags(rawValue: 16)
    /// The object is in the context's list of recent changes.
    static let inRecentChanges = Flags(rawValue: 32)
    /// Observers have been notified of the object.
    static let announced = Flags(rawValue: 64)
    /// The context keeps the error of a property that was set to an invalid value.
    static let refused = Flags(rawValue: 128)
  }

  /// The parts from which a context creates an object.
  public struct Origin {
    let objectID: ManagedObjectID
    let context: ManagedObjectContext
    let row: Row?
    let flags: Flags

    /// Returns the parts and consumes the whole, because copies of the parts would be retained and released at once.
    @inline(__always)
    consuming func parts() -> (ManagedObjectID, ManagedObjectContext, Row?, Flags) { (objectID, context, row, flags) }
  }

  /// Creates an object for a context. Subclasses inherit this initializer; programs call ``init(context:)`` or
  /// `ManagedObjectContext.insert(_:)`.
  public required init(_ origin: Origin) {
    let (objectID, context, row, flags) = origin.parts()
    self.objectID = objectID
    home = context.home
    self.row = row
    self.flags = flags
    if flags.contains(.inserted) { edits = objectID.entity.defaultValues }
  }

  /// Creates a new object of the entity that has this class. The context's next save inserts it.
  ///
  /// - Throws: ``ObjectGraphError/unknownEntity(_:)`` if the model has none or several with this class.
  public convenience init(context: ManagedObjectContext) throws {
    let entity = try context.model.entity(of: Self.self)
    self.init(context.originOfNewObject(entity))
    context.adopt(self)
  }

  /// Releases a chain of objects iteratively. A recursive release in `deinit` would overflow the stack.
  deinit {
    leaveCache()
    guard !destinationObjects.isEmpty || fetched != nil else { return }
    var others = takeDestinations()
    while var object = others.popLast() {
      if isKnownUniquelyReferenced(&object) { others += object.takeDestinations() }
    }
  }

  @inline(__always)
  final func leaveCache() {
    if cachePage != nil { home?.rowCache.remove(self) }
  }

  /// Removes and returns the objects that this object keeps in memory.
  private final func takeDestinations() -> [ManagedObject] {
    guard !destinationObjects.isEmpty || fetched != nil else { return [] }
    let others = destinationObjects.values.flatMap(\.self) + (fetched ?? [:]).values.flatMap(\.self)
    releaseDestinations()
    return others
  }

  /// Releases the objects that this object keeps in memory. Otherwise, objects that hold each other would stay.
  final func releaseDestinations() {
    destinationObjects = [:]
    fetched = nil
  }

  // MARK: - State

  /// Whether the object is a fault: its values have not been accessed yet.
  public final var isFault: Bool { flags.contains(.fault) }
  /// Whether the object is new. The next save inserts it.
  public final var isInserted: Bool { flags.contains(.inserted) }
  /// Whether the object was changed. The next save updates it if its values differ from the store's.
  public final var isUpdated: Bool { flags.contains(.updated) }
  /// Whether the next save deletes the object.
  public final var isDeleted: Bool { flags.contains(.deleted) }
  /// Whether the row turned out to be gone from the store. The object then has no values and cannot be changed.
  final var isInaccessible: Bool { flags.contains(.deleted) && row == nil && !isInserted }
  /// Whether the next save inserts the object under its old key, because another context or process has deleted it.
  /// Every other changed object has a row, or is a fault until the save.
  final var isRevived: Bool { flags.isDisjoint(with: [.fault, .inserted]) && isUpdated && row == nil }
  /// Whether the next save inserts, updates or deletes the object.
  public final var hasChanges: Bool { !flags.isDisjoint(with: [.inserted, .updated, .deleted]) }
  /// Whether values differ from the stored row.
  package final var hasPersistentChangedValues: Bool {
    isInserted || isDeleted || isRevived || hasChangedAttributes || relations.indices.contains(where: hasChanged)
  }

  private final var hasChangedAttributes: Bool {
    guard !edits.isEmpty, let row else { return edits.contains { !$0.isNull } }
    return edits.indices.contains { !edits[$0].isSame(as: row.values[$0]) }
  }

  /// Returns whether the relationship at an index differs from the stored one.
  private final func hasChanged(_ place: Int) -> Bool {
    switch relations[place] {
    case .unloaded: false
    case .one(let id): id != storedDestination(of: entity.relationships[place])
    case .many(let many): many.hasChanges
    }
  }

  /// The names of the properties whose values differ from the stored row.
  package final var changedKeys: [String] {
    var keys: [String] = []
    if !edits.isEmpty {
      keys += entity.attributes.filter { !edits[$0.index].isSame(as: row?.values[$0.index] ?? .null) }.map(\.name)
    }
    return keys + relations.indices.filter(hasChanged).map { entity.relationships[$0].name }
  }

  // MARK: - Attributes

  /// Returns the value of an attribute. This is the fastest access if the caller keeps the ``Attribute``.
  ///
  /// - Throws: ``ObjectGraphError`` if the object is a fault whose row is gone or cannot be read.
  public final func value(of attribute: Attribute) throws -> Value { try value(at: attribute.index) }

  /// Sets the value of an attribute. This is the fastest access if the caller keeps the ``Attribute``.
  ///
  /// - Throws: ``ObjectGraphError``; always ``ObjectGraphError/inaccessible(_:)`` if the row is gone.
  public final func set(_ attribute: Attribute, to value: Value) throws { try setValue(value, at: attribute.index) }

  @inline(__always)
  final func value(at index: Int) throws -> Value {
    checkQueue()
    if flags.contains(.fault) { try fire() }
    if !edits.isEmpty { return edits[index] }
    return row?.values[index] ?? .null
  }

  final func setValue(_ value: Value, at index: Int) throws {
    checkQueue()
    let type = entity.attributeTypes[index]
    // The context already knows that the object changed, and does not record each change.
    if type.accepts(value), isChangedQuietly {
      edits[index] = value
      return
    }
    guard let value = type.converted(value) else {
      throw ObjectGraphError.wrongType(
        key: entity.attributes[index].name, entity: entity.name, expected: type.rawValue, found: "\(value)")
    }
    let context = try ownContext()
    try realize()
    if edits.isEmpty { edits = row.map { Array($0.values.prefix(entity.attributes.count)) } ?? entity.defaultValues }
    context.willChange(self, .attribute(index, edits[index]))
    edits[index] = value
    if flags.contains(.refused) { context.forgetRefusal(of: entity.attributes[index].name, self) }
  }

  /// Whether another change of a value need not be announced: the object is already among the changed and the recently
  /// changed ones, and no undo manager observes it.
  @inline(__always)
  private final var isChangedQuietly: Bool {
    flags.contains(.inRecentChanges) && !flags.isDisjoint(with: [.inserted, .updated])
      && flags.isDisjoint(with: [.fault, .deleted, .refused]) && !edits.isEmpty && home?.hearsEveryChange == false
  }

  /// Returns the context that the object belongs to.
  ///
  /// - Throws: ``ObjectGraphError/foreignObject(_:)`` if the object was removed from its context.
  final func ownContext() throws -> ManagedObjectContext {
    guard let managedObjectContext else {
      throw ObjectGraphError.foreignObject("\(objectID) is not in a context any more")
    }
    return managedObjectContext
  }

  /// Reads the values of a fault, from the row in memory if there is one.
  @inline(never)
  final func fire() throws {
    if row == nil {
      let context = try ownContext()
      row = try context.storedRow(of: self)
      if row == nil { flags.insert(.deleted) }
    }
    flags.remove(.fault)
  }

  /// Prepares the object for a change. The row must be known, because it has the version that is changed.
  ///
  /// - Throws: ``ObjectGraphError/inaccessible(_:)`` if the row is gone.
  @inline(__always)
  final func realize() throws {
    if flags.contains(.fault) { try fire() }
    if isInaccessible { throw ObjectGraphError.inaccessible(objectID) }
  }

  /// In debug builds, stops a program that uses the object off its context's queue.
  @inline(__always)
  final func checkQueue() {
    #if DEBUG
      managedObjectContext?.checkQueue()
    #endif
  }
}

/// The weak reference to a context that its objects share.
final class ContextReference {
  weak var context: ManagedObjectContext?
  /// Whether objects must call the context before each change: for its undo manager, or because the context is gone.
  @exclusivity(unchecked) var hearsEveryChange = false
  let rowCache: RowCache

  init(_ rowCache: RowCache) { self.rowCache = rowCache }
}

extension ManagedObject: Hashable {
  public static func == (left: ManagedObject, right: ManagedObject) -> Bool { left === right }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Sequence<ManagedObject> {
  /// The objects sorted by ``ManagedObjectID/isOrdered(_:_:)``.
  var ordered: [ManagedObject] {
    // A save sorts all changed objects. Sorting numbers avoids the reference counting of each move.
    let objects = Array(self)
    guard objects.count > 1 else { return objects }
    let places = objects.indices.map { place -> (entity: Int, key: Int64, place: Int) in
      let id = objects[place].objectID
      return (id.entity.number, id.key, place)
    }
    return places.sorted { $0.entity == $1.entity ? $0.key < $1.key : $0.entity < $1.entity }
      .map { objects[$0.place] }
  }
}

extension ManagedObject: CachedObject {}
