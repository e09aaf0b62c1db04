import Foundation
import ObjectGraph
import StorageContract

/// Observed lists, kept up to date by a FetchedResultsController, as in Core Data. The controller follows changes in
/// the main context.
extension ObjectGraphBackend: Observing {
  func observe(
    _ predicate: RecordPredicate, in collection: CollectionID, _ told: @escaping @Sendable (ListUpdate) -> Void
  ) throws -> any ObservedList {
    try StoreError.translating { try GraphList(graph.context, graph.entity(collection), predicate, told) }
  }

  /// Updates all observed lists of records, by merging the saves of the second managed object context into the main
  /// context.
  func waitForLists() throws {
    for changes in second?.takeSaves() ?? [] {
      try StoreError.translating { try graph.context.mergeChanges(fromContextDidSave: changes) }
    }
  }
}

extension ObjectGraphBackend: SecondWriting {
  static func lackOfSecondWriter(_ durability: Durability, _ options: Options) -> String? { nil }

  func openSecondWriter(_ environment: StoreEnvironment) throws -> any SecondWriter {
    let second = SecondContext(try RecordGraph(besides: graph))
    self.second = second
    return second
  }
}

/// A second managed object context, on a background queue. Its saves are later merged into the main context, which
/// updates observed lists.
final class SecondContext: SecondWriter, @unchecked Sendable {
  // The class is Sendable because the thread that uses it waits for the context's queue.

  private let graph: RecordGraph
  private var saves: [SaveChanges] = []
  private var observer: (any NSObjectProtocol)?

  init(_ graph: RecordGraph) {
    self.graph = graph
    observer = NotificationCenter.default.addObserver(
      forName: ManagedObjectContext.didSaveNotification, object: graph.context, queue: nil
    ) { [weak self] notification in
      if let changes = SaveChanges(notification) { self?.saves.append(changes) }
    }
  }

  func commit(_ changes: [Change]) throws {
    guard !changes.isEmpty else { return }
    try StoreError.translating {
      try graph.context.performAndWait { try graph.saving { try graph.apply(changes) } }
    }
  }

  func takeSaves() -> [SaveChanges] {
    defer { saves = [] }
    return saves
  }

  func close() {
    if let observer { NotificationCenter.default.removeObserver(observer) }
    observer = nil
  }
}

private final class GraphList: ObservedList, FetchedResultsControllerDelegate {
  private let entity: RecordEntity
  private let told: @Sendable (ListUpdate) -> Void
  private var controller: FetchedResultsController<ManagedObject>?
  private var update = ListUpdate(ListDifference(), decodedRows: 0)
  private var failure: (any Error)?

  init(
    _ context: ManagedObjectContext, _ entity: RecordEntity, _ predicate: RecordPredicate,
    _ told: @escaping @Sendable (ListUpdate) -> Void
  ) throws {
    (self.entity, self.told) = (entity, told)
    let controller = FetchedResultsController(
      fetchRequest: entity.request(SectionedList.query(predicate)), managedObjectContext: context,
      sectionNameKeyPath: RecordField.group.rawValue)
    self.controller = controller
    try controller.performFetch()
    controller.delegate = self
  }

  func list() throws -> SectionedList {
    if let failure { throw failure }
    return SectionedList(try StoreError.translating { try (controller?.fetchedObjects ?? []).map(entity.record) })
  }

  func stop() { controller = nil }

  // MARK: - Delegate methods

  func controller(
    _ controller: FetchedResultsController<ManagedObject>,
    didChange sectionInfo: FetchedResultsSectionInfo<ManagedObject>, atSectionIndex sectionIndex: Int,
    for type: FetchedResultsChangeType
  ) {
    if type == .delete {
      update.difference.deletedSections.append(sectionIndex)
    } else {
      update.difference.insertedSections.append(sectionIndex)
    }
  }

  func controller(
    _ controller: FetchedResultsController<ManagedObject>, didChange object: ManagedObject,
    at indexPath: IndexPath?, for type: FetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    do {
      if let change = try change(object, indexPath.map(ListPosition.init), type, newIndexPath.map(ListPosition.init)) {
        update.difference.rows.append(change)
      }
    } catch {
      failure = error
    }
  }

  private func change(
    _ object: ManagedObject, _ old: ListPosition?, _ type: FetchedResultsChangeType, _ new: ListPosition?
  ) throws -> ListDifference.RowChange? {
    guard let new else { return old.map { .deleted($0) } }
    let record = try StoreError.translating { try entity.record(object) }
    update.decodedRows += 1
    guard let old else { return .inserted(record, new) }
    return type == .move ? .moved(record, from: old, to: new) : .updated(record, from: old, to: new)
  }

  func controllerDidChangeContent(_ controller: FetchedResultsController<ManagedObject>) {
    told(update)
    update = ListUpdate(ListDifference(), decodedRows: 0)
  }
}

extension ListPosition {
  fileprivate init(_ path: IndexPath) { self.init(section: path.section, item: path.item) }
}
