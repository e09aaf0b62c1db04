import Foundation

/// A receiver of the changes of a ``FetchedResultsController``. Old index paths are those before an update, new ones
/// those after it.
public protocol FetchedResultsControllerDelegate<Object>: AnyObject {
  /// The class of the objects in the controller's results.
  associatedtype Object: ManagedObject

  /// Called before an update of the controller's results. The controller still has the old results.
  func controllerWillChangeContent(_ controller: FetchedResultsController<Object>)

  /// Called for each section that an update inserts or deletes.
  ///
  /// - Parameters:
  ///   - sectionInfo: The section, without objects if the section was deleted.
  ///   - sectionIndex: The old index of a deleted section, or the new index of an inserted one.
  ///   - type: `insert` or `delete`.
  func controller(
    _ controller: FetchedResultsController<Object>,
    didChange sectionInfo: FetchedResultsSectionInfo<Object>, atSectionIndex sectionIndex: Int,
    for type: FetchedResultsChangeType)

  /// Called for each inserted, deleted, moved or changed object, but not for an object whose index changes only because
  /// of other objects.
  ///
  /// - Parameters:
  ///   - indexPath: The index path before the update. Nil for an insertion.
  ///   - newIndexPath: The index path after the update. Nil for a deletion.
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

/// The kind of change of an object or a section in the results of a ``FetchedResultsController``.
public enum FetchedResultsChangeType: Sendable {
  /// The object or section was added to the results.
  case insert
  /// The object or section was removed from the results.
  case delete
  /// The object moved relative to other objects, or to another section. The object's values may have changed as well.
  case move
  /// The object's values changed, but not its position relative to other objects.
  case update
}

/// A section of the results of a ``FetchedResultsController``.
public struct FetchedResultsSectionInfo<Object: ManagedObject> {
  /// The name of the section: the value of the attribute that divides the results into sections, as text. Empty if
  /// there is no value.
  public let name: String
  let entries: [ResultsList.Entry]

  /// The objects of the section in order. Empty if the section has just been deleted.
  public var objects: [Object] { entries.map { FetchedResultsController.object($0.object) } }
}

extension IndexPath {
  /// Creates the path of an item in a section.
  public init(item: Int, section: Int) { self.init(indexes: [section, item]) }

  /// The index of the section.
  public var section: Int { self[0] }
  /// The index of the item in its section.
  public var item: Int { self[1] }
}
