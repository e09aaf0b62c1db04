/// An object of an entity in one managed object context: a stored row with unsaved changes, or a new object.
///
/// Subclass it to give its properties types:
///
///     final class Student: ManagedObject {
///       @Managed("studentName") var name: String
///       @ManagedToOne("student_class") var schoolClass: SchoolClass?
///       @ManagedToMany("student_course") var courses: Set<Course>
///     }
///
/// An object may be used only on its context's queue. Fetched objects are faults: their values are loaded at the first
/// access, from the row in memory or from the store.
open class ManagedObject {
  /// The entity of the object.
  public final var entity: Entity { objectID.entity }
  /// The identity of the object. A new object has a temporary ID, which its first save replaces by a permanent one.
  @exclusivity(unchecked) public final internal(set) var objectID: ManagedObjectID
  /// The context that the object belongs to. Nil after a save has deleted the object, and after the context was reset
  /// or released.
  public final internal(set) var managedObjectContext: ManagedObjectContext? {
    get { home?.context }
    set { home = newValue?.home }
  }

  @exclusivity(unchecked) private final var home: ContextReference?

  final var hasValues: Bool { isInserted || row != nil || !edits.isEmpty }

  final var isInContext: Bool { home != nil }

  /// The object's row as it was last read from or written to the store. Nil if there is none or it was not read yet.
  @exclusivity(unchecked) final var row: Row?
  /// The values of all attributes, with unsaved changes. Empty if no attribute was set: `row` then has the values.
  @exclusivity(unchecked) final var edits: [Value] = []
  /// The states of all relationships (loaded objects and unsaved changes), by index in the entity. Empty if none was
  /// loaded or changed.
  @exclusivity(unchecked) final var relations: [RelationState] = []
  /// The related objects that were accessed or prefetched, by relationship index. This object keeps them in memory.
  @exclusivity(unchecked) final var destinationObjects: [Int: [ManagedObject]] = [:]
  @exclusivity(unchecked) final var fetched: [Int: [ManagedObject]]?
  @exclusivity(unchecked) final var flags: Flags
  @exclusivity(unchecked) final var cachePage: Unmanaged<RowCache.Page>?

  struct Flags: OptionSet {
    let rawValue: UInt16
    static let fault = Flags(rawValue: 1)
    static let inserted = Flags(rawValue: 2)
    static let updated = Flags(rawValue: 4)
    static let deleted = Flags(rawValue: 8)
    /// The flag of a deleted object whose delete rules were already applied to the related objects, such as a cascade.
    static let propagated = Flags(rawValue: 16)
    static let inRecentChanges = Flags(rawValue: 32)
    static let announced = Flags(rawValue: 64)
    /// The flag of an object with a property that was set to an invalid value, which is an error. Every save throws
    /// this error until the property gets a valid value.
    static let refused = Flags(rawValue: 128)
  }

  /// The arguments that a context passes to ``ManagedObject/init(_:)`` when it creates an object. Programs do not
  /// create them.
  public struct Origin {
    let objectID: ManagedObjectID
    let context: ManagedObjectContext
    let row: Row?
    let flags: Flags

    /// Consumes the struct and returns its four properties, which saves a retain and a release for each property.
    @inline(__always)
    consuming func parts() -> (ManagedObjectID, ManagedObjectContext, Row?, Flags) { (objectID, context, row, flags) }
  }

  /// Creates an object for a context. Subclasses inherit this initializer; programs call ``init(context:)`` or
  /// `ManagedObjectContext.insert(_:)` instead.
  public required init(_ origin: Origin) {
    let (objectID, context, row, flags) = origin.parts()
    self.objectID = objectID
    home = context.home
    self.row = row
    self.flags = flags
    if flags.contains(.inserted) { edits = objectID.entity.defaultValues }
  }

  /// Creates a new object of the entity whose objects have this class. The context's next save inserts it.
  ///
  /// - Throws: ``ObjectGraphError/unknownEntity(_:)`` if no entity of the model, or more than one, has this class.
  public convenience init(context: ManagedObjectContext) throws {
    let entity = try context.model.entity(of: Self.self)
    self.init(context.originOfNewObject(entity))
    context.adopt(self)
  }

  /// Releases related objects one by one, because the recursive release of a long chain would overflow the stack.
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

  private final func takeDestinations() -> [ManagedObject] {
    guard !destinationObjects.isEmpty || fetched != nil else { return [] }
    let others = destinationObjects.values.flatMap(\.self) + (fetched ?? [:]).values.flatMap(\.self)
    releaseDestinations()
    return others
  }

  /// Releases the related objects that this object keeps in memory, because objects that retain each other would leak.
  final func releaseDestinations() {
    destinationObjects = [:]
    fetched = nil
  }

  // MARK: - State

