/// A token for one state of the stores, which a context can read even after later saves. SQLite's write-ahead log grows
/// while a token exists.
public final class QueryGenerationToken: Equatable, @unchecked Sendable {
  // Sendable because the token is immutable, and only one thread at a time uses a snapshot.

  /// A token for a state that is not chosen yet. The next read of a context with this token chooses the newest state.
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

  /// Returns whether two tokens are the same instance.
  public static func == (left: QueryGenerationToken, right: QueryGenerationToken) -> Bool { left === right }
}
