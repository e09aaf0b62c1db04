import Foundation
import StorageContract

// Backends that admit many threads and do not isolate them. Each sleeps at the wrong moment, so that the fault occurs.

/// A backend whose readers see a write in progress.
final class ReadsHalfDone: Wrapper, Concurrent {
  override class var words: (String, String) { ("reads-half-done", "shows readers what a writer has done so far") }

  static func openShared(_ environment: StoreEnvironment) throws -> any SharedStore {
    HalfDone(shared: try Capability.concurrent(opening: environment, as: Self.inner).value)
  }

  struct HalfDone: SharedWrapper {
    let shared: any SharedStore

    func write<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
      try body(Piecemeal(shared: shared))
    }
  }

  /// A transaction that makes each change visible at once.
  private struct Piecemeal: DirectReads, StoreTransaction {
    let shared: any SharedStore

    func apply(_ change: Change) throws {
      try shared.write { try $0.apply(change) }
      usleep(500)
    }
  }
}

/// A backend in which two writers read the same state, so that the second undoes the changes of the first.
final class LosesRaces: Wrapper, Concurrent {
  override class var words: (String, String) {
    ("loses-races", "lets writers read before the one in front has written")
  }

  static func openShared(_ environment: StoreEnvironment) throws -> any SharedStore {
    Racing(shared: try Capability.concurrent(opening: environment, as: Self.inner).value)
  }

  private struct Racing: SharedWrapper {
    let shared: any SharedStore

    func write<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
      let late = Late(shared: shared)
      let result = try body(late)
      // Long enough for the others to read as well, on a busy machine.
      usleep(20_000)
      try shared.write { transaction in try late.changes.forEach(transaction.apply) }
      return result
    }
  }

  /// A transaction that delays changes. Reads wait for no one.
  private final class Late: DirectReads, StoreTransaction {
    let shared: any SharedStore
    var changes: [Change] = []

    init(shared: any SharedStore) { self.shared = shared }

    func apply(_ change: Change) throws { changes.append(change) }
  }
}

/// A shared store behind another one that can have one fault.
protocol SharedWrapper: SharedStore {
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

/// Reads that each see a state of another moment.
private protocol DirectReads: StoreSnapshot {
  var shared: any SharedStore { get }
}

extension DirectReads {
  func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
    try shared.read { try $0.read(key, in: collection, body) }
  }

  func scan(_ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool) throws {
    try shared.read { try $0.scan(keys, in: collection, body) }
  }

  func count(in collection: CollectionID) throws -> Int { try shared.read { try $0.count(in: collection) } }
}

private struct Unprotected: DirectReads {
  let shared: any SharedStore
}
