/// The capability to keep lists on a screen up to date while records change.
///
/// Without this capability, an emulation queries each list again after a save, as an app does. Save only by the
/// ``commit(_:)`` of this protocol, so that the emulation notices the changes.
public protocol Observing {
  /// Applies changes as ``StorageBackend/commit(_:)`` does. The lists that ``observe(_:in:_:)`` has returned may be
  /// updated before the call returns or later.
  ///
  /// - Throws: ``StoreError``; the store and the observed lists are then unchanged.
  func commit(_ changes: [Change]) throws

  /// Observes the records that a predicate finds, as a list that is kept up to date until it is stopped.
  ///
  /// The closure gets the list's updates in the order of the commits, on any thread. One update may cover several
  /// commits, or be empty.
  ///
  /// - Returns: The list, which is up to date. Stop the list before the store is closed.
  /// - Throws: ``StoreError``.
  func observe(
    _ predicate: RecordPredicate, in collection: CollectionID, _ told: @escaping @Sendable (ListUpdate) -> Void
  ) throws -> any ObservedList

  /// Waits until every observed list includes all commits that returned before this call, and until the closures of the
  /// lists have received all updates.
  ///
  /// - Throws: ``StoreError`` if a list could not be brought up to date.
  func waitForLists() throws
}

/// A list that is kept up to date while records change.
public protocol ObservedList: AnyObject {
  /// Returns the current content of the observed list.
  ///
  /// - Throws: ``StoreError`` if the list could not be brought up to date.
  func list() throws -> SectionedList

  /// Stops the updates of the observed list. The closure passed to ``Observing/observe(_:in:_:)`` is not called any
  /// more.
  func stop()
}

/// An update of an observed list, caused by one or several commits.
public struct ListUpdate: Sendable {
  /// The difference between the list before and after the update.
  public var difference: ListDifference
  /// The number of records that were decoded into Swift values to compute the update.
  public var decodedRows: Int

  /// Describes an update of an observed list.
  public init(_ difference: ListDifference, decodedRows: Int) {
    self.difference = difference
    self.decodedRows = decodedRows
  }
}
