import Foundation
import StorageContract

// Backends that let many threads in and do not keep them apart. Each takes a nap at the wrong moment, so that what can
// go wrong does.

/// Lets readers see a write that is still going on.
final class ReadsHalfDone: Wrapper, Concurrent {
  static let description = describe("reads-half-done", "shows readers what a writer has done so far")
  let inner: any StorageBackend

  init(_ inner: any StorageBackend) { self.inner = inner }

  static func openShared(_ environment: StoreEnvironment) throws -> any SharedStore {
    HalfDone(shared: try Capability.concurrent(opening: environment, as: Self.inner).value)
  }

  private struct HalfDone: SharedWrapper {
    let shared: any SharedStore

    func write<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
      try body(Piecemeal(shared: shared))
    }
  }

  /// Makes each change at once, for everybody to see.
  private struct Piecemeal: DirectReads, StoreTransaction {
    let shared: any SharedStore

    func apply(_ change: Change) throws {
      try shared.write { try $0.apply(change) }
      usleep(500)
    }
  }
}

/// Lets two writers read the same state, of whom the second undoes what the first has done.
final class LosesRaces: Wrapper, Concurrent {
  static let description = describe("loses-races", "lets writers read before the one in front has written")
  let inner: any StorageBackend

  init(_ inner: any StorageBackend) { self.inner = inner }

  static func openShared(_ environment: StoreEnvironment) throws -> any SharedStore {
    Racing(shared: try Capability.concurrent(opening: environment, as: Self.inner).value)
  }

  private struct Racing: SharedWrapper {
    let shared: any SharedStore

    func write<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
      let late = Late(shared: shared)
      let result = try body(late)
      // Long enough for the others to read, too, on a busy machine.
      usleep(20_000)
      try shared.write { transaction in try late.changes.forEach(transaction.apply) }
      return result
    }
  }

  /// Holds changes back; reads do not wait for anybody.
  private final class Late: DirectReads, StoreTransaction {
    let shared: any SharedStore
    var changes: [Change] = []

    init(shared: any SharedStore) { self.shared = shared }

    func apply(_ change: Change) throws { changes.append(change) }
  }
}

/// A shared store behind another that can do one thing wrong.
private protocol SharedWrapper: SharedStore {
  var shared: any SharedStore { get }
}

extension SharedWrapper {
  var settings: String { shared.settings }
  func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result {
    try body(Unprotected(shared: shared))
  }
  func settle() throws { try shared.settle() }
  func close() throws { try shared.close() }
}

/// Reads that each see the state of another moment.
private protocol DirectReads: StoreSnapshot {
  var shared: any SharedStore { get }
}

extension DirectReads {
  func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
    try shared.read { try $0.read(key, in: collection, body) }
  }

  func scan(
    _ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool
  ) throws {
    try shared.read { try $0.scan(keys, in: collection, body) }
  }

  func count(in collection: CollectionID) throws -> Int { try shared.read { try $0.count(in: collection) } }
}

private struct Unprotected: DirectReads {
  let shared: any SharedStore
}
