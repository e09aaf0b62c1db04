import CStorageLMDB
import Foundation
import StorageContract

/// Access from many threads through one LMDB environment, with one writer at a time. Readers wait only while the writer
/// enlarges the memory map.
extension LMDBBackend: Concurrent {
  static func openShared(_ environment: StoreEnvironment) throws -> any SharedStore {
    try SharedLMDB(environment, engine(), flags(environment.durability, environment.options))
  }

  static func readsBesideWriter(_ durability: Durability, _ options: Options) -> Bool { true }
}

private final class SharedLMDB: SharedStore, @unchecked Sendable {
  // The class is Sendable because locks protect all mutable state.

  /// The maximum number of concurrent read transactions. LMDB's default, 126, is too low for tests with many threads.
  private static let mostReaders: UInt32 = 2_048

  private let mdb: MDB
  private let environment: OpaquePointer
  private let databases: [LMDBTable]
  private let directory: String
  private let options: Options
  private let grows: Bool
  private let gate: StoreGate
  /// The lock that admits one writer at a time. The writer holds the lock also while enlarging the memory map.
  private let writing = NSLock()
  private let poolLock = NSLock()
  private var pool: [OpaquePointer] = []

  init(_ store: StoreEnvironment, _ mdb: MDB, _ flags: UInt32) throws {
    self.mdb = mdb
    gate = StoreGate("\(mdb.file)")
    (directory, options) = (store.directory, store.options)
    grows = mdb.mustGrow && Quantity.bytes(store.options[LMDBBackend.map]) == nil
    let created = try LMDBBackend.open(mdb, store, flags, mostReaders: Self.mostReaders)
    do {
      databases = try LMDBBackend.databases(mdb, store, created, isReadOnly: false)
      // A process killed during a read leaves a slot in the reader table, which keeps old pages from being reused.
      try mdb.check(mdb.pointee.reader_check(created, nil), "reader_check")
    } catch {
      mdb.pointee.env_close(created)
      throw error
    }
    environment = created
  }

  deinit { try? close() }

  var settings: String {
    (try? gate.pass { LMDBBackend.settings(mdb, environment, options) }) ?? "unknown"
  }

  func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result {
    try gate.pass {
      let reader = try takeReader()
      defer {
        mdb.pointee.txn_reset(reader)
        poolLock.withLock { pool.append(reader) }
      }
      return try LMDBTransaction(mdb, environment, reader, databases, isWriting: false).reading(body)
    }
  }

  private func takeReader() throws -> OpaquePointer {
    if let free = poolLock.withLock({ pool.popLast() }) {
      let code = try inLargeEnoughMap { mdb.pointee.txn_renew(free) }
      if code != 0 { mdb.pointee.txn_abort(free) }
      try mdb.check(code, "txn_renew")
      return free
    }
    return try begin(UInt32(MDB_RDONLY))
  }

  private func begin(_ flags: UInt32) throws -> OpaquePointer {
    try mdb.created("transaction", by: "txn_begin") { started in
      try inLargeEnoughMap { mdb.pointee.txn_begin(environment, nil, flags, &started) }
    }
  }

  /// Begins an LMDB transaction and returns LMDB's result code. If another process has enlarged the memory map, adopts
  /// the new size and retries.
  private func inLargeEnoughMap(_ begin: () -> Int32) throws -> Int32 {
    var code = begin()
    while code == MDB_MAP_RESIZED {
      try gate.alone { try mdb.check(mdb.pointee.env_set_mapsize(environment, 0), "env_set_mapsize") }
      code = begin()
    }
    return code
  }

  func write<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
    try gate.pass(taking: writing) {
      let grow = { try self.gate.alone { try LMDBBackend.grow(self.mdb, self.environment) } }
      let transaction = try LMDBTransaction(
        mdb, environment, begin(0), databases, isWriting: true, grow: grows ? grow : nil)
      return try transaction.writing(in: directory, body)
    }
  }

  func settle() throws {}

  func close() throws {
    try gate.close(taking: writing) {
      for reader in pool { mdb.pointee.txn_abort(reader) }
      pool = []
      mdb.pointee.env_close(environment)
    }
  }
}

/// Sharing by processes, which open the store once each, because LMDB forbids a second opening (lmdb.h).
extension LMDBBackend: Sharing {
  static func openAmongProcesses(_ environment: StoreEnvironment, _ way: SharingWay) throws -> ProcessShare {
    guard way == .documented else {
      // The naive way, a deliberate mistake: another process can save between the read and the write.
      let store = try Self(opening: environment)
      return ProcessShare(OneThreadStore(store, emulatesTransactions: true), losesNothing: false)
    }
    return ProcessShare(try openShared(environment), losesNothing: true)
  }
}
