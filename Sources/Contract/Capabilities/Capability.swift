/// A feature that some backends have natively, such as ``Querying``. For other backends, the feature is emulated.
public enum Capability: String, Sendable, CaseIterable {
  /// The capability ``Querying``: finding, counting and summing records by their fields.
  case querying
  /// The capability ``Transactional``: several reads and writes in one transaction.
  case transactional
  /// The capability ``Relational``: links between records.
  case relational
  /// The capability ``Concurrent``: several threads on one store at the same time.
  case concurrent
  /// The capability ``Compacting``: reclaiming the space of deleted records.
  case compacting
  /// The capability ``BackingUp``: copying an open store.
  case backingUp
  /// The capability ``Migrating``: changing the schema of a collection, such as by a new attribute.
  case migrating
  /// The capability ``Bulk``: writing and deleting many records in one request.
  case bulk
  /// The capability ``Observing``: keeping lists on a screen up to date.
  case observing
  /// The capability ``TextSearching``: searching the texts of records for words.
  case textSearching
  /// The capability ``Sharing``: several processes on one store at the same time.
  case sharing

  /// Returns whether a backend itself has the capability, so that no emulation is needed.
  public func isNative(in backend: any StorageBackend.Type) -> Bool {
    switch self {
    case .querying: backend is any Querying.Type
    case .transactional: backend is any Transactional.Type
    case .relational: backend is any Relational.Type
    case .concurrent: backend is any Concurrent.Type
    case .compacting: backend is any Compacting.Type
    case .backingUp: backend is any BackingUp.Type
    case .migrating: backend is any Migrating.Type
    case .bulk: backend is any Bulk.Type
    case .observing: backend is any Observing.Type
    case .textSearching: backend is any TextSearching.Type
    case .sharing: backend is any Sharing.Type
    }
  }
}
