extension ManagedObjectContext {
  /// Completes the changes since the last call: applies delete rules, ends the undo group and notifies observers.
  ///
  /// - Throws: ``ObjectGraphError`` if a relationship cannot be read.
  public func processPendingChanges() throws {
    try propagateDeletes()
    undoManager?.endGroup()
    guard !recentChanges.isEmpty || !recent.refreshed.isEmpty || !recent.invalidated.isEmpty else { return }
    observers.removeAll { $0.observer == nil }
    var changes = recent
    for object in recentChanges {
      let isNew = object.isInserted && !object.flags.contains(.announced)
      object.flags.subtract(.inRecentChanges)
      object.flags.insert(.announced)
      guard !observers.isEmpty else { continue }
      if object.isDeleted {
        // Objects that were deleted right after their creation are not announced.
        if !isNew { changes.deleted.append(object) }
        object.flags.remove(.announced)
      } else if isNew {
        changes.inserted.append(object)
      } else if object.managedObjectContext != nil {
        changes.updated.append(object)
      }
    }
    recentChanges = []
    recent = ObjectChanges()
    announce(changes)
  }

  /// Runs a block whose changes ``undoManager`` must not record, for example because another context has made them.
  func unrecorded(_ body: () throws -> Void) throws {
    guard let undoManager else { return try body() }
    // Ends the undo group of earlier changes, which are recorded.
    try processPendingChanges()
    let wasRecording = undoManager.isRecording
    undoManager.isRecording = false
    defer { undoManager.isRecording = wasRecording }
    try body()
    try propagateDeletes()
  }

  func announce(_ changes: ObjectChanges) {
    for entry in observers { entry.observer?.context(self, didChange: changes) }
  }

  var isObserved: Bool { observers.contains { $0.observer != nil } }

  func add(observer: any ContextObserver) { observers.append(WeakObserver(observer: observer)) }

  struct WeakObserver {
    weak var observer: (any ContextObserver)?
  }
}

/// The changes in a context between two calls of ``ManagedObjectContext/processPendingChanges()``.
struct ObjectChanges {
  var inserted: [ManagedObject] = []
  var updated: [ManagedObject] = []
  var deleted: [ManagedObject] = []
  /// Objects that a merge, a refresh or a rollback has changed or added.
  var refreshed: [ManagedObject] = []
  /// Objects that another writer has deleted, and new objects that a rollback has removed.
  var invalidated: [ManagedObject] = []
  /// The objects that a save has inserted into the store. They have new, permanent IDs.
  var saved: [ManagedObject] = []

  var all: [ManagedObject] { inserted + updated + deleted + refreshed + invalidated }
}

protocol ContextObserver: AnyObject {
  func context(_ context: ManagedObjectContext, didChange changes: ObjectChanges)
  func contextDidReset(_ context: ManagedObjectContext)
}
