import Foundation

/// The IDs of the objects that a save has inserted, updated and deleted, for
/// ``ManagedObjectContext/mergeChanges(fromContextDidSave:)``.
public struct SaveChanges: Sendable {
  /// The permanent IDs of new objects.
  public let inserted: [ManagedObjectID]
  /// The IDs of objects whose rows have changed.
  public let updated: [ManagedObjectID]
  /// The IDs of deleted objects.
  public let deleted: [ManagedObjectID]
  /// The identity of the coordinator whose context has saved.
  let coordinator: ObjectIdentifier
}

extension SaveChanges {
  /// Extracts the changes of a ``ManagedObjectContext/didSaveNotification``. Returns nil for any other notification.
  public init?(_ notification: Notification) {
    guard let changes = notification.userInfo?[Self.key] as? SaveChanges else { return nil }
    self = changes
  }

  fileprivate static let key = "changes"
}

extension ManagedObjectContext {
  /// The notification that a context posts on its queue after a save, with the context as `object`.
  /// ``SaveChanges/init(_:)`` extracts the changes.
  public static let didSaveNotification = Notification.Name("ManagedObjectContextDidSaveNotification")

  func postDidSave(_ changes: SaveChanges) {
    NotificationCenter.default.post(name: Self.didSaveNotification, object: self, userInfo: [SaveChanges.key: changes])
  }

  /// Updates this context after a save of another context, also of another coordinator. Unsaved changes of objects that
  /// still exist are kept.
  ///
  /// - Throws: ``ObjectGraphError`` if a row cannot be read.
  public func mergeChanges(fromContextDidSave changes: SaveChanges) throws {
    checkQueue()
    advanceGeneration()
    try unrecorded { try takeOver(changes) }
    try processPendingChanges()
  }

  private func takeOver(_ changes: SaveChanges) throws {
    // Observers must be notified even of objects that this context does not have yet, so such objects are created.
    let isObserved = isObserved
    // The context that saved may have used another instance of the model.
    let (inserted, updated) = (changes.inserted.map(model.adopted), changes.updated.map(model.adopted))
    let deleted = changes.deleted.map(model.adopted)
    if changes.coordinator != ObjectIdentifier(persistentStoreCoordinator) {
      for id in inserted + updated + deleted { rowCache.forget(id) }
    }
    func here(_ id: ManagedObjectID) -> ManagedObject? { registered[id] ?? (isObserved ? object(with: id) : nil) }
    for id in deleted {
      if let object = here(id) { invalidate(object) }
    }
    dropReferences(to: Set(deleted))
    let objects = updated.compactMap(here)
    for object in objects where object.isFault || object.isInaccessible { forgetRow(of: object) }
    let versions = try storedVersions(of: objects.filter { !$0.isFault })
    try mergeSnapshots(versions, by: .mergeByPropertyObjectTrump)
    // The list retains the new objects until observers are notified of them.
    for id in inserted {
      let object = object(with: id)
      if object.isInaccessible { forgetRow(of: object) }
      recent.refreshed.append(object)
    }
  }
}
