import CStorageLMDB
import Foundation
import StorageContract

extension LMDBBackend {
  static func open(
    _ mdb: MDB, _ store: StoreEnvironment, _ flags: UInt32, mostReaders: UInt32? = nil
  ) throws -> OpaquePointer {
    let created = try mdb.created("environment", by: "env_create") { mdb.pointee.env_create(&$0) }
    do {
      try mdb.check(
        mdb.pointee.env_set_mapsize(created, Quantity.bytes(store.options[map]) ?? mdb.automaticMapSize),
        "env_set_mapsize")
      let most = store.collections.count * LMDBIndexes.mostDatabases
      try mdb.check(mdb.pointee.env_set_maxdbs(created, MDB_dbi(most)), "env_set_maxdbs")
      if let mostReaders { try mdb.check(mdb.pointee.env_set_maxreaders(created, mostReaders), "env_set_maxreaders") }
      try mdb.check(mdb.pointee.env_open(created, store.directory, flags, 0o644), "env_open")
      return created
    } catch {
      mdb.pointee.env_close(created)
      throw error
    }
  }

  static func settings(_ mdb: MDB, _ environment: OpaquePointer, _ options: Options) -> String {
    var flags: UInt32 = 0
    var info = MDB_envinfo()
    var statistics = MDB_stat()
    guard mdb.pointee.env_get_flags(environment, &flags) == 0, mdb.pointee.env_info(environment, &info) == 0,
      mdb.pointee.env_stat(environment, &statistics) == 0
    else { return "unknown" }
    let switches = [
      ("nosync", MDB_NOSYNC), ("nometasync", MDB_NOMETASYNC), ("writemap", MDB_WRITEMAP),
      ("notls", MDB_NOTLS), ("nordahead", MDB_NORDAHEAD),
    ].map { "\($0)=\(flags & UInt32($1) == 0 ? "no" : "yes")" }
    let sizes = ["mapsize=\(info.me_mapsize)", "page_size=\(statistics.ms_psize)"]
    let names = options[named] == "yes" ? ["named=yes"] : []
    return (switches + sizes + names).joined(separator: " ") + KeyForm(options).settings
  }

  /// Opens the LMDB database of each collection. A single collection without indexes is in LMDB's main database, unless
  /// `named=yes` is set.
  static func databases(
    _ mdb: MDB, _ store: StoreEnvironment, _ environment: OpaquePointer, isReadOnly: Bool
  ) throws -> [LMDBTable] {
    let transaction = try mdb.begin(environment, isReadOnly ? UInt32(MDB_RDONLY) : 0)
    let databases: [LMDBTable]
    do {
      let form = KeyForm(store.options)
      let isNamed =
        try store.collections.count > 1 || store.options[named] == "yes"
        || named(mdb, transaction, store.collections[0]) != nil
      databases = try store.collections.map { collection in
        var table = try table(mdb, transaction, isNamed ? collection : nil, form, isReadOnly: isReadOnly)
        for field in LMDBIndexes.fields where isNamed {
          table.indexes[field] = try named(mdb, transaction, LMDBIndexes.name(field, of: collection))
        }
        return table
      }
    } catch {
      mdb.pointee.txn_abort(transaction)
      throw error
    }
    // LMDB frees the transaction even if the commit fails.
    try mdb.check(mdb.pointee.txn_commit(transaction), "txn_commit")
    return databases
  }

  /// Opens the LMDB database `name`, or the main database if nil. Creates a missing database unless `isReadOnly` is
  /// true. Throws ``StoreError`` if the database has integer keys and `form` is a UUID, or the reverse.
  static func table(
    _ mdb: MDB, _ transaction: OpaquePointer?, _ name: String?, _ form: KeyForm, isReadOnly: Bool
  ) throws -> LMDBTable {
    var number = MDB_dbi()
    var otherKeys: StoreError {
      .failed("\(mdb.file) was made with another ids= or with other collections; give those")
    }
    let creation = UInt32(isReadOnly ? 0 : MDB_CREATE)
    let order = UInt32(form.isOrdered ? MDB_INTEGERKEY : 0)
    // With MDB_INTEGERKEY, mdb_dbi_open would change the order of a main database that has other keys.
    let code = mdb.pointee.dbi_open(transaction, name, name == nil ? 0 : creation | order, &number)
    if code == MDB_INCOMPATIBLE {
      guard let name, try named(mdb, transaction, name) == nil else { throw otherKeys }
      throw StoreError.failed(
        "\(mdb.file) holds a single unnamed collection, so it can have no named ones; "
          + "open it with one collection and without named=yes")
    }
    try mdb.check(code, "dbi_open")
    var flags: UInt32 = 0
    try mdb.check(mdb.pointee.dbi_flags(transaction, number, &flags), "dbi_flags")
    if flags & UInt32(MDB_INTEGERKEY) != order {
      var statistics = MDB_stat()
      try mdb.check(mdb.pointee.stat(transaction, number, &statistics), "stat")
      guard name == nil, form.isOrdered, statistics.ms_entries == 0 else { throw otherKeys }
      try mdb.check(mdb.pointee.dbi_open(transaction, nil, creation | order, &number), "dbi_open")
    }
    return LMDBTable(mdb: mdb, number: number, form: form)
  }

  /// Returns LMDB's number for the existing database with a name, or nil if there is no such database.
  private static func named(_ mdb: MDB, _ transaction: OpaquePointer?, _ name: String) throws -> MDB_dbi? {
    var number = MDB_dbi()
    // A string that is passed to C directly would first be copied to the heap.
    let code = name.withCString { mdb.pointee.dbi_open(transaction, $0, 0, &number) }
    if code == MDB_NOTFOUND { return nil }
    try mdb.check(code, "dbi_open")
    return number
  }

  /// Doubles the size of an LMDB environment's memory map. No transaction may run during the call.
  static func grow(_ mdb: MDB, _ environment: OpaquePointer) throws {
    var info = MDB_envinfo()
    try mdb.check(mdb.pointee.env_info(environment, &info), "env_info")
    let (size, overflow) = info.me_mapsize.multipliedReportingOverflow(by: 2)
    guard !overflow else {
      throw StoreError.full("the memory map of \(mdb.file) is full and has reached its largest possible size")
    }
    try mdb.check(mdb.pointee.env_set_mapsize(environment, size), "env_set_mapsize")
  }
}
