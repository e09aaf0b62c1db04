/// What a backend may be able to do beyond the required members.
///
/// A backend has a capability natively by conforming to its protocol, and in no other way: whether a row is native
/// is computed from conformance, never declared. Every backend has every capability one way or the other, so
/// workloads ask here and are written once.
///
///     let querying = Capability.querying(of: store)
///     let found = try querying.value.count(.name("Ada"), in: .records)
///     print(querying.isNative ? "native" : "emulated")
public enum Capability: String, Sendable, CaseIterable {
  /// ``Querying``.
  case querying
  /// ``Transactional``.
  case transactional
  /// ``Relational``.
  case relational
  /// ``Concurrent``.
  case concurrent
  /// ``Compacting``.
  case compacting
  /// ``Migrating``.
  case migrating
  /// ``Bulk``.
  case bulk
  /// ``Observing``.
  case observing
  /// ``TextSearching``.
  case textSearching
  /// ``Sharing``.
  case sharing

  /// Whether a backend has the capability natively, without opening a store: for lists and plans.
  public func isNative(in backend: any StorageBackend.Type) -> Bool {
    switch self {
    case .querying: backend is any Querying.Type
    case .transactional: backend is any Transactional.Type
    case .relational: backend is any Relational.Type
    case .concurrent: backend is any Concurrent.Type
    case .compacting: backend is any Compacting.Type
    case .migrating: backend is any Migrating.Type
    case .bulk: backend is any Bulk.Type
    case .observing: backend is any Observing.Type
    case .textSearching: backend is any TextSearching.Type
    case .sharing: backend is any Sharing.Type
    }
  }
}
