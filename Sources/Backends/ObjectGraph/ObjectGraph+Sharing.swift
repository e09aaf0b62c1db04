import Foundation
import ObjectGraph
import StorageContract

/// Sharing of a store by several processes, as documented for Core Data (Apple's Programming Guide, Change Management).
/// A save fails if another process has changed the same objects. The save is then repeated.
extension ObjectGraphBackend: Sharing {
  static func openAmongProcesses(_ environment: StoreEnvironment, _ way: SharingWay) throws -> ProcessShare {
    guard environment.options[store] == "sqlite" else {
      // Other store types are whole files, which are read only when they are opened, so sharing must be emulated.
      return try Capability.emulatedSharing(opening: environment, as: Self.self, way)
    }
    let store = GraphAmongProcesses(try openGraph(environment), way)
    return ProcessShare(store, losesNothing: way == .documented) { store.retries }
  }
}

/// An object graph in a store that several processes have open at the same time. All objects that a transaction has
/// read stay in memory. Saving the transaction compares these objects with the store, to notice changes by other
/// processes.
private final class GraphAmongProcesses: SharedStore, @unchecked Sendable {
  // The class is Sendable only because `SharedStore` requires it: an instance stays on the thread that opened it.

  /// The maximum time for repeating a save that conflicts with saves of other processes.
  private static let patience = Duration.milliseconds(Int64(SharedSQLite.busyTimeout))

  private let graph: RecordGraph
  private let way: SharingWay
  private var held = HeldObjects()
  private(set) var retries = 0

  init(_ graph: RecordGraph, _ way: SharingWay) {
    (self.graph, self.way) = (graph, way)
    // In the naive way, the context's changes are preferred, so no save fails, and changes of other processes are
    // overwritten.
    graph.context.mergePolicy = way == .documented ? .error : .mergeByPropertyObjectTrump
  }

  var settings: String { "\(graph.store.settings) merge_policy=\(way == .documented ? "error" : "object_trump")" }

  func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result {
    guard way == .documented else {
      return try graph.reading { try body(HoldingTransaction(graph, $0, held)) }
    }
    defer { graph.context.reset() }
    try StoreError.translating { try graph.context.setQueryGenerationFrom(.current) }
    return try graph.reading(body)
  }

  func write<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
    guard way == .documented else { return try save(body) }
    let end = ContinuousClock.now + Self.patience
    while true {
      defer { forget() }
      do {
        try StoreError.translating { try graph.context.setQueryGenerationFrom(nil) }
        return try save(body)
      } catch StoreError.conflict(let text) {
        guard ContinuousClock.now < end else { throw StoreError.conflict(text) }
        retries += 1
      }
    }
  }

  private func save<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
    try graph.writing { try body(HoldingTransaction(graph, $0, held)) }
  }

  private func forget() {
    held.objects = []
    graph.context.reset()
  }

  func settle() throws { try StoreError.translating { try graph.coordinator.settle() } }
  func close() throws { try StoreError.translating { try graph.coordinator.remove(graph.store) } }
}

private final class HeldObjects {
  var objects: Set<ManagedObject> = []
}

/// A transaction that keeps in memory all objects that were read in the transaction. Saving the transaction compares
/// these objects with the store, to notice changes by other processes.
private struct HoldingTransaction: StoreTransaction {
  private let graph: RecordGraph
  private let inner: any StoreSnapshot
  private let held: HeldObjects

  init(_ graph: RecordGraph, _ inner: any StoreSnapshot, _ held: HeldObjects) {
    (self.graph, self.inner, self.held) = (graph, inner, held)
  }

  func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
    let found = try StoreError.translating {
      let entity = try graph.entity(collection)
      return try entity.object(key, graph.context).map { (object: $0, record: try entity.record($0)) }
    }
    guard let found else { return false }
    held.objects.insert(found.object)
    try found.record.withView(body)
    return true
  }

  func scan(_ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool) throws {
    let entity = try graph.entity(collection)
    try StoreError.translating { held.objects.formUnion(try graph.context.fetch(entity.request(keys))) }
    try inner.scan(keys, in: collection, body)
  }

  func count(in collection: CollectionID) throws -> Int { try inner.count(in: collection) }

  func apply(_ change: Change) throws {
    guard let inner = inner as? any StoreTransaction else {
      throw StoreError.failed("records cannot be changed in a read; use a transaction")
    }
    try inner.apply(change)
  }
}
