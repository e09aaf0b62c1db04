import CStorageLMDB
import Foundation
import StorageContract

extension LMDBBackend {
  /// Returns the flags of the LMDB environment. MDB_NOTLS ties a read transaction to its handle, not to the thread, so
  /// that code inside a read can begin a second one.
  static func flags(_ durability: Durability, _ options: Options) -> UInt32 {
    var flags = UInt32(MDB_NOTLS)
    if options[writemap] == "yes" { flags |= UInt32(MDB_WRITEMAP) }
    if options[readahead] == "no" { flags |= UInt32(MDB_NORDAHEAD) }
    switch durability {
    case .crash: flags |= UInt32(MDB_NOSYNC)
    case .intact: flags |= UInt32(MDB_NOMETASYNC)
    case .shipped, .durable: if options[sync] == "nometasync" { flags |= UInt32(MDB_NOMETASYNC) }
    }
    return flags
  }

  static func open(_ store: StoreEnvironment, _ flags: UInt32, mostReaders: UInt32? = nil) throws -> OpaquePointer {
    var created: OpaquePointer?
    try check(mdb_env_create(&created), "mdb_env_create")
    guard let created else { throw StoreError.failed("mdb_env_create: no environment") }
    do {
      try check(mdb_env_set_mapsize(created, Quantity.bytes(store.options[map]) ?? startSize), "mdb_env_set_mapsize")
      let most = store.collections.count * LMDBIndexes.mostDatabases
      try check(mdb_env_set_maxdbs(created, MDB_dbi(most)), "mdb_env_set_maxdbs")
      if let mostReaders { try check(mdb_env_set_maxreaders(created, mostReaders), "mdb_env_set_maxreaders") }
      try check(mdb_env_open(created, store.directory, flags, 0o644), "mdb_env_open")
      return created
    } catch {
      mdb_env_close(created)
      throw error
    }
  }

  static func settings(_ environment: OpaquePointer) -> String {
    var flags: UInt32 = 0
    var info = MDB_envinfo()
    var statistics = MDB_stat()
    guard mdb_env_get_flags(environment, &flags) == 0, mdb_env_info(environment, &info) == 0,
      mdb_env_stat(environment, &statistics) == 0
    else { return "unknown" }
    let switches = [
      ("nosync", MDB_NOSYNC), ("nometasync", MDB_NOMETASYNC), ("writemap", MDB_WRITEMAP),
      ("notls", MDB_NOTLS), ("nordahead", MDB_NORDAHEAD),
    ].map { "\($0)=\(flags & UInt32($1) == 0 ? "no" : "yes")" }
    return (switches + ["mapsize=\(info.me_mapsize)", "page_size=\(statistics.ms_psize)"])
      .joined(separator: " ")
  }

  /// Opens the LMDB databases of the collections and creates missing ones.
  ///
  /// A single collection uses the environment's main database, as in most apps. Named databases are records of the main
  /// database, so each commit writes one more page: 17 kB instead of 13 kB. A collection with indexes is named.
  static func databases(
    _ store: StoreEnvironment, _ environment: OpaquePointer, isReadOnly: Bool
  ) throws -> [LMDBTable] {
    var transaction: OpaquePointer?
    try check(mdb_txn_begin(environment, nil, isReadOnly ? UInt32(MDB_RDONLY) : 0, &transaction), "mdb_txn_begin")
    do {
      let form = KeyForm(store.options)
      let isNamed = try store.collections.count > 1 || named(transaction, store.collections[0]) != nil
      let databases = try store.collections.map { collection in
        var table = try table(transaction, isNamed ? collection : nil, form, isReadOnly: isReadOnly)
        for field in LMDBIndexes.fields where isNamed {
          table.indexes[field] = try named(transaction, LMDBIndexes.name(field, of: collection))
        }
        return table
      }
      let finished = transaction
      transaction = nil
      try check(mdb_txn_commit(finished), "mdb_txn_commit")
      return databases
    } catch {
      if let transaction { mdb_txn_abort(transaction) }
      throw error
    }
  }

  /// Opens the database with a name, or the main database if the name is nil, and creates it if it is missing.
  static func table(
    _ transaction: OpaquePointer?, _ name: String?, _ form: KeyForm, isReadOnly: Bool
  ) throws -> LMDBTable {
    var number = MDB_dbi()
    let flags = UInt32((isReadOnly ? 0 : MDB_CREATE) | (form.isOrdered ? MDB_INTEGERKEY : 0))
    try check(mdb_dbi_open(transaction, name, flags, &number), "mdb_dbi_open")
    return LMDBTable(number: number, form: form)
  }

  /// Returns the number of an existing database, or nil if none has the name.
  private static func named(_ transaction: OpaquePointer?, _ name: String) throws -> MDB_dbi? {
    var number = MDB_dbi()
    // A string that is passed to C directly is copied to the heap first.
    let code = name.withCString { mdb_dbi_open(transaction, $0, 0, &number) }
    if code == MDB_NOTFOUND { return nil }
    try check(code, "mdb_dbi_open")
    return number
  }

  /// Doubles the memory map of an LMDB environment. No transaction may run meanwhile.
  static func grow(_ environment: OpaquePointer) throws {
    var info = MDB_envinfo()
    try check(mdb_env_info(environment, &info), "mdb_env_info")
    let (size, overflow) = info.me_mapsize.multipliedReportingOverflow(by: 2)
    guard !overflow else { throw StoreError.full("the map cannot grow further") }
    try check(mdb_env_set_mapsize(environment, size), "mdb_env_set_mapsize")
  }

  static func checkCommit(_ code: Int32, _ directory: String) throws {
    // LMDB reports a full disk as EIO, because the disk accepts only part of a write.
    if code == EIO, isDiskFull(directory) { throw StoreError.full("data.mdb: commit: a write was cut short") }
    try check(code, "commit")
  }

  private static func isDiskFull(_ directory: String) -> Bool {
    var status = statvfs()
    return statvfs(directory, &status) == 0 && UInt64(status.f_bavail) * UInt64(status.f_frsize) < 1 << 20
  }
}
