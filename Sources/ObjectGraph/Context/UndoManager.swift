/// Takes back and repeats the changes of a context, group by group.
public final class UndoManager {
  weak var context: ManagedObjectContext?

  /// Makes one without anything to undo.
  public init() {}

  enum Event {
    case inserted(ManagedObject)
    case deleted(ManagedObject, wasUpdated: Bool)
    case changed(ManagedObject, ManagedObjectContext.Change)
  }

  func record(_ event: Event) {}
  func endGroup() {}
  func removeAllActions() {}
}
