import CStorageLMDB
import StorageContract

/// Sharing of an LMDB store by several processes, each with a separate LMDB environment. According to lmdb.h, an
/// environment must not be opened twice in one process, nor used after a fork.
extension LMDBBackend: Sharing {
  static func openAmongProcesses(_ environment: StoreEnvironment, _ way: SharingWay) throws -> ProcessShare {
    guard way == .documented else {
      // The naive way of sharing (``SharingWay/naive``) reads and writes in separate transactions.
      return ProcessShare(SeparateTransactions(try Self(opening: environment)), losesNothing: false)
    }
    return ProcessShare(try openShared(environment), losesNothing: true)
  }
}

/// A shared store that ignores other processes, as a deliberate mistake (``SharingWay/naive``). Another process can
/// save between a read and the write that depends on the read.
private final class SeparateTransactions: SharedStore, @unchecked Sendable {
  // The class is Sendable only because `SharedStore` requires it: an instance stays on the thread that opened it.

  private let store: LMDBBackend

  init(_ store: LMDBBackend) { self.store = store }

  var settings: String { store.settings }

  func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result { try body(HeldBack(store)) }

  func write<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
    let transaction = HeldBack(store)
    let result = try body(transaction)
    try store.commit(transaction.changes)
    return result
  }

  func settle() throws {}
  func close() throws { try store.close() }
}

/// A transaction that only collects its changes, for a commit at its end. Reads see the store without these changes.
private final class HeldBack: StoreTransaction {
  private let store: LMDBBackend
  private(set) var changes: [Change] = []

  init(_ store: LMDBBackend) { self.store = store }

  func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
    try store.read(key, in: collection, body)
  }

  func scan(_ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool) throws {
    try store.scan(keys, in: collection, body)
  }

  func count(in collection: CollectionID) throws -> Int { try store.count(in: collection) }

  func apply(_ change: Change) { changes.append(change) }
}
