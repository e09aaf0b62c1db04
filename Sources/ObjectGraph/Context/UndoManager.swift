/// The undo manager of a context, which undoes and redoes changes in groups; the counterpart of NSUndoManager.
///
///     context.undoManager = UndoManager()
///     student.studentName = "Eva"
///     try context.processPendingChanges()  // ends the group of changes
///     try context.undo()
///
/// A group contains the changes between two calls of ``ManagedObjectContext/processPendingChanges()``, which a fetch, a
/// save and the end of a `perform` block also call. The group includes the effects of delete rules and the changes of
/// inverse relationships. A save ends a group but keeps it: undoing a saved group makes new unsaved changes. Undoing a
/// saved deletion creates a new object, with a new ID and the values and relationships of the old one. Earlier groups
/// that refer to the old object then refer to the new one. ``ManagedObjectContext/rollback()`` and
/// ``ManagedObjectContext/reset()`` remove all groups.
///
/// Groups keep their objects in memory. Changes of other contexts, and changes that
/// ``ManagedObjectContext/refresh(_:mergeChanges:)`` discards, are not recorded. An undo manager may be used only on
/// its context's queue.
public final class UndoManager {
  weak var context: ManagedObjectContext?

  private var groupingLevel = 0
  private(set) var isUndoing = false
  private(set) var isRedoing = false

  /// The recorded changes: the open group, the groups to undo and the groups to redo. A failed save may restore an
  /// earlier copy.
  struct Actions {
    fileprivate var openGroup: [UndoEvent] = []
    fileprivate var undoGroups: [[UndoEvent]] = []
    fileprivate var redoGroups: [[UndoEvent]] = []
    /// The new objects that replace deleted objects, by the IDs of the deleted objects. An undo creates a new object if
    /// the deletion was already saved.
    var successors: [ManagedObjectID: ManagedObject] = [:]
  }

  var actions = Actions()
  private var isRecording = true

  /// Creates an empty undo manager, for the ``ManagedObjectContext/undoManager`` of one context.
  public init() {}

  // MARK: - Undo and redo

  /// Whether there are changes to undo.
  public var canUndo: Bool { !actions.openGroup.isEmpty || !actions.undoGroups.isEmpty }

  /// Whether there are changes to redo: some were undone, and nothing was changed since then.
  public var canRedo: Bool { actions.openGroup.isEmpty && !actions.redoGroups.isEmpty }

  /// Undoes the last group of changes (those between two calls of ``ManagedObjectContext/processPendingChanges()``), as
  /// new unsaved changes. Does nothing if there is none.
  ///
  /// - Throws: ``ObjectGraphError/invalidRequest(_:)`` between ``beginUndoGrouping()`` and ``endUndoGrouping()``;
  ///   others if an object cannot be read. After such an error, a part of the group may be undone, and the next call
  ///   undoes the rest.
  public func undo() throws { try takeBack(from: \.actions.undoGroups, to: \.actions.redoGroups, \.isUndoing) }

  /// Redoes the group of changes that the last ``undo()`` undid. Does nothing if there is none.
  ///
  /// - Throws: As ``undo()``.
  public func redo() throws { try takeBack(from: \.actions.redoGroups, to: \.actions.undoGroups, \.isRedoing) }

  private typealias Groups = ReferenceWritableKeyPath<UndoManager, [[UndoEvent]]>

  /// Undoes the last group of changes in `source`, and records the undo itself as a group in `target`. Serves for both
  /// undo and redo.
  private func takeBack(
    from source: Groups, to target: Groups, _ flag: ReferenceWritableKeyPath<UndoManager, Bool>
  ) throws {
    guard let context else { return }
    guard groupingLevel == 0, !isUndoing, !isRedoing else {
      throw ObjectGraphError.invalidRequest("a group of changes is still open; end it before undo or redo")
    }
    try context.processPendingChanges()
    guard var rest = self[keyPath: source].popLast() else { return }
    do {
      self[keyPath: flag] = true
      // After an error, events that are not undone stay in `source`, and the undone ones are recorded in `target`.
      defer {
        if !rest.isEmpty { self[keyPath: source].append(rest) }
        if !actions.openGroup.isEmpty { self[keyPath: target].append(actions.openGroup) }
        actions.openGroup = []
        self[keyPath: flag] = false
      }
      try replaceLostObjects(of: rest, in: context)
      while let event = rest.last {
        try takeBack(event, in: context)
        rest.removeLast()
      }
      try context.propagateDeletes()
    }
    try context.processPendingChanges()
  }

  // MARK: - Groups

  /// Starts a group of changes that are undone together, and that ``ManagedObjectContext/processPendingChanges()`` does
  /// not end. Groups may be nested; ``undo()`` undoes the outermost one.
  package func beginUndoGrouping() throws {
    if groupingLevel == 0 { try context?.processPendingChanges() }
    groupingLevel += 1
  }

  /// Ends the group of changes that ``beginUndoGrouping()`` started.
  ///
  /// - Throws: ``ObjectGraphError/invalidRequest(_:)`` if no group is open.
  package func endUndoGrouping() throws {
    guard groupingLevel > 0 else { throw ObjectGraphError.invalidRequest("no group of changes is open") }
    try context?.processPendingChanges()
    groupingLevel -= 1
    endGroup()
  }

  func endGroup() {
    guard groupingLevel == 0, !isUndoing, !isRedoing, !actions.openGroup.isEmpty else { return }
    actions.undoGroups.append(actions.openGroup)
    actions.openGroup = []
  }

  package func removeAllActions() { actions = Actions() }

  // MARK: - Recording

  func withoutRecording(_ body: () throws -> Void) rethrows {
    let wasRecording = isRecording
    isRecording = false
    defer { isRecording = wasRecording }
    try body()
  }

  func record(_ event: @autoclosure () throws -> UndoEvent) rethrows {
    guard isRecording else { return }
    actions.openGroup.append(try event())
    // After a new change, events to redo no longer fit the current state.
    if !isUndoing, !isRedoing, !actions.redoGroups.isEmpty { actions.redoGroups = [] }
  }

  func record(_ change: ManagedObjectContext.Change, of object: ManagedObject) {
    guard isRecording, let context, let event = UndoEvent(change, of: object, in: context) else { return }
    record(event)
  }
}

extension ManagedObjectContext {
  /// Undoes the last group of changes. Does nothing without an ``undoManager``.
  ///
  /// - Throws: As ``UndoManager/undo()``.
  public func undo() throws { try undoManager?.undo() }

  /// Redoes the group of changes that was undone last. Does nothing without an ``undoManager``.
  ///
  /// - Throws: As ``UndoManager/redo()``.
  public func redo() throws { try undoManager?.redo() }
}
