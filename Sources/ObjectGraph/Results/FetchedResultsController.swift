import Foundation

/// A controller that keeps the results of a fetch request up to date, in sections. If an update fails, the context's
/// next save throws the error. Use a controller only on its context's queue.
public final class FetchedResultsController<Object: ManagedObject> {
  /// The request that finds the controller's results. After a change of the request, call ``performFetch()``.
  public let fetchRequest: FetchRequest<Object>
  /// The context in which the controller fetches objects, and whose changes update the results.
  public let managedObjectContext: ManagedObjectContext
  /// The path of the attribute whose values divide the results into sections. Nil for one section.
  public let sectionNameKeyPath: String?
  /// The receiver of the changes of the results, not retained. Without a delegate, the results are not updated.
  public weak var delegate: (any FetchedResultsControllerDelegate<Object>)?

  private var results: TrackedResults?
  /// Whether the results miss changes of the context, so that the next update must fetch all results again.
  private var isBehind = false
  /// The changes that the context reports while the delegate is being notified of earlier changes.
  private var waiting: [ObjectChanges] = []
  private var isReporting = false

  /// Creates a controller without results. ``performFetch()`` fetches the results.
  ///
  /// - Parameters:
  ///   - fetchRequest: A request with a sort order. With sections, the first sort key must be `sectionNameKeyPath`.
  ///   - sectionNameKeyPath: The path of the attribute that divides the results. Nil for one section.
  public init(
    fetchRequest: FetchRequest<Object>, managedObjectContext: ManagedObjectContext, sectionNameKeyPath: String? = nil
  ) {
    self.fetchRequest = fetchRequest
    self.managedObjectContext = managedObjectContext
    self.sectionNameKeyPath = sectionNameKeyPath
    managedObjectContext.add(observer: self)
  }

  /// Fetches the results. Later changes of the context update the results and are reported to the delegate.
  ///
  /// - Throws: ``ObjectGraphError/invalidRequest(_:)`` for an unsuitable sort order, and the errors of
  ///   ``ManagedObjectContext/fetch(_:)``.
  public func performFetch() throws {
    managedObjectContext.checkQueue()
    results = try TrackedResults(fetchRequest, in: managedObjectContext, sectionNameKeyPath: sectionNameKeyPath)
    isBehind = false
    waiting = []
  }

  // MARK: - Results

  /// The fetched objects, in order. Nil before the first ``performFetch()``, and again after the context was reset.
  public var fetchedObjects: [Object]? {
    results.map { $0.list.sections.flatMap { $0.entries.map { Self.object($0.object) } } }
  }

  /// The sections of the results. Without ``sectionNameKeyPath``, there is one section. Nil before ``performFetch()``
  /// and after a reset of the context.
  public var sections: [FetchedResultsSectionInfo<Object>]? {
    results.map { $0.list.sections.map(info) }
  }

  /// Returns the object at an index path, or nil if there is none.
  public func object(at indexPath: IndexPath) -> Object? {
    results?.list.object(at: indexPath).map(Self.object)
  }

  /// Returns the index path of an object, or nil if the object is not in the results.
  public func indexPath(forObject object: Object) -> IndexPath? {
    results?.list.indexPath(of: object)
  }

  // The downcast is safe: the class of the objects was checked when the request was prepared.
  static func object(_ object: ManagedObject) -> Object { unsafeDowncast(object, to: Object.self) }

  private func info(_ section: ResultsList.Section) -> FetchedResultsSectionInfo<Object> {
    FetchedResultsSectionInfo(name: results?.name(of: section) ?? "", entries: section.entries)
  }
}

extension FetchedResultsController: ContextObserver {
  func context(_ context: ManagedObjectContext, didChange changes: ObjectChanges) {
    guard results != nil else { return }
    waiting.append(changes)
    // A delegate may itself change objects. Such changes are reported after the current ones.
    guard !isReporting else { return }
    isReporting = true
    defer { isReporting = false }
    while !waiting.isEmpty, let results { follow(waiting.removeFirst(), results) }
  }

  private func follow(_ changes: ObjectChanges, _ results: TrackedResults) {
    guard let delegate else {
      isBehind = true
      return
    }
    do {
      let alterations = try results.alterations(by: changes, fetchingAnew: isBehind)
      isBehind = false
      if !alterations.isEmpty { apply(alterations, to: results, delegate) }
    } catch {
      isBehind = true
      managedObjectContext.keep(error)
    }
  }

  private func apply(
    _ alterations: [ResultsList.Alteration], to results: TrackedResults,
    _ delegate: some FetchedResultsControllerDelegate<Object>
  ) {
    delegate.controllerWillChangeContent(self)
    let changes = results.list.apply(alterations)
    for (index, section, type) in changes.sections {
      delegate.controller(self, didChange: info(section), atSectionIndex: index, for: type)
    }
    for (object, type, old, new) in changes.objects {
      delegate.controller(self, didChange: Self.object(object), at: old, for: type, newIndexPath: new)
    }
    delegate.controllerDidChangeContent(self)
  }

  func contextDidReset(_ context: ManagedObjectContext) {
    waiting = []
    defer { results = nil }
    guard let results, let delegate, !isReporting, !results.list.positions.isEmpty else { return }
    let alterations = results.list.positions.keys.map {
      ResultsList.Alteration(object: $0, position: nil, isChanged: true)
    }
    apply(alterations, to: results, delegate)
  }
}
