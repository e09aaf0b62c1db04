/// What a batch request is to tell when it is done (NSBatchInsertRequestResultType and its kin).
public enum BatchRequestResultType: Sendable, CaseIterable {
  /// Nothing but that it is done.
  case statusOnly
  /// How many objects it was about.
  case count
  /// Which objects they were, and what else became of others: what contexts need to merge it.
  case objectIDs
}

/// What a batch request has done (NSBatchInsertResult and its kin). One that failed throws.
public struct BatchResult: Sendable {
  /// How many objects were inserted or updated, or found to be deleted; nil if that was not asked for. Objects that a
  /// delete rule took with them do not count.
  public let count: Int?
  /// Their IDs, by store and key; nil if they were not asked for.
  public let objectIDs: [ManagedObjectID]?
  /// All that has changed in the stores, what delete rules did included, for
  /// ``ManagedObjectContext/mergeChanges(fromRemoteContextSave:into:)``; nil if the IDs were not asked for.
  public let changes: SaveChanges?

  init(_ outcomes: [BatchOutcome], _ resultType: BatchRequestResultType) {
    count = resultType == .statusOnly ? nil : outcomes.reduce(0) { $0 + $1.count }
    guard resultType == .objectIDs else {
      (objectIDs, changes) = (nil, nil)
      return
    }
    objectIDs = outcomes.flatMap(\.objectIDs)
    changes = SaveChanges(
      inserted: outcomes.flatMap(\.inserted), updated: outcomes.flatMap(\.updated),
      deleted: outcomes.flatMap(\.deleted))
  }
}
