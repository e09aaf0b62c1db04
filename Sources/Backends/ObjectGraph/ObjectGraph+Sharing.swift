import Foundation
import ObjectGraph
import StorageContract

/// Sharing of a store by several processes. A save that conflicts with another process's save is repeated. Source:
/// Apple, Core Data Programming Guide, Change Management.
extension ObjectGraphBackend: Sharing {
  static func openAmongProcesses(_ environment: StoreEnvironment, _ way: SharingWay) throws -> ProcessShare {
    guard environment.options[store] == "sqlite" else {
      // Other store types are files that are read only at opening, so sharing must be emulated.
      return try Capability.emulatedSharing(opening: environment, as: Self.self, way)
    }
    let store = GraphAmongProcesses(try RecordGraph(environment), way)
    return ProcessShare(store, losesNothing: way == .documented) { store.retries }
  }
}

private final class GraphAmongProcesses: SharedStore, @unchecked Sendable {
  // The class is Sendable only because `SharedStore` requires it: an instance stays on the thread that opened it.

  /// The maximum time for repeating a save that conflicts with saves of other processes.
  private static let patience = Duration.milliseconds(Int64(SharedSQLite.busyTimeout))

  private let graph: RecordGraph
  private let way: SharingWay
  private(set) var retries = 0

  init(_ graph: RecordGraph, _ way: SharingWay) {
    (self.graph, self.way) = (graph, way)
    // In the naive way, no save fails, and changes of other processes are overwritten.
    graph.context.mergePolicy = way == .documented ? .error : .mergeByPropertyObjectTrump
    if way != .documented { graph.held = [] }
  }

  var settings: String { "\(graph.settings) merge_policy=\(way == .documented ? "error" : "object_trump")" }

  func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result {
    guard way == .documented else { return try graph.reading(body) }
    defer { graph.context.reset() }
    try StoreError.translating { try graph.context.setQueryGenerationFrom(.current) }
    return try graph.reading(body)
  }

  func write<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
    guard way == .documented else { return try graph.writing(body) }
    let end = ContinuousClock.now + Self.patience
    while true {
      defer {
        graph.held = nil
        graph.context.reset()
      }
      do {
        try StoreError.translating { try graph.context.setQueryGenerationFrom(nil) }
        graph.held = []
        return try graph.writing(body)
      } catch StoreError.conflict(let text) {
        guard ContinuousClock.now < end else { throw StoreError.conflict(text) }
        retries += 1
      }
    }
  }

  func settle() throws { try StoreError.translating { try graph.coordinator.settle() } }
  func close() throws { try StoreError.translating { try graph.coordinator.remove(graph.store) } }
}
