import Foundation

/// Hears how the results of a ``FetchedResultsController`` change: everything that one call of
/// ``ManagedObjectContext/processPendingChanges()`` finds comes between one `controllerWillChangeContent` and one
/// `controllerDidChangeContent`.
///
/// Old index paths are those before all of these changes, new ones those after them, as a table view takes them in one
/// update. Objects that are deleted or moved away come first, by their old index paths, then deleted sections. Inserted
/// sections follow, then objects that are inserted or moved there, by their new index paths.
public protocol FetchedResultsControllerDelegate<Object>: AnyObject {
  /// The class of the objects in the results.
  associatedtype Object: ManagedObject

  /// Called before anything is changed: the controller shows the old results.
  func controllerWillChangeContent(_ controller: FetchedResultsController<Object>)

  /// Called for each section that comes or goes.
  ///
  /// - Parameters:
  ///   - controller: Whose results change.
  ///   - sectionInfo: The section, with its current or former objects.
  ///   - sectionIndex: The old place of a section that goes, the new one of a section that comes.
  ///   - type: ``FetchedResultsChangeType/insert`` or ``FetchedResultsChangeType/delete``; sections neither move nor change.
  func controller(
    _ controller: FetchedResultsController<Object>,
    didChange sectionInfo: FetchedResultsSectionInfo<Object>, atSectionIndex sectionIndex: Int,
    for type: FetchedResultsChangeType)

  /// Called for each object that comes, goes, moves or changes, also for those of a section that comes or goes. Objects
  /// that only make room for others are not mentioned.
  ///
  /// - Parameters:
  ///   - controller: Whose results change.
  ///   - object: The object.
  ///   - indexPath: The old place, or nil for an insert.
  ///   - type: What happened to it.
  ///   - newIndexPath: The new place, or nil for a delete.
  func controller(
    _ controller: FetchedResultsController<Object>,
    didChange object: Object, at indexPath: IndexPath?, for type: FetchedResultsChangeType,
    newIndexPath: IndexPath?)

  /// Called after everything was mentioned.
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

/// The kinds of change of an object or a section.
public enum FetchedResultsChangeType: Sendable {
  /// It was not among the results and now is.
  case insert
  /// It was among the results and no longer is.
  case delete
  /// It stands at another place among the others, or in another section; its values may have changed as well.
  case move
  /// Its values changed and its place among the others did not.
  case update
}

/// A section of the results.
public struct FetchedResultsSectionInfo<Object: ManagedObject> {
  /// The value that its objects share, as a text; empty if they have none, or if there are no sections.
  public let name: String
  let entries: [ResultsList.Entry]

  /// Its objects in order; none if it has just been deleted.
  public var objects: [Object] {
    // The request's plan has checked the class.
    entries.map { unsafeDowncast($0.object, to: Object.self) }
  }
}

extension IndexPath {
  /// A place in a list with sections.
  public init(item: Int, section: Int) { self.init(indexes: [section, item]) }

  /// The section that it is in.
  public var section: Int { self[0] }
  /// Its place in the section.
  public var item: Int { self[1] }
}
