/// The capability to keep lists on a screen up to date while records change.
///
/// An app on an engine without the capability queries each list again after a save: see `Emulation/ObservingEmulation`.
/// A workload obtains the emulation from ``Capability/observing(of:)`` and saves by the emulation's ``commit(_:)``,
/// because the emulation must notice saves. For an engine with the capability, ``Capability/observing(of:)`` returns
/// the store itself.
public protocol Observing {
  /// Applies changes as ``StorageBackend/commit(_:)`` does. Observed lists may be notified of the changes before the
  /// call returns or later.
  ///
  /// - Throws: ``StoreError``; the store and the lists then have their previous content again.
  func commit(_ changes: [Change]) throws

  /// Observes the records that a predicate finds, in the order and the sections of ``SectionedList``, until the list is
  /// stopped.
  ///
  /// The closure argument is called for commits that follow this call, on any thread and in commit order. One call of
  /// the closure may cover several commits. The difference may be empty if a commit does not affect the list.
  ///
  /// - Returns: The list, which is up to date. Stop the list before the store is closed.
  /// - Throws: ``StoreError``.
  func observe(
    _ predicate: RecordPredicate, in collection: CollectionID, _ told: @escaping @Sendable (ListUpdate) -> Void
  ) throws -> any ObservedList

  /// Waits until every observed list includes all commits that returned before this call, and no update is pending.
  ///
  /// - Throws: ``StoreError`` if a list could not be brought up to date.
  func waitForLists() throws
}

/// A list that an engine keeps up to date while records change.
public protocol ObservedList: AnyObject {
  /// Returns the current content of the observed list.
  ///
  /// - Throws: ``StoreError`` if the list could not be brought up to date.
  func list() throws -> SectionedList

  /// Stops the updates of the list. After the call, the closure that observes the list is not called any more.
  func stop()
}

/// An update of an observed list, caused by one or several commits.
public struct ListUpdate: Sendable {
  /// The difference between the list before and after the update.
  public var difference: ListDifference
  /// The number of records that were decoded into Swift values to compute ``difference``.
  public var decodedRows: Int

  /// Describes an update of an observed list.
  public init(_ difference: ListDifference, decodedRows: Int) {
    self.difference = difference
    self.decodedRows = decodedRows
  }
}
