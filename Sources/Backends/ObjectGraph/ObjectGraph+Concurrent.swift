import Foundation
import ObjectGraph
import StorageContract

/// A context with a private queue for each running block, over one coordinator, as in Core Data's stack.
///
/// A reading block is a context that is pinned to one query generation, so that all its fetches show one state. Readers
/// run at the same time, beside one writer, as in Core Data since 2016 in WAL mode (Apple's "What's New in Core Data",
/// 2016): each has a connection. Whole-file stores keep no generations. There a reading block holds the coordinator,
/// and readers wait for each other. A writer makes its changes in a private context, and saves.
extension ObjectGraphBackend: Concurrent {
  static func openShared(_ environment: StoreEnvironment) throws -> any SharedStore {
    SharedGraph(try openGraph(environment))
  }
}

private final class SharedGraph: SharedStore, @unchecked Sendable {
  // Sendable because only one block at a time has a context, and the pool is used under its lock.

  private let first: RecordGraph
  private let gate: StoreGate
  /// One writer at a time: what it has read is still so when it saves.
  private let writing = NSLock()
  private let poolLock = NSLock()
  private var pool: [RecordGraph] = []

  /// Whether a context can stay on one state of the store: SQLite's are opened in WAL mode.
  private let keepsGenerations: Bool

  init(_ graph: RecordGraph) {
    first = graph
    keepsGenerations = graph.store.type == .sqlite
    gate = StoreGate(graph.store.url?.lastPathComponent ?? "the store in memory")
  }

  deinit { try? close() }

  var settings: String { first.store.settings }

  func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result {
    try gate.pass {
      try withGraph { graph in
        guard keepsGenerations else {
          return try graph.coordinator.performAndWait { try GraphTransaction(graph).reading(body) }
        }
        try StoreError.translating { try graph.context.setQueryGenerationFrom(.current) }
        // Released by the next user of the context, or by the reset.
        return try GraphTransaction(graph).reading(body)
      }
    }
  }

  func write<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
    try gate.pass(taking: writing) {
      try withGraph { graph in
        try StoreError.translating { try graph.context.setQueryGenerationFrom(nil) }
        return try GraphTransaction(graph).writing(body)
      }
    }
  }

  /// Passes a context, on its queue. It remembers nothing of the block before: objects would keep the values that they
  /// had then.
  private func withGraph<Result>(_ body: (RecordGraph) throws -> Result) throws -> Result {
    let graph = try poolLock.withLock { pool.popLast() } ?? RecordGraph(besides: first)
    defer { poolLock.withLock { pool.append(graph) } }
    return try graph.context.performAndWait {
      defer { graph.context.reset() }
      return try body(graph)
    }
  }

  func settle() throws { try gate.pass { try StoreError.translating { try first.coordinator.settle() } } }

  func close() throws {
    try gate.close(taking: writing) {
      pool = []
      try StoreError.translating { try first.coordinator.remove(first.store) }
    }
  }
}
