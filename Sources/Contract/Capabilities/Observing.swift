/// The capability to keep lists on a screen up to date. Changes must be saved by this protocol's ``commit(_:)``.
public protocol Observing {
  /// Commits changes. Observed lists are updated before the call returns or later: see ``waitForLists()``.
  ///
  /// - Throws: ``StoreError``; the store and the observed lists are then unchanged.
  func commit(_ changes: [Change]) throws

  /// Observes the records that a predicate finds. The closure gets the list's updates in commit order, on any thread.
  ///
  /// - Returns: The list of the records, up to date. The list must be stopped before the store is closed.
  /// - Throws: ``StoreError``.
  func observe(
    _ predicate: RecordPredicate, in collection: CollectionID, _ told: @escaping @Sendable (ListUpdate) -> Void
  ) throws -> any ObservedList

  /// Waits until all earlier commits are in every observed list, and the lists' closures have received all updates.
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
  /// The number of records that the store decoded into Swift values to compute this update of the list.
  public var decodedRows: Int

  /// Describes an update of an observed list.
  public init(_ difference: ListDifference, decodedRows: Int) {
    self.difference = difference
    self.decodedRows = decodedRows
  }
}
