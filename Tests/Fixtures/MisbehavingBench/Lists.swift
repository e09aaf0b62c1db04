import StorageContract

// Backends whose own list updates are wrong. Their commits are correct.

/// A wrapper over lists that are updated by queries.
class ListWrapper: Wrapper, Observing {
  private lazy var lists: any Observing = Capability.observing(of: inner).value

  /// Returns the reported changes in place of an update, after which the list differs.
  func told(_ update: ListUpdate, _ list: SectionedList, after old: SectionedList) -> [ListUpdate] { [update] }

  override func commit(_ changes: [Change]) throws { try lists.commit(changes) }
  func waitForLists() throws { try lists.waitForLists() }

  func observe(
    _ predicate: RecordPredicate, in collection: CollectionID, _ told: @escaping @Sendable (ListUpdate) -> Void
  ) throws -> any ObservedList {
    nonisolated(unsafe) let wrapper = self
    nonisolated(unsafe) var list: (any ObservedList)?
    nonisolated(unsafe) var old = SectionedList()
    let observed = try lists.observe(predicate, in: collection) { update in
      let new = (try? list?.list()) ?? SectionedList()
      wrapper.told(update, new, after: old).forEach(told)
      old = new
    }
    (list, old) = (observed, try observed.list())
    return observed
  }
}

/// A backend that reports each change, and then its reversal.
final class ListsGoBack: ListWrapper {
  override class var words: (String, String) {
    ("lists-go-back", "tells a list of each change and then that it was taken back")
  }

  override func told(_ update: ListUpdate, _ list: SectionedList, after old: SectionedList) -> [ListUpdate] {
    [update, ListUpdate(old.difference(from: list), decodedRows: 0)]
  }
}

final class ListsMissChanges: ListWrapper {
  override class var words: (String, String) { ("lists-miss-changes", "does not tell a list of every third change") }
  private var count = 0

  override func told(_ update: ListUpdate, _ list: SectionedList, after old: SectionedList) -> [ListUpdate] {
    count += 1
    return count % 3 == 0 ? [] : [update]
  }
}

/// A backend that reports a changed row as deleted and inserted.
final class ListsTellTooMuch: ListWrapper {
  override class var words: (String, String) {
    ("lists-tell-too-much", "tells a list of a changed row as of one that went and came")
  }

  override func told(_ update: ListUpdate, _ list: SectionedList, after old: SectionedList) -> [ListUpdate] {
    var update = update
    update.difference.rows = update.difference.rows.flatMap { change -> [ListDifference.RowChange] in
      guard case .updated(let record, let old, let new) = change else { return [change] }
      return [.deleted(old), .inserted(record, new)]
    }
    return [update]
  }
}
