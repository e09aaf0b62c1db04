import CStorageLMDB
import Foundation
import StorageContract

/// Access from many threads through one LMDB environment. Each reader has its own transaction and never waits; one
/// writer runs at a time.
extension LMDBBackend: Concurrent {
  static func openShared(_ environment: StoreEnvironment) throws -> any SharedStore { try SharedLMDB(environment) }

  static func readsBesideWriter(_ durability: Durability, _ options: Options) -> Bool { true }
}

private final class SharedLMDB: SharedStore, @unchecked Sendable {
  // The class is Sendable because locks protect all mutable state.

  /// The limit of concurrent read transactions. LMDB's default, 126, is too low for tests with many threads.
  private static let mostReaders: UInt32 = 2_048

  private let environment: OpaquePointer
  private let databases: [LMDBTable]
  private let directory: String
  private let grows: Bool
  private let gate = StoreGate("data.mdb")
  /// The lock of the running writer, which keeps it while it enlarges the memory map and restarts its transaction.
  private let writing = NSLock()
  private let poolLock = NSLock()
  private var pool: [OpaquePointer] = []

  init(_ store: StoreEnvironment) throws {
    directory = store.directory
    grows = Quantity.bytes(store.options[LMDBBackend.map]) == nil
    let created = try LMDBBackend.open(
      store, LMDBBackend.flags(store.durability, store.options), mostReaders: Self.mostReaders)
    do {
      databases = try LMDBBackend.databases(store, created, isReadOnly: false)
      // A process killed during a read leaves a slot in the reader table, which keeps old pages from being reused.
      try LMDBBackend.check(mdb_reader_check(created, nil), "mdb_reader_check")
    } catch {
      mdb_env_close(created)
      throw error
    }
    environment = created
  }

  deinit { try? close() }

  var settings: String {
    let form = databases.first?.form.settings ?? ""
    return (try? gate.pass { LMDBBackend.settings(environment) + form }) ?? "unknown"
  }

  func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result {
    try gate.pass {
      let reader = try takeReader()
      defer {
        mdb_txn_reset(reader)
        poolLock.withLock { pool.append(reader) }
      }
      return try LMDBTransaction(reader, databases, isWriting: false).reading(body)
    }
  }

  private func takeReader() throws -> OpaquePointer {
    if let free = poolLock.withLock({ pool.popLast() }) {
      let code = try inLargeEnoughMap { mdb_txn_renew(free) }
      if code != 0 { mdb_txn_abort(free) }
      try LMDBBackend.check(code, "mdb_txn_renew")
      return free
    }
    return try begin(UInt32(MDB_RDONLY))
  }

  private func begin(_ flags: UInt32) throws -> OpaquePointer {
    var started: OpaquePointer?
    let code = try inLargeEnoughMap { mdb_txn_begin(environment, nil, flags, &started) }
    try LMDBBackend.check(code, "mdb_txn_begin")
    guard let started else { throw StoreError.failed("mdb_txn_begin: no transaction") }
    return started
  }

  /// Begins a transaction. If another process has enlarged LMDB's memory map, adopts the new size and begins again. No
  /// reader may run meanwhile, because readers use the map.
  private func inLargeEnoughMap(_ begin: () -> Int32) throws -> Int32 {
    var code = begin()
    while code == MDB_MAP_RESIZED {
      try gate.alone { try LMDBBackend.check(mdb_env_set_mapsize(environment, 0), "mdb_env_set_mapsize") }
      code = begin()
    }
    return code
  }

  func write<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
    try gate.pass(taking: writing) {
      let handle = try begin(0)
      let number = mdb_txn_id(handle)
      let enlarge: LMDBTransaction.Enlarge = { old in
        try LMDBTransaction.begin(self.environment, inPlaceOf: old, number: number) {
          try self.gate.alone { try LMDBBackend.grow(self.environment) }
        }
      }
      return try LMDBTransaction(handle, databases, isWriting: true, enlarge: grows ? enlarge : nil)
        .writing(in: directory, body)
    }
  }

  func settle() throws {}

  func close() throws {
    try gate.close(taking: writing) {
      for reader in pool { mdb_txn_abort(reader) }
      pool = []
      mdb_env_close(environment)
    }
  }
}
