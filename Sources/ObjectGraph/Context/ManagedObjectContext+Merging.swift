import Foundation

/// The changes of a save, for other contexts.
public struct SaveChanges: Sendable {
  /// New objects, by the IDs that they have got.
  public let inserted: [ManagedObjectID]
  /// Objects whose rows have changed.
  public let updated: [ManagedObjectID]
  /// Objects that are gone.
  public let deleted: [ManagedObjectID]
  /// The coordinator whose cache already has the rows.
  fileprivate var coordinator: ObjectIdentifier?

  /// Objects that somebody else had saved or deleted, and that the merge policy settled.
  ///
  /// Under ``MergePolicy/mergeByPropertyStoreTrump`` and ``MergePolicy/rollback`` changes have been given up for them.
  package let mergeConflicts: [MergeConflict]
  /// Objects that shared values that must be unique, and that the merge policy settled: new ones that were not saved,
  /// by the temporary IDs that they had, changed ones that gave their changes up, and objects of the store that took
  /// the values of a new one over or were deleted for a changed one.
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

  /// The changes that a ``ManagedObjectContext/didSaveNotification`` brings, or nil for any other notification.
  public init?(_ notification: Notification) {
    guard let changes = notification.userInfo?[Self.key] as? SaveChanges else { return nil }
    self = changes
  }

  fileprivate static let key = "changes"

  /// Returns the same in the IDs of another instance of the model.
  fileprivate func adopted(by model: ManagedObjectModel) -> SaveChanges {
    var changes = SaveChanges(
      inserted: inserted.map(model.adopted), updated: updated.map(model.adopted), deleted: deleted.map(model.adopted),
      mergeConflicts: mergeConflicts, constraintConflicts: constraintConflicts)
    changes.coordinator = coordinator
    return changes
  }
}

extension ManagedObjectContext {
  /// Posted after a save, on the queue of the context that saved, which is its object. See ``SaveChanges``.
  public static let didSaveNotification = Notification.Name("ManagedObjectContextDidSaveNotification")

  /// Tells everybody what this context has saved.
  func postDidSave(_ changes: SaveChanges) {
    var changes = changes
    changes.coordinator = ObjectIdentifier(persistentStoreCoordinator)
    NotificationCenter.default.post(name: Self.didSaveNotification, object: self, userInfo: [SaveChanges.key: changes])
  }

  /// Takes over what another context has saved: objects that are here show the new values, those deleted belong to no
  /// context any more, new ones arrive as faults. What was changed here and not saved is kept, property by property.
  /// The other context may be one of another coordinator that has the same store open.
  ///
  /// - Throws: ``ObjectGraphError`` if a row cannot be read.
  public func mergeChanges(fromContextDidSave changes: SaveChanges) throws {
    checkQueue()
    advanceGeneration()
    try unrecorded { try takeOver(changes.adopted(by: model)) }
    try processPendingChanges()
  }

  private func takeOver(_ changes: SaveChanges) throws {
    // To observers, what is not here may be of interest from now on.
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
    // Held until they are announced; those who care go on holding them.
    for id in changes.inserted {
      let object = object(with: id)
      if object.isInaccessible { forgetRow(of: object) }
      recentlyRefreshed.append(object)
    }
  }
}
