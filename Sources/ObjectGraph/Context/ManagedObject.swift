/// An object of an entity, such as one student, in a context. Changes stay in memory until a save. An object may be
/// used only on its context's queue.
open class ManagedObject: CachedObject {
  /// The entity of the object.
  public final var entity: Entity { objectID.entity }
  /// The ID of the object. The first save of a new object replaces its temporary ID by a permanent one.
  @exclusivity(unchecked) public final internal(set) var objectID: ManagedObjectID
  /// The context of the object. Nil for example after a saved deletion, a reset or the release of the context.
  public final internal(set) var managedObjectContext: ManagedObjectContext? {
    get { home?.context }
    set { home = newValue?.home }
  }

  @exclusivity(unchecked) private final var home: ContextReference?

  final var hasValues: Bool { isInserted || row != nil || !edits.isEmpty }

  final var isInContext: Bool { home != nil }

  /// The row of the object as last read from the store or saved. Nil if no row is loaded.
  @exclusivity(unchecked) final var row: Row?
  /// The values of all attributes, including unsaved changes. If the array is empty, ``row`` has the current values.
  @exclusivity(unchecked) final var edits: [Value] = []
  /// The state of each relationship, in the entity's order. Empty if no relationship was loaded or changed.
  @exclusivity(unchecked) final var relations: [RelationState] = []
  /// The related objects that were accessed or prefetched, and the results of fetched properties, kept in memory. The
  /// key is the relationship's index in the entity; fetched properties follow the relationships.
  @exclusivity(unchecked) final var keptObjects: [Int: [ManagedObject]] = [:]
  @exclusivity(unchecked) final var flags: Flags
  @exclusivity(unchecked) final var cachePage: Unmanaged<RowCache.Page>?

  struct Flags: OptionSet {
    let rawValue: UInt16
    static let fault = Flags(rawValue: 1)
    static let inserted = Flags(rawValue: 2)
    static let updated = Flags(rawValue: 4)
    static let deleted = Flags(rawValue: 8)
    /// The flag of a deleted object whose delete rules were already applied.
    static let propagated = Flags(rawValue: 16)
    static let inRecentChanges = Flags(rawValue: 32)
    static let announced = Flags(rawValue: 64)
    /// The flag of an object with an invalid new value for a property. Saves fail until the property has a valid value.
    static let refused = Flags(rawValue: 128)
  }

  /// The data from which a context creates an object. Only the library makes values of this type.
  public struct Origin {
    let objectID: ManagedObjectID
    let context: ManagedObjectContext
    let row: Row?
    let flags: Flags

    /// Returns the four properties and consumes the struct, because moving is faster than copying.
    @inline(__always)
    consuming func parts() -> (ManagedObjectID, ManagedObjectContext, Row?, Flags) { (objectID, context, row, flags) }
  }

  /// Creates an object for a context. Subclasses inherit this initializer; programs call
  /// `ManagedObjectContext.insert(_:)`.
  public required init(_ origin: Origin) {
    let (objectID, context, row, flags) = origin.parts()
    self.objectID = objectID
    home = context.home
    self.row = row
    self.flags = flags
    if flags.contains(.inserted) { edits = objectID.entity.defaultValues }
  }

  /// Releases related objects in a loop, because the recursive release of a long chain would overflow the stack.
  deinit {
    if cachePage != nil { home?.rowCache.remove(self) }
    guard !keptObjects.isEmpty else { return }
    var others = keptObjects.values.flatMap(\.self)
    keptObjects = [:]
    while var object = others.popLast() {
      guard isKnownUniquelyReferenced(&object) else { continue }
      others += object.keptObjects.values.flatMap(\.self)
      object.keptObjects = [:]
    }
  }

  // MARK: - State

  /// Whether the object is a fault, which loads its values at the first access.
  public final var isFault: Bool { flags.contains(.fault) }
  /// Whether the object is new, so that the next save inserts it.
  public final var isInserted: Bool { flags.contains(.inserted) }
  /// Whether a saved object was changed. The next save writes the object if its values differ from the stored ones.
  public final var isUpdated: Bool { flags.contains(.updated) }
  /// Whether the next save deletes the object.
  public final var isDeleted: Bool { flags.contains(.deleted) }
  /// Whether a read has found no row of the object in the store. Such an object has no values and cannot be changed.
  final var isInaccessible: Bool { flags.contains(.deleted) && row == nil && !isInserted }
  /// Whether the next save inserts the object's row again, because another writer has deleted the row.
  final var isRevived: Bool { flags.isDisjoint(with: [.fault, .inserted]) && isUpdated && row == nil }
  /// Whether the next save inserts, updates or deletes the object.
  public final var hasChanges: Bool { !flags.isDisjoint(with: [.inserted, .updated, .deleted]) }
  package final var hasPersistentChangedValues: Bool {
    isInserted || isDeleted || isRevived || hasChangedAttributes || relations.indices.contains(where: hasChanged)
  }

