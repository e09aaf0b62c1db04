import Foundation

/// The changes of a save, which ``ManagedObjectContext/mergeChanges(fromContextDidSave:)`` takes over.
public struct SaveChanges: Sendable {
  /// The permanent IDs of new objects.
  public let inserted: [ManagedObjectID]
  /// The IDs of objects whose rows have changed.
  public let updated: [ManagedObjectID]
  /// The IDs of deleted objects.
  public let deleted: [ManagedObjectID]
  /// The coordinator of the context that saved. Its row cache already has the saved rows.
  fileprivate var coordinator: ObjectIdentifier?

  /// The conflicts between this save and other writers' saves or deletions. The merge policy resolved them.
  ///
  /// Under ``MergePolicy/mergeByPropertyStoreTrump`` and ``MergePolicy/rollback``, the context gave up conflicting
  /// changes.
  package let mergeConflicts: [MergeConflict]
  /// The conflicts about unique values that the merge policy resolved. If a new object conflicted, it was not saved,
  /// and the conflict contains its temporary ID; a stored object may have taken its values. If a changed object
  /// conflicted, it gave up its change, or the stored object was deleted.
  package let constraintConflicts: [ConstraintConflict]

  init(
    inserted: [ManagedObjectID], updated: [ManagedObjectID], deleted: [ManagedObjectID],
    mergeConflicts: [MergeConflict], constraintConflicts: [ConstraintConflict]
  ) {
    self.inserted = inserted
    self.updated = updated
    self.deleted = deleted
    self.mergeConflicts = mergeConflicts
    self.constraintConflicts = constraintConflicts
  }

  /// Extracts the changes of a ``ManagedObjectContext/didSaveNotification``. Returns nil for any other notification.
  public init?(_ notification: Notification) {
    guard let changes = notification.userInfo?[Self.key] as? SaveChanges else { return nil }
    self = changes
  }

  fileprivate static let key = "changes"

  /// Returns the changes with IDs that refer to `model`. The saving context may use another instance of the same model.
  fileprivate func adopted(by model: ManagedObjectModel) -> SaveChanges {
    var changes = SaveChanges(
      inserted: inserted.map(model.adopted), updated: updated.map(model.adopted), deleted: deleted.map(model.adopted),
      mergeConflicts: mergeConflicts, constraintConflicts: constraintConflicts)
    changes.coordinator = coordinator
    return changes
  }
}

extension ManagedObjectContext {
  /// The notification that a save posts, with ``SaveChanges``, on the context's queue. Its `object` is the context.
  public static let didSaveNotification = Notification.Name("ManagedObjectContextDidSaveNotification")

  func postDidSave(_ changes: SaveChanges) {
    var changes = changes
    changes.coordinator = ObjectIdentifier(persistentStoreCoordinator)
    NotificationCenter.default.post(name: Self.didSaveNotification, object: self, userInfo: [SaveChanges.key: changes])
  }

  /// Merges the changes that another context has saved. Objects in this context show the new values, deleted objects
  /// leave the context, and new objects arrive as faults. Unsaved changes are kept, property by property. The other
  /// context may belong to another coordinator that has the same store open.
  ///
  /// - Throws: ``ObjectGraphError`` if a row cannot be read.
  public func mergeChanges(fromContextDidSave changes: SaveChanges) throws {
    checkQueue()
    advanceGeneration()
    try unrecorded { try takeOver(changes.adopted(by: model)) }
    try processPendingChanges()
  }

  private func takeOver(_ changes: SaveChanges) throws {
    // Observers may be interested in objects that this context does not have yet.
    let isObserved = isObserved
    if changes.coordinator != ObjectIdentifier(persistentStoreCoordinator) {
      for id in changes.inserted + changes.updated + changes.deleted { rowCache.forget(id) }
    }
    func here(_ id: ManagedObjectID) -> ManagedObject? { registered[id] ?? (isObserved ? object(with: id) : nil) }
    for id in changes.deleted {
      if let object = here(id) { invalidate(object) }
    }
    dropReferences(to: Set(changes.deleted))
    let objects = changes.updated.compactMap { here($0) }
    for object in objects where object.isFault || object.isInaccessible { forgetRow(of: object) }
    let versions = try storedVersions(of: objects.filter { !$0.isFault })
    try mergeSnapshots(versions, keeping: MergePolicy.mergeByPropertyObjectTrump.keeps)
    // The list retains new objects until they are announced, so that observers can retain them.
    for id in changes.inserted {
      let object = object(with: id)
      if object.isInaccessible { forgetRow(of: object) }
      recentlyRefreshed.append(object)
    }
  }
}
