/// A recorder of a context's changes in groups to undo and redo, used only on the context's queue. A fetch, a save or
/// the end of `perform` ends a group.
public final class UndoManager {
  weak var context: ManagedObjectContext?

  private var groupingLevel = 0
  /// Whether ``undo()`` or ``redo()`` is running.
  private(set) var isTakingBack = false

  /// The recorded changes: the unfinished group of changes, the groups to undo, and the groups to redo.
  struct Actions {
    fileprivate var openGroup: [UndoEvent] = []
    fileprivate var undoGroups: [[UndoEvent]] = []
    fileprivate var redoGroups: [[UndoEvent]] = []
    /// The new objects that replace deleted objects after an undo, by the ID of the deleted object.
    var successors: [ManagedObjectID: ManagedObject] = [:]
  }

  var actions = Actions()
  var isRecording = true

  /// Creates an empty undo manager, for the ``ManagedObjectContext/undoManager`` of one context.
  public init() {}

  // MARK: - Undo and redo

  /// Whether there are changes to undo.
  public var canUndo: Bool { !actions.openGroup.isEmpty || !actions.undoGroups.isEmpty }

  /// Whether there are changes to redo. True if changes were undone, and nothing was changed afterwards.
  public var canRedo: Bool { actions.openGroup.isEmpty && !actions.redoGroups.isEmpty }

  /// Undoes the last group of changes, if any, in memory only. Undoing a saved deletion creates a new object with a new
  /// ID.
  ///
  /// - Throws: ``ObjectGraphError`` if a group of changes was not ended, or if a read fails. After a failed read,
  ///   another call undoes the rest of the group.
  public func undo() throws { try takeBack(from: \.actions.undoGroups, to: \.actions.redoGroups) }

  /// Redoes the group of changes that the last ``undo()`` undid. Does nothing if there are no changes to redo.
  ///
  /// - Throws: The same errors as ``undo()``.
  public func redo() throws { try takeBack(from: \.actions.redoGroups, to: \.actions.undoGroups) }

  private typealias Groups = ReferenceWritableKeyPath<UndoManager, [[UndoEvent]]>

  /// Reverts the last group of changes in `source`, and records the opposite changes as a group in `target`.
  private func takeBack(from source: Groups, to target: Groups) throws {
    guard let context else { return }
    guard groupingLevel == 0, !isTakingBack else {
      throw ObjectGraphError.invalidRequest("a group of changes is still open; end it before undo or redo")
    }
    try context.processPendingChanges()
    guard var rest = self[keyPath: source].popLast() else { return }
    do {
      isTakingBack = true
      // After an error, events that are not undone stay in `source`, and the undone ones are recorded in `target`.
      defer {
        if !rest.isEmpty { self[keyPath: source].append(rest) }
        if !actions.openGroup.isEmpty { self[keyPath: target].append(actions.openGroup) }
        actions.openGroup = []
        isTakingBack = false
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

  /// Starts a group of changes that lasts until ``endUndoGrouping()``. Groups may be nested; the outermost group is
  /// undone as a whole.
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
    guard groupingLevel == 0, !isTakingBack, !actions.openGroup.isEmpty else { return }
    actions.undoGroups.append(actions.openGroup)
    actions.openGroup = []
  }

  package func removeAllActions() { actions = Actions() }

  // MARK: - Recording

  func record(_ event: @autoclosure () throws -> UndoEvent?) rethrows {
    guard isRecording, let event = try event() else { return }
    actions.openGroup.append(event)
    // After a new change, events to redo no longer fit the current state.
    if !isTakingBack, !actions.redoGroups.isEmpty { actions.redoGroups = [] }
  }
}

extension ManagedObjectContext {
  /// Undoes the last group of changes. Does nothing without an ``undoManager``.
  ///
  /// - Throws: The same errors as ``UndoManager/undo()``.
  public func undo() throws { try undoManager?.undo() }

  /// Redoes the group of changes that was undone last. Does nothing without an ``undoManager``.
  ///
  /// - Throws: The same errors as ``UndoManager/redo()``.
  public func redo() throws { try undoManager?.redo() }
}
