/// A token for one state of the stores. A context that is pinned to it keeps reading this state after later saves; see
/// ``ManagedObjectContext/setQueryGenerationFrom(_:)``. The counterpart of NSQueryGenerationToken.
///
/// SQLite stores in WAL mode keep the state while a context is pinned to it or the token is referenced. The write-ahead
/// log grows meanwhile, because newer changes cannot be written back. Contexts that are pinned to the same token read
/// one after the other.
public final class QueryGenerationToken: @unchecked Sendable {
  // Sendable because the token is immutable, and only one thread at a time uses a snapshot.

  /// A token that makes the next read of a context pin the context to the state of the stores at that time.
  public static let current = QueryGenerationToken(nil, [])

  typealias Part = (origin: StoreIdentifier, snapshot: any PinnedSnapshot)

  let coordinator: PersistentStoreCoordinator?
  private let parts: [Part]

  init(_ coordinator: PersistentStoreCoordinator?, _ parts: [Part]) {
    self.coordinator = coordinator
    self.parts = parts
  }

  func snapshot(of store: PersistentStore) -> (any PinnedSnapshot)? {
    parts.first { $0.origin == store.origin }?.snapshot
  }
}

extension QueryGenerationToken: Equatable {
  /// Returns whether two tokens are the same instance.
  public static func == (left: QueryGenerationToken, right: QueryGenerationToken) -> Bool { left === right }
}
