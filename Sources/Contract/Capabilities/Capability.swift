/// A feature that a backend may have beyond the required members.
///
/// A backend has a capability natively only if it conforms to its protocol. Whether a row of a report is native is
/// computed from the conformance, never declared. A backend without the conformance gets an emulation, so every
/// workload is written once and asks for its capability here.
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

  /// Returns whether a backend has the capability natively. It needs no open store, so lists and plans can use it.
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
