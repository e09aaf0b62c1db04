/// A copy of a context's state, made before a save resolves conflicts, and restored if the save fails.
struct FormerState {
  private let objects: [ObjectState]
  private let newObjectCount: Int
  private let updatedObjects: Set<ManagedObject>
  private let deletedObjects: Set<ManagedObject>
  private let assignments: [ManagedObjectID: PersistentStore]
  private let keptErrors: KeptErrors
  private let actions: UndoManager.Actions?

  private struct ObjectState {
    let object: ManagedObject
    let isInContext: Bool
    let row: Row?
    let edits: [Value]
    let relations: [RelationState]
    let flags: ManagedObject.Flags

    var isOutdated: Bool {
      isInContext != object.isInContext || flags != object.flags || row?.version != object.row?.version
        || !edits.elementsEqual(object.edits) { $0.isSame(as: $1) } || relations != object.relations
    }
  }

  /// Copies the state of a context. The caller must call ``ManagedObjectContext/processPendingChanges()`` first.
  init(of context: ManagedObjectContext) {
    newObjectCount = context.newObjects.count
    updatedObjects = context.updatedObjects
    deletedObjects = context.deletedObjects
    assignments = context.assignments
    keptErrors = context.keptErrors
    actions = context.undoManager?.actions
    objects = (context.newObjects + context.registered.elements).map {
      ObjectState(
        object: $0, isInContext: $0.isInContext, row: $0.row, edits: $0.edits, relations: $0.relations, flags: $0.flags)
    }
  }

  func restore(_ context: ManagedObjectContext) {
    context.forgetRecentChanges()
    let known = Set(objects.map(\.object))
    // Unloads objects read since the copy, and detaches objects created since. Detached objects stay in the array
    // `newObjects`, whose indices are computed from temporary IDs.
    for object in context.registered.elements where !known.contains(object) {
      context.updatedObjects.remove(object)
      context.turnIntoFault(object, nil)
    }
    for object in context.newObjects.dropFirst(newObjectCount) { context.detach(object) }
    var changes = ObjectChanges()
    for state in objects {
      let object = state.object
      if state.isOutdated { changes.refreshed.append(object) }
      object.managedObjectContext = state.isInContext ? context : nil
      object.row = state.row
      object.edits = state.edits
      object.relations = state.relations
      object.flags = state.flags
      if state.isInContext, !object.objectID.isTemporary { context.registered.insert(object) }
    }
    context.updatedObjects = updatedObjects
    context.deletedObjects = deletedObjects
    context.assignments = assignments
    context.keptErrors = keptErrors
    if let actions { context.undoManager?.actions = actions }
    context.announce(changes)
  }
}
