import Foundation
import ObjectGraph
import StorageContract

/// Access from many threads, as in Core Data: each reader or writer has a context with a private queue. Only SQLite
/// stores allow concurrent readers. Source: Apple, "What's New in Core Data", 2016.
extension ObjectGraphBackend: Concurrent {
  static func openShared(_ environment: StoreEnvironment) throws -> any SharedStore {
    SharedGraph(try RecordGraph(environment))
  }

  static func readsBesideWriter(_ durability: Durability, _ options: Options) -> Bool { keepsLog(durability, options) }
}

private final class SharedGraph: SharedStore, @unchecked Sendable {
  // The class is Sendable because only one block at a time uses a context, and a lock protects the pool.

  private let first: RecordGraph
  private let gate: StoreGate
  /// The lock that admits one writer at a time. Without the lock, a second writer could change data that the first has
  /// read.
  private let writing = NSLock()
  private let poolLock = NSLock()
  private var pool: [RecordGraph] = []

  /// Whether a reader's context can be pinned to one state of the store (a query generation). True only for SQLite
  /// databases.
  private let keepsGenerations: Bool

  init(_ graph: RecordGraph) {
    first = graph
    keepsGenerations = graph.store.type == .sqlite
    gate = StoreGate(graph.store.url?.lastPathComponent ?? "the store in memory")
  }

  deinit { try? close() }

  var settings: String { first.settings }

  func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result {
    try gate.pass {
      try withGraph { graph in
        guard keepsGenerations else {
          return try graph.coordinator.performAndWait { try graph.reading(body) }
        }
        try StoreError.translating { try graph.context.setQueryGenerationFrom(.current) }
        // The context's reset, or its next use, releases the query generation.
        return try graph.reading(body)
      }
    }
  }

  func write<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
    try gate.pass(taking: writing) {
      try withGraph { graph in
        try StoreError.translating { try graph.context.setQueryGenerationFrom(nil) }
        return try graph.writing(body)
      }
    }
  }

  /// Runs the body on the queue of a managed object context, and then resets the context, whose objects may be
  /// outdated.
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