  /// Whether the object is a fault: its values have not been accessed yet.
  public final var isFault: Bool { flags.contains(.fault) }
  /// Whether the object is new, so that the next save inserts it.
  public final var isInserted: Bool { flags.contains(.inserted) }
  /// Whether the object was changed since the last save. The next save updates it if its values differ from the
  /// store's.
  public final var isUpdated: Bool { flags.contains(.updated) }
  /// Whether the next save deletes the object.
  public final var isDeleted: Bool { flags.contains(.deleted) }
  /// Whether a read found that the object's row is gone from the store. The object has no values and cannot be changed.
  final var isInaccessible: Bool { flags.contains(.deleted) && row == nil && !isInserted }
  /// Whether the next save inserts the object again under its old key, because another writer has deleted its row.
  final var isRevived: Bool { flags.isDisjoint(with: [.fault, .inserted]) && isUpdated && row == nil }
  /// Whether the next save inserts, updates or deletes the object.
  public final var hasChanges: Bool { !flags.isDisjoint(with: [.inserted, .updated, .deleted]) }
  package final var hasPersistentChangedValues: Bool {
    isInserted || isDeleted || isRevived || hasChangedAttributes || relations.indices.contains(where: hasChanged)
  }

  private final var hasChangedAttributes: Bool {
    guard !edits.isEmpty, let row else { return edits.contains { !$0.isNull } }
    return edits.indices.contains { !edits[$0].isSame(as: row.values[$0]) }
  }

  private final func hasChanged(_ index: Int) -> Bool {
    switch relations[index] {
    case .unloaded: false
    case .one(let id): id != storedDestination(of: entity.relationships[index])
    case .many(let many): many.hasChanges
    }
  }

  package final var changedKeys: [String] {
    var keys: [String] = []
    if !edits.isEmpty {
      keys += entity.attributes.filter { !edits[$0.index].isSame(as: row?.values[$0.index] ?? .null) }.map(\.name)
    }
    return keys + relations.indices.filter(hasChanged).map { entity.relationships[$0].name }
  }

  // MARK: - Attributes

  /// Returns the value of an attribute. Access by ``Attribute`` is faster than access by name, provided that the caller
  /// keeps the ``Attribute``.
  ///
  /// - Throws: ``ObjectGraphError`` if the object's values are not in memory and its row is gone or cannot be read.
  public final func value(of attribute: Attribute) throws -> Value { try value(at: attribute.index) }

  /// Sets the value of an attribute. Access by ``Attribute`` is faster than access by name, provided that the caller
  /// keeps the ``Attribute``.
  ///
  /// - Throws: ``ObjectGraphError`` if the attribute cannot store the value or the object's row cannot be read. If the
  ///   row is gone, always ``ObjectGraphError/inaccessible(_:)``.
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

  /// Whether the object can store a changed value without calling the context. This requires that the object is already
  /// in the context's list of recent changes, and that no undo manager records changes.
  @inline(__always)
  private final var isChangedQuietly: Bool {
    flags.contains(.inRecentChanges) && !flags.isDisjoint(with: [.inserted, .updated])
      && flags.isDisjoint(with: [.fault, .deleted, .refused]) && !edits.isEmpty && home?.hearsEveryChange == false
  }

  final func ownContext() throws -> ManagedObjectContext {
    guard let managedObjectContext else {
      throw ObjectGraphError.foreignObject("\(objectID) is not in a context any more")
    }
    return managedObjectContext
  }

  /// Loads the values of a fault (an object not accessed yet): from `row` if that is set, otherwise from the row cache
  /// or the store.
  @inline(never)
  final func fire() throws {
    if row == nil {
      let context = try ownContext()
      row = try context.storedRow(of: self)
      if row == nil { flags.insert(.deleted) }
    }
    flags.remove(.fault)
  }

  /// Loads the object's values before a change, because a later save needs the version of the row to detect changes by
  /// other writers.
  ///
  /// - Throws: ``ObjectGraphError/inaccessible(_:)`` if the row is gone from the store.
  @inline(__always)
  final func realize() throws {
    if flags.contains(.fault) { try fire() }
    if isInaccessible { throw ObjectGraphError.inaccessible(objectID) }
  }

  /// Stops the program if the object is used outside its context's queue. Debug builds and the build of `scripts/test`
  /// check this.
  @inline(__always)
  final func checkQueue() {
    #if DEBUG || CHECKS_QUEUES
      managedObjectContext?.checkQueue()
    #endif
  }
}

/// A weak reference to a context. All objects of the context share one instance.
final class ContextReference {
  weak var context: ManagedObjectContext?
  /// Whether objects must report each change to the context before they apply the change. True if an undo manager
  /// records the changes. Also true after the context was released: an attempt to report a change then throws an error.
  @exclusivity(unchecked) var hearsEveryChange = false
  let rowCache: RowCache

  init(_ rowCache: RowCache) { self.rowCache = rowCache }
}

extension ManagedObject: Hashable {
  public static func == (left: ManagedObject, right: ManagedObject) -> Bool { left === right }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Sequence<ManagedObject> {
  var ordered: [ManagedObject] {
    // Sorts numbers instead of objects, because each move of an object would change its reference count.
    let objects = Array(self)
    guard objects.count > 1 else { return objects }
    let numbers = objects.indices.map { index -> (entity: Int, key: Int64, index: Int) in
      let id = objects[index].objectID
      return (id.entity.number, id.key, index)
    }
    return numbers.sorted { $0.entity == $1.entity ? $0.key < $1.key : $0.entity < $1.entity }
      .map { objects[$0.index] }
  }
}

extension ManagedObject: CachedObject {}
