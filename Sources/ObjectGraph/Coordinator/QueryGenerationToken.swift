/// A state of the stores that contexts can stay on (NSQueryGenerationToken); see
/// ``ManagedObjectContext/setQueryGenerationFrom(_:)``.
///
/// SQLite stores in WAL mode keep the state for as long as a context is pinned to it or somebody holds the token: the log
/// grows meanwhile, since nothing of it can be written back that is newer. Contexts that are pinned to the same token
/// read one after the other.
public final class QueryGenerationToken: @unchecked Sendable {
  // Sendable because nothing changes, and snapshots are used by one thread at a time.

  /// The newest state, whichever that is when a context next reads.
  public static let current = QueryGenerationToken(nil, [])

  /// The state of one store.
  typealias Part = (origin: StoreIdentifier, snapshot: any PinnedSnapshot)

  /// The coordinator of the stores.
  let coordinator: PersistentStoreCoordinator?
  private let parts: [Part]

  init(_ coordinator: PersistentStoreCoordinator?, _ parts: [Part]) {
    self.coordinator = coordinator
    self.parts = parts
  }

  /// Returns the state of a store, or nil if it cannot keep one.
  func snapshot(of store: PersistentStore) -> (any PinnedSnapshot)? {
    parts.first { $0.origin == store.origin }?.snapshot
  }
}

extension QueryGenerationToken: Equatable {
  /// The same state of the same stores.
  public static func == (left: QueryGenerationToken, right: QueryGenerationToken) -> Bool { left === right }
}
