import Foundation
import ObjectGraph
import StorageContract

/// A context on a queue of its own for each block that is under way, over one coordinator, as Core Data's stack has it.
///
/// A fetch shows one state of the store; several do if nobody saves in between, so a reading block keeps the
/// coordinator to itself, and readers wait for each other. Core Data's have not since 2016: its coordinator has a small
/// pool of connections, so that contexts fetch at the same time, beside one writer in WAL mode (WWDC 2016, "What's New in
/// Core Data"). So times of concurrent readers say nothing of Core Data's. A writer makes its changes in its
/// context, which is nobody else's, and needs the coordinator for its fetches and for the save.
extension ObjectGraphBackend: Concurrent {
  static func openShared(_ environment: StoreEnvironment) throws -> any SharedStore {
    SharedGraph(try openGraph(environment))
  }
}

private final class SharedGraph: SharedStore, @unchecked Sendable {
  // Sendable because a context is lent to one block at a time, and the pool is used under its lock.

  private let first: RecordGraph
  private let gate: StoreGate
  /// One writer at a time: what it has read is still so when it saves.
  private let writing = NSLock()
  private let poolLock = NSLock()
  private var pool: [RecordGraph] = []

  init(_ graph: RecordGraph) {
    first = graph
    gate = StoreGate(graph.store.url?.lastPathComponent ?? "the store in memory")
  }

  deinit { try? close() }

  var settings: String { first.store.settings }

  func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result {
    try gate.pass {
      try withGraph { graph in
        try graph.coordinator.performAndWait { try GraphTransaction(graph).reading(body) }
      }
    }
  }

  func write<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
    try gate.pass(taking: writing) { try withGraph { try GraphTransaction($0).writing(body) } }
  }

  /// Lends a context, on its queue. It remembers nothing of the block before: objects would keep the values that they
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