  private final var hasChangedAttributes: Bool {
    guard !edits.isEmpty, let row else { return edits.contains { !$0.isNull } }
    return edits.indices.contains { !edits[$0].isSame(as: row[$0]) }
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
      keys += entity.attributes.filter { !edits[$0.index].isSame(as: row?[$0.index] ?? .null) }.map(\.name)
    }
    return keys + relations.indices.filter(hasChanged).map { entity.relationships[$0].name }
  }

  // MARK: - Attributes

  /// Returns the value of an attribute, faster than access by name.
  ///
  /// - Throws: ``ObjectGraphError`` if the object's row must be read for this and cannot be read.
  public final func value(of attribute: Attribute) throws -> Value { try value(at: attribute.index) }

  /// Sets the value of an attribute, faster than access by name.
  ///
  /// - Throws: ``ObjectGraphError`` if the attribute cannot store the value, or if the row is gone or cannot be read.
  public final func set(_ attribute: Attribute, to value: Value) throws { try setValue(value, at: attribute.index) }

  @inline(__always)
  final func value(at index: Int) throws -> Value {
    checkQueue()
    if flags.contains(.fault) { try fire() }
    if !edits.isEmpty { return edits[index] }
    return row?[index] ?? .null
  }

  final func setValue(_ value: Value, at index: Int) throws {
    checkQueue()
    let type = entity.attributeTypes[index]
    if type.accepts(value), isChangedQuietly {
      edits[index] = value
      return
    }
    guard let value = type.converted(value) else { throw entity.wrongType(index, found: "\(value)") }
    let context = try ownContext()
    try realize()
    if edits.isEmpty { edits = attributeValues ?? entity.defaultValues }
    context.willChange(self, .attribute(self, index, edits[index]))
    edits[index] = value
    if flags.contains(.refused) { context.forgetRefusal(of: entity.attributes[index].name, self) }
  }

  /// The values of all attributes, including unsaved changes. Nil if no row is loaded and no value was set.
  final var attributeValues: [Value]? {
    edits.isEmpty ? row.map { Array($0.prefix(entity.attributes.count)) } : edits
  }

  /// Whether a change needs no notification, because the object is already listed as changed and no undo manager
  /// records changes.
  @inline(__always)
  private final var isChangedQuietly: Bool {
    flags.contains(.inRecentChanges) && !flags.isDisjoint(with: [.inserted, .updated])
      && flags.isDisjoint(with: [.fault, .deleted, .refused]) && !edits.isEmpty && home?.hearsEveryChange == false
  }

  final func ownContext() throws -> ManagedObjectContext {
    guard let managedObjectContext else {
      throw ObjectGraphError.foreignObject(
        "\(objectID) is not in a context any more, for example after a saved deletion or a reset; "
          + "fetch it again if it still exists")
    }
    return managedObjectContext
  }

  /// Checks that the object belongs to `context`. The error's message starts with `user`.
  final func check(isIn context: ManagedObjectContext, for user: @autoclosure () -> String = "") throws {
    guard try ownContext() !== context else { return }
    throw ObjectGraphError.foreignObject(
      "\(user())\(objectID) belongs to another context; "
        + "save it there if it is new, fetch it in this context by its objectID, and use that object")
  }

  /// Loads the object's values. If ``row`` is nil, reads the row from the row cache or the store. An object without a
  /// stored row is marked as deleted.
  @inline(never)
  final func fire() throws {
    if row == nil {
      let context = try ownContext()
      row = try context.storedRow(of: self)
      if row == nil { flags.insert(.deleted) }
    }
    flags.remove(.fault)
  }

  /// Loads the object's values before a change.
  ///
  /// - Throws: ``ObjectGraphError/inaccessible(_:)`` if the row is gone from the store.
  @inline(__always)
  final func realize() throws {
    if flags.contains(.fault) { try fire() }
    if isInaccessible { throw ObjectGraphError.inaccessible(objectID) }
  }

  /// Stops the program if the object is used outside its context's queue. Only in debug builds and the build of
  /// `scripts/test`.
  @inline(__always)
  final func checkQueue() {
    #if DEBUG || CHECKS_QUEUES
      managedObjectContext?.checkQueue()
    #endif
  }
}

/// A weak reference to a context, shared by all objects of the context.
final class ContextReference {
  weak var context: ManagedObjectContext?
  /// Whether objects report each change to their context. If false, an object that is already listed as changed does
  /// not report further changes.
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
