/// The capability to keep lists on a screen up to date while records change.
///
/// An engine without it leaves that to its app, which asks again after each save: see `Emulation/ObservingEmulation`.
/// That is why saves go through ``commit(_:)`` of whatever ``Capability/observing(of:)`` returns, which for an engine
/// that has the capability is the store itself.
public protocol Observing {
  /// Applies changes as ``StorageBackend/commit(_:)`` does. Lists may hear of it before it returns, or later.
  ///
  /// - Throws: ``StoreError``; the store then holds what it held before, and lists show that again.
  func commit(_ changes: [Change]) throws

  /// Shows the records that a predicate finds, in the order and the sections of ``SectionedList``, from now on.
  ///
  /// Whatever is committed later is told to the closure, on any thread, in the order of the commits. Several commits may
  /// be told as one, and a list may be told of a commit that does not concern it: the difference is empty then.
  ///
  /// - Returns: The list, which is up to date. It must be stopped before the store is closed.
  /// - Throws: ``StoreError``.
  func observe(
    _ predicate: RecordPredicate, in collection: CollectionID, _ told: @escaping @Sendable (ListUpdate) -> Void
  ) throws -> any ObservedList

  /// Returns when every list knows of every commit that has returned, and nothing is under way for them.
  ///
  /// - Throws: ``StoreError`` if a list could not be brought up to date.
  func waitForLists() throws
}

/// A list that an engine keeps up to date.
public protocol ObservedList: AnyObject {
  /// What the list shows now.
  ///
  /// - Throws: ``StoreError`` if it could not be brought up to date.
  func list() throws -> SectionedList

  /// Ends it: nothing is told from now on.
  func stop()
}

/// What a list is told.
public struct ListUpdate: Sendable {
  /// What leads from the list as it was to the list as it is.
  public var difference: ListDifference
  /// How many records were made into Swift values to find that out.
  public var decodedRows: Int

  /// Describes an update.
  public init(_ difference: ListDifference, decodedRows: Int) {
    self.difference = difference
    self.decodedRows = decodedRows
  }
}
