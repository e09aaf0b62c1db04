import Foundation

/// A receiver of the changes in the results of a ``FetchedResultsController``. All changes from one call of
/// ``ManagedObjectContext/processPendingChanges()`` are reported between one `controllerWillChangeContent` and one
/// `controllerDidChangeContent`.
///
/// Old index paths refer to the results before all of these changes, and new index paths to the results after them, as
/// in one update of a table view. A table view first removes deleted and moved objects by their old index paths, then
/// deleted sections. It then adds inserted sections, and last inserted and moved objects by their new index paths.
public protocol FetchedResultsControllerDelegate<Object>: AnyObject {
  /// The class of the objects in the controller's results.
  associatedtype Object: ManagedObject

  /// Called before the controller's results change. The controller still has the old results.
  func controllerWillChangeContent(_ controller: FetchedResultsController<Object>)

  /// Called for each section that is inserted or deleted.
  ///
  /// - Parameters:
  ///   - controller: The controller whose results change.
  ///   - sectionInfo: The section, with its current or former objects.
  ///   - sectionIndex: The old index of a deleted section, or the new index of an inserted one.
  ///   - type: ``FetchedResultsChangeType/insert`` or ``FetchedResultsChangeType/delete``; sections are neither moved
  ///     nor updated.
  func controller(
    _ controller: FetchedResultsController<Object>,
    didChange sectionInfo: FetchedResultsSectionInfo<Object>, atSectionIndex sectionIndex: Int,
    for type: FetchedResultsChangeType)

  /// Called for each object that is inserted, deleted, moved or updated, including the objects of an inserted or
  /// deleted section. Not called for objects whose index changes only because of other objects.
  ///
  /// - Parameters:
  ///   - controller: The controller whose results change.
  ///   - object: The object.
  ///   - indexPath: The old index path. Nil for an insertion.
  ///   - type: The kind of change, such as ``FetchedResultsChangeType/move``.
  ///   - newIndexPath: The new index path. Nil for a deletion.
  func controller(
    _ controller: FetchedResultsController<Object>,
    didChange object: Object, at indexPath: IndexPath?, for type: FetchedResultsChangeType,
    newIndexPath: IndexPath?)

  /// Called after all changes of the results were reported.
  func controllerDidChangeContent(_ controller: FetchedResultsController<Object>)
}

extension FetchedResultsControllerDelegate {
  public func controllerWillChangeContent(_ controller: FetchedResultsController<Object>) {}

  public func controller(
    _ controller: FetchedResultsController<Object>,
    didChange sectionInfo: FetchedResultsSectionInfo<Object>, atSectionIndex sectionIndex: Int,
    for type: FetchedResultsChangeType
  ) {}

  public func controller(
    _ controller: FetchedResultsController<Object>,
    didChange object: Object, at indexPath: IndexPath?, for type: FetchedResultsChangeType,
    newIndexPath: IndexPath?
  ) {}

  public func controllerDidChangeContent(_ controller: FetchedResultsController<Object>) {}
}

/// The kind of change of an object or a section, as a ``FetchedResultsController`` reports it to its delegate.
public enum FetchedResultsChangeType: Sendable {
  /// The object or section was added to the results.
  case insert
  /// The object or section was removed from the results.
  case delete
  /// The object moved relative to other objects, or to another section. Its values may have changed as well.
  case move
  /// The object's values changed, but not its position relative to other objects.
  case update
}

/// A section of the results of a ``FetchedResultsController``.
public struct FetchedResultsSectionInfo<Object: ManagedObject> {
  /// The value that the section's objects share, as a text. Empty if the value is absent, or if the controller's
  /// `sectionNameKeyPath` is nil.
  public let name: String
  let entries: [ResultsList.Entry]

  /// The objects of the section in order. Empty if the section has just been deleted.
  public var objects: [Object] {
    // The downcast is safe: the class of the objects was checked when the request was prepared.
    entries.map { unsafeDowncast($0.object, to: Object.self) }
  }
}

extension IndexPath {
  /// Creates the path of an item in a section.
  public init(item: Int, section: Int) { self.init(indexes: [section, item]) }

  /// The index of the section.
  public var section: Int { self[0] }
  /// The index of the item in its section.
  public var item: Int { self[1] }
}
