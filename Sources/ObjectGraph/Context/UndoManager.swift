/// Takes back and repeats the changes of one context, group by group; the counterpart of NSUndoManager.
///
///     context.undoManager = UndoManager()
///     student.studentName = "Eva"
///     try context.processPendingChanges()  // the end of the event
///     try context.undo()
///
/// What changes between two calls of ``ManagedObjectContext/processPendingChanges()`` (a fetch, a save and the end of a
/// `perform` block make one) is a group, with the effects of delete rules and the other sides of relationships. A save
/// ends a group and leaves it here: taking it back makes new unsaved changes. A deletion that was saved is taken back
/// by a new object, under a new ID, with the values and relationships of the old one; earlier groups that speak of the
/// old object then mean the new one. ``ManagedObjectContext/rollback()`` and ``ManagedObjectContext/reset()`` forget
/// all groups.
///
/// Objects that groups speak of are held in memory. What other contexts have changed and what
/// ``ManagedObjectContext/refresh(_:mergeChanges:)`` discards is not recorded. It is used on its context's queue.
public final class UndoManager {
  weak var context: ManagedObjectContext?

  /// The number of calls of ``beginUndoGrouping()`` without their ``endUndoGrouping()``.
  private var groupingLevel = 0
  /// Whether changes are being taken back.
  private(set) var isUndoing = false
  /// Whether changes are being repeated.
  private(set) var isRedoing = false

  /// The events since the last group was closed, in order.
  private var openGroup: [UndoEvent] = []
  private var undoGroups: [[UndoEvent]] = []
  private var redoGroups: [[UndoEvent]] = []
  private var isRecording = true
  /// The replacements of objects that were deleted and saved, by the IDs of the latter.
  var successors: [ManagedObjectID: ManagedObject] = [:]

  /// Makes one without anything to take back, for the ``ManagedObjectContext/undoManager`` of one context.
  public init() {}

  // MARK: - Undo and redo

  /// Whether there is anything to take back.
  public var canUndo: Bool { !openGroup.isEmpty || !undoGroups.isEmpty }

  /// Whether there is anything to repeat: something was taken back, and nothing else was changed since.
  public var canRedo: Bool { openGroup.isEmpty && !redoGroups.isEmpty }

  /// Takes the last group of changes back, as new unsaved changes; does nothing if there is none.
  ///
  /// - Throws: ``ObjectGraphError/invalidRequest(_:)`` within ``beginUndoGrouping()`` and ``endUndoGrouping()``; others
  ///   if an object cannot be read. Then a part of the group may be taken back, and the next call goes on there.
  public func undo() throws { try takeBack(from: \.undoGroups, to: \.redoGroups, \.isUndoing) }

  /// Repeats what ``undo()`` took back last; does nothing if there is nothing.
  ///
  /// - Throws: As ``undo()``.
  public func redo() throws { try takeBack(from: \.redoGroups, to: \.undoGroups, \.isRedoing) }

  private typealias Groups = ReferenceWritableKeyPath<UndoManager, [[UndoEvent]]>

  /// Taking changes back makes changes, too: recorded, they are what takes it back.
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
      // Also when it fails in the middle, each side keeps what is left to do.
      defer {
        if !rest.isEmpty { self[keyPath: source].append(rest) }
        if !openGroup.isEmpty { self[keyPath: target].append(openGroup) }
        openGroup = []
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

  /// Starts a group that ``ManagedObjectContext/processPendingChanges()`` does not end. Such groups may be nested; the
  /// outermost one is what ``undo()`` takes back.
  ///
  /// - Throws: ``ObjectGraphError`` as ``ManagedObjectContext/processPendingChanges()``, which ends the group before it.
  package func beginUndoGrouping() throws {
    if groupingLevel == 0 { try context?.processPendingChanges() }
    groupingLevel += 1
  }

  /// Ends what ``beginUndoGrouping()`` started.
  ///
  /// - Throws: ``ObjectGraphError/invalidRequest(_:)`` if nothing was started; others as
  ///   ``ManagedObjectContext/processPendingChanges()``, which comes first.
  package func endUndoGrouping() throws {
    guard groupingLevel > 0 else { throw ObjectGraphError.invalidRequest("no group of changes is open") }
    // The effects of delete rules belong to the group, and observers receive one change.
    try context?.processPendingChanges()
    groupingLevel -= 1
    endGroup()
  }

  /// Closes the group of an event.
  func endGroup() {
    guard groupingLevel == 0, !isUndoing, !isRedoing, !openGroup.isEmpty else { return }
    undoGroups.append(openGroup)
    openGroup = []
  }

  /// Forgets all groups.
  package func removeAllActions() { actions = Actions() }

  /// The events that can be undone and redone. A save that fails restores it with the context.
  struct Actions {
    fileprivate var openGroup: [UndoEvent] = []
    fileprivate var undoGroups: [[UndoEvent]] = []
    fileprivate var redoGroups: [[UndoEvent]] = []
    fileprivate var successors: [ManagedObjectID: ManagedObject] = [:]
  }

  var actions: Actions {
    get {
      Actions(openGroup: openGroup, undoGroups: undoGroups, redoGroups: redoGroups, successors: successors)
    }
    set {
      (openGroup, undoGroups, redoGroups) = (newValue.openGroup, newValue.undoGroups, newValue.redoGroups)
      successors = newValue.successors
    }
  }

  // MARK: - Recording

  /// Does what is not to be taken back: what others have changed.
  func withoutRecording(_ body: () throws -> Void) rethrows {
    let wasRecording = isRecording
    isRecording = false
    defer { isRecording = wasRecording }
    try body()
  }

  func record(_ event: @autoclosure () throws -> UndoEvent) rethrows {
    guard isRecording else { return }
    openGroup.append(try event())
    // Undone events no longer fit the current state.
    if !isUndoing, !isRedoing, !redoGroups.isEmpty { redoGroups = [] }
  }

  func record(_ change: ManagedObjectContext.Change, of object: ManagedObject) {
    guard isRecording, let context, let event = UndoEvent(change, of: object, in: context) else { return }
    record(event)
  }
}

extension ManagedObjectContext {
  /// Takes the last group of changes back; does nothing without an ``undoManager``.
  ///
  /// - Throws: As ``UndoManager/undo()``.
  public func undo() throws { try undoManager?.undo() }

  /// Repeats what was taken back last; does nothing without an ``undoManager``.
  ///
  /// - Throws: As ``UndoManager/redo()``.
  public func redo() throws { try undoManager?.redo() }
}
