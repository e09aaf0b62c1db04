import Foundation
import ObjectGraph
import StorageContract

/// Core Data's way (Apple's Core Data Programming Guide, "Conflict detection and optimistic locking"): a save compares the
/// versions of what it changes with the store's and fails where another process has saved in between; the objects are then
/// fetched again and the change is made anew.
///
/// The naive way is a common one: a context that keeps its objects, and the merge policy that lets its own changes win, so
/// that no save fails.
extension ObjectGraphBackend: Sharing {
  static func openAmongProcesses(_ environment: StoreEnvironment, _ way: SharingWay) throws -> ProcessShare {
    guard environment.options[store] == "sqlite" else {
      // The other stores are a file as a whole, read when they are opened.
      return try Capability.emulatedSharing(opening: environment, as: Self.self, way)
    }
    guard way == .documented else {
      return ProcessShare(ForcefulGraph(try openGraph(environment)), losesNothing: false)
    }
    let store = RefetchingGraph(try openShared(environment))
    return ProcessShare(store, losesNothing: true) { store.retries }
  }
}

/// Fetches and changes again what another process has saved in between.
private final class RefetchingGraph: SharedStore, @unchecked Sendable {
  // Sendable in name only: it stays on the thread that opened it.

  /// For how long a save is tried again: as long as ``SharedSQLite`` waits for a lock.
  private static let patience = Duration.milliseconds(Int64(SharedSQLite.busyTimeout))

  private let store: any SharedStore
  private(set) var retries = 0

  init(_ store: any SharedStore) { self.store = store }

  var settings: String { "\(store.settings) merge_policy=error" }

  func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result { try store.read(body) }

  func write<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
    let end = ContinuousClock.now + Self.patience
    while true {
      do {
        return try store.write(body)
      } catch StoreError.conflict(let text) {
        guard ContinuousClock.now < end else { throw StoreError.conflict(text) }
        retries += 1
      }
    }
  }

  func settle() throws { try store.settle() }
  func close() throws { try store.close() }
}

/// Keeps its objects, and has its way.
private final class ForcefulGraph: SharedStore, @unchecked Sendable {
  // Sendable in name only: it stays on the thread that opened it.

  private let graph: RecordGraph

  init(_ graph: RecordGraph) {
    self.graph = graph
    graph.context.mergePolicy = .mergeByPropertyObjectTrump
  }

  var settings: String { "\(graph.store.settings) merge_policy=object_trump" }

  func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result {
    try GraphTransaction(graph).reading(body)
  }

  func write<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
    try GraphTransaction(graph).writing(body)
  }

  func settle() throws { try StoreError.translating { try graph.coordinator.settle() } }
  func close() throws { try StoreError.translating { try graph.coordinator.remove(graph.store) } }
}
