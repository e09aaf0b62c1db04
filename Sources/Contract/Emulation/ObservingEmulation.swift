/// Observed lists for an engine without change notifications. To update the lists after commits, ``waitForLists()``
/// runs each list's query again.
final class ObservingEmulation: Observing {
  private let store: any StorageBackend
  private var lists: [EmulatedList] = []
  private var isBehind = false

  init(over store: any StorageBackend) { self.store = store }

  func commit(_ changes: [Change]) throws {
    guard !changes.isEmpty else { return }
    try store.commit(changes)
    isBehind = true
  }

  func observe(
    _ predicate: RecordPredicate, in collection: CollectionID, _ told: @escaping @Sendable (ListUpdate) -> Void
  ) throws -> any ObservedList {
    let list = try EmulatedList(store, predicate, collection, told)
    lists.append(list)
    return list
  }

  func waitForLists() throws {
    let hasNewCommits = try (store as? any SecondWriting)?.hasNewCommits() ?? false
    guard isBehind || hasNewCommits else { return }
    lists.removeAll { $0.isStopped }
    for list in lists { try list.askAgain() }
    isBehind = false
  }
}

private final class EmulatedList: ObservedList {
  private let store: any StorageBackend
  private let query: RecordQuery
  private let collection: CollectionID
  private let told: @Sendable (ListUpdate) -> Void
  private var shown: SectionedList
  private(set) var isStopped = false

  init(
    _ store: any StorageBackend, _ predicate: RecordPredicate, _ collection: CollectionID,
    _ told: @escaping @Sendable (ListUpdate) -> Void
  ) throws {
    (self.store, self.collection, self.told) = (store, collection, told)
    query = SectionedList.query(predicate)
    shown = SectionedList(try Capability.querying(of: store).value.records(query, in: collection))
  }

  func askAgain() throws {
    let rows = try Capability.querying(of: store).value.records(query, in: collection)
    let list = SectionedList(rows)
    let difference = list.difference(from: shown)
    shown = list
    told(ListUpdate(difference, decodedRows: rows.count))
  }

  func list() -> SectionedList { shown }

  func stop() { isStopped = true }
}
