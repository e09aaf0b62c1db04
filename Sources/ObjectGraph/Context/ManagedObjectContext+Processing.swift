extension ManagedObjectContext {
  /// Carries out the delete rules of what was deleted, closes the undo group and tells observers what changed. A
  /// save and a fetch do it first, and so does the end of a block that ``perform(_:)-(()->Void)`` ran.
  ///
  /// - Throws: ``ObjectGraphError`` if a relationship cannot be read.
  public func processPendingChanges() throws {
    // Until the rules are carried out, what is pending is half a change.
    try propagateDeletes()
    undoManager?.endGroup()
    guard !recentChanges.isEmpty || !recentlyRefreshed.isEmpty || !recentlyInvalidated.isEmpty else { return }
    observers.removeAll { $0.observer == nil }
    var changes = ObjectChanges(refreshed: recentlyRefreshed, invalidated: recentlyInvalidated)
    for object in recentChanges {
      guard !observers.isEmpty else {
        object.flags.subtract(.inRecentChanges)
        object.flags.insert(.announced)
        continue
      }
      object.flags.remove(.inRecentChanges)
      if object.isDeleted {
        // Objects that were deleted right after their creation are not announced.
        if !object.isInserted || object.flags.contains(.announced) { changes.deleted.append(object) }
        object.flags.remove(.announced)
        continue
      }
      if object.isInserted, !object.flags.contains(.announced) {
        changes.inserted.append(object)
      } else if object.managedObjectContext != nil {
        changes.updated.append(object)
      }
      object.flags.insert(.announced)
    }
    recentChanges = []
    recentlyRefreshed = []
    recentlyInvalidated = []
    announce(changes)
  }

  /// Does what the ``undoManager`` is not to take back: what others have changed.
  func unrecorded(_ body: () throws -> Void) throws {
    guard let undoManager else { return try body() }
    // Earlier changes are recorded.
    try processPendingChanges()
    try undoManager.withoutRecording {
      try body()
      try propagateDeletes()
    }
  }

  func announce(_ changes: ObjectChanges) {
    for entry in observers { entry.observer?.context(self, didChange: changes) }
  }

  func announceReset() {
    for entry in observers { entry.observer?.contextDidReset(self) }
  }

  /// Whether anybody wants to know what changes.
  var isObserved: Bool { observers.contains { $0.observer != nil } }

  /// Tells an object of every change from now on, for as long as it lives.
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
  /// Objects that took over what others saved, or that arrived so.
  var refreshed: [ManagedObject] = []
  /// Objects that others deleted, or that a rollback took away.
  var invalidated: [ManagedObject] = []
  /// New objects that were saved, so that their IDs are others now; nothing else of them has changed.
  var saved: [ManagedObject] = []

  /// All that have changed, some of them more than once.
  var all: [ManagedObject] { inserted + updated + deleted + refreshed + invalidated }
}

/// Somebody who wants to know what changes in a context.
protocol ContextObserver: AnyObject {
  func context(_ context: ManagedObjectContext, didChange changes: ObjectChanges)
  /// No object belongs to the context any more.
  func contextDidReset(_ context: ManagedObjectContext)
}
