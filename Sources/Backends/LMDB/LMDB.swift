import CStorageLMDB
import Foundation
import StorageContract

/// The backend `lmdb`: a memory-mapped B+ tree. Integer keys have 8 bytes, with the sign bit flipped, so that LMDB
/// sorts negative keys first.
class LMDBBackend: StorageBackend {
  static let sync = OptionSpec(
    "sync", ["auto", "nometasync"], help: "sync the meta page with each commit, or with the next one")
  static let writemap = OptionSpec("writemap", ["no", "yes"], help: "write with write(2), or through the memory map")
  static let map = OptionSpec(
    "map", .size(or: "auto"), most: 64 << 40, help: "size of the memory map; auto starts at 64MiB and doubles")
  static let readahead = OptionSpec(
    "readahead", ["yes", "no"], help: "let the kernel read ahead of a page that is not in memory (no: MDB_NORDAHEAD)")

  static let named = OptionSpec(
    "named", ["no", "yes"],
    help: "keep a single collection in the main database, or in a named one (several always have names)")

  class var description: BackendDescription { lmdbDescription }
  private static let lmdbDescription = BackendDescription(
    id: "lmdb", appearance: Appearance(name: "LMDB", mark: 2),
    summary: "LMDB, a memory-mapped B+ tree with zero-copy reads",
    safety: """
      At shipped, no acknowledged save is lost; pages have no checksum; reading a data file that was cut short ends the \
      process with SIGBUS; with writemap=yes, a stray pointer of the program can overwrite the store.
      """,
    options: [sync, writemap, map, readahead, named, KeyForm.option],
    kind: { _ in .page },
    mapped: { $0[writemap] == "yes" ? .readsAndWrites : .reads },
    opensWith: { _ in "mdb_dump" },
    code: { options, durability in
      guard options[map] == map.defaultValue else { return nil }
      let all = [("MDB_WRITEMAP", MDB_WRITEMAP), ("MDB_NORDAHEAD", MDB_NORDAHEAD), ("MDB_NOSYNC", MDB_NOSYNC)]
      let set = flags(durability, options)
      let names = (all + [("MDB_NOMETASYNC", MDB_NOMETASYNC)]).filter { set & UInt32($0.1) != 0 }.map(\.0)
      return "mdb_env_open(environment, url.path, UInt32(\((["MDB_NOTLS"] + names).joined(separator: " | "))), 0o644)"
    },
    engineVersion: {
      var (major, minor, patch): (Int32, Int32, Int32) = (0, 0, 0)
      mdb_version(&major, &minor, &patch)
      return "LMDB \(major).\(minor).\(patch)"
    }, library: { _ in "liblmdb.so" }, origin: { SharedObject.file(of: dlsym(nil, "mdb_version")) },
    deviations: { options in
      guard options[writemap] == "yes" else { return [] }
      return [
        Deviation(
          .fullDisk,
          "A full disk ends the process by SIGBUS, since pages are written through the map into a file with holes.")
      ]
    }, aliases: ["lightning"])

  /// Returns the C functions of LMDB. The subclass ``MDBXBackend`` returns those of libmdbx.
  class func engine() throws -> MDB { storage_lmdb() }

  final let mdb: MDB
  /// The open LMDB environment, which ``reopening(_:)`` replaces.
  final private(set) var environment: OpaquePointer
  final let store: StoreEnvironment
  final var directory: String { store.directory }
  final var databases: [LMDBTable]
  final let grows: Bool
  /// The read transaction that all reads reuse. Each read resets the transaction at its end.
  private var reader: OpaquePointer
  /// The number of running reads. LMDB's memory map must not move during a read.
  private var readers = 0
  private var cursors: [OpaquePointer?]
  private var isClosed = false
  /// Whether a closure passed to ``transaction(_:)`` is running. LMDB allows only one write transaction at a time.
  final var isInTransaction = false

  class func promise(_ durability: Durability, _ options: Options) -> Promise {
    switch durability {
    case .shipped: .level(options[sync] == "nometasync" ? .intact : .durable)
    case .crash: .level(.crash)
    case .intact: .level(.intact)
    case .durable:
      options[sync] == "nometasync"
        ? .unavailable("with sync=nometasync a power cut undoes the last save") : .level(.durable)
    }
  }

  /// Returns the flags for opening the LMDB environment. The flag MDB_NOTLS lets one thread have two read transactions.
  class func flags(_ durability: Durability, _ options: Options) -> UInt32 {
    var flags = UInt32(MDB_NOTLS)
    // MDB_WRITEMAP keeps the safety levels: a commit still syncs all data before the new meta page (the page with the
    // tree's root).
    if options[writemap] == "yes" { flags |= UInt32(MDB_WRITEMAP) }
    if options[readahead] == "no" { flags |= UInt32(MDB_NORDAHEAD) }
    switch durability {
    case .crash: flags |= UInt32(MDB_NOSYNC)
    case .intact: flags |= UInt32(MDB_NOMETASYNC)
    case .shipped, .durable: if options[sync] == "nometasync" { flags |= UInt32(MDB_NOMETASYNC) }
    }
    return flags
  }

  required init(opening store: StoreEnvironment) throws {
    mdb = try Self.engine()
    grows = mdb.mustGrow && Quantity.bytes(store.options[Self.map]) == nil
    cursors = Array(repeating: nil, count: store.collections.count)
    self.store = store
    (environment, reader, databases) = try Self.opened(mdb, store)
  }

  private static func opened(
    _ mdb: MDB, _ store: StoreEnvironment
  ) throws -> (environment: OpaquePointer, reader: OpaquePointer, databases: [LMDBTable]) {
    let flags = flags(store.durability, store.options)
    let created: OpaquePointer
    var isReadOnly = false
    do {
      created = try open(mdb, store, flags)
    } catch StoreError.readOnly {
      // On a read-only file system, MDB_RDONLY makes LMDB read without locks.
      isReadOnly = true
      created = try open(mdb, store, flags | UInt32(MDB_RDONLY))
    }
    do {
      let databases = try databases(mdb, store, created, isReadOnly: isReadOnly)
      let transaction = try mdb.begin(created, UInt32(MDB_RDONLY))
      mdb.pointee.txn_reset(transaction)
      return (created, transaction, databases)
    } catch {
      mdb.pointee.env_close(created)
      throw error
    }
  }

  /// Closes the LMDB environment, runs the body, and opens the environment again, even if the body throws.
  final func reopening(_ body: () throws -> Void) throws {
    release()
    let result = Result(catching: body)
    (environment, reader, databases) = try Self.opened(mdb, store)
    cursors = Array(repeating: nil, count: databases.count)
    isClosed = false
    try result.get()
  }

  final var isInUse: Bool { readers > 0 || isInTransaction }

  deinit { release() }

  final var settings: String { isClosed ? "unknown" : Self.settings(mdb, environment, store.options) }

  final func commit(_ changes: [Change]) throws {
    guard !changes.isEmpty else { return }
    try write { transaction in
      try changes.withUnsafeBufferPointer { changes in
        try changes.count == 1
          ? apply(changes.baseAddress.unsafelyUnwrapped, transaction) : apply(changes, transaction)
      }
    }
  }

  final func read(_ key: Int64, in collection: CollectionID, _ body: (RecordView) throws -> Void) throws -> Bool {
    let database = databases[try collection.checked(databases.count)]
    return try withReader { transaction, _ in
      guard let data = try database.value(key, transaction) else { return false }
      try body(Self.view(data, key))
      return true
    }
  }

  /// Returns the record with a key. Takes 10 % less time than ``read(_:in:_:)``, because the caller passes no closure.
  final func record(_ key: Int64, in collection: CollectionID) throws -> Record? {
    let database = databases[try collection.checked(databases.count)]
    return try withReader { transaction, _ in
      guard let data = try database.value(key, transaction) else { return nil }
      return try Self.view(data, key).record()
    }
  }

  final func scan(_ keys: ClosedRange<Int64>, in collection: CollectionID, _ body: (RecordView) throws -> Bool) throws {
    let index = try collection.checked(databases.count)
    try withReader { transaction, isNested in
      let cursor = try cursor(transaction, index, isNested: isNested)
      defer { if isNested { mdb.pointee.cursor_close(cursor) } }
      try databases[index].walk(cursor, keys, body)
    }
  }

  final func count(in collection: CollectionID) throws -> Int {
    let database = databases[try collection.checked(databases.count)]
    return try withReader { transaction, _ in try database.count(transaction) }
  }

  final func close() throws {
    guard !isInUse else { throw StoreError.busy("\(mdb.file) cannot be closed inside a read or a transaction") }
    release()
  }

  // MARK: - Transactions

  /// Runs the body in the reusable read transaction, or in a new one if another read is running.
  @inline(__always)
  final func withReader<Result>(_ body: (OpaquePointer, _ isNested: Bool) throws -> Result) throws -> Result {
    try checkOpen()
    if readers == 0 {
      try mdb.check(mdb.pointee.txn_renew(reader), "txn_renew")
      readers = 1
      defer {
        readers = 0
        // The reset ends the snapshot, so that a writer can reuse its pages.
        mdb.pointee.txn_reset(reader)
      }
      return try body(reader, false)
    }
    return try withNestedReader(body)
  }

  @inline(never)
  private func withNestedReader<Result>(_ body: (OpaquePointer, _ isNested: Bool) throws -> Result) throws -> Result {
    let transaction = try mdb.begin(environment, UInt32(MDB_RDONLY))
    readers += 1
    defer {
      readers -= 1
      mdb.pointee.txn_abort(transaction)
    }
    return try body(transaction, true)
  }

  private func cursor(_ transaction: OpaquePointer, _ index: Int, isNested: Bool) throws -> OpaquePointer {
    if !isNested, let cursor = cursors[index] {
      try mdb.check(mdb.pointee.cursor_renew(transaction, cursor), "cursor_renew")
      return cursor
    }
    let opened = try mdb.created("cursor", by: "cursor_open") {
      mdb.pointee.cursor_open(transaction, databases[index].number, &$0)
    }
    if !isNested { cursors[index] = opened }
    return opened
  }

  /// Runs the body in a write transaction. If LMDB's memory map is full and may grow, enlarges the map and runs the
  /// body again.
  @inline(__always)
  final func write(_ body: (OpaquePointer) throws -> Int32) throws {
    try checkOpen()
    guard !isInTransaction else { throw StoreError.changeBesideTransaction }
    var code = try attempt(body)
    while code == MDB_MAP_FULL, grows {
      try grow()
      code = try attempt(body)
    }
    try mdb.checkCommit(code, directory)
  }

  @inline(__always)
  private func attempt(_ body: (OpaquePointer) throws -> Int32) throws -> Int32 {
    var started: OpaquePointer?
    let code = mdb.pointee.txn_begin(environment, nil, 0, &started)
    guard code == 0, let transaction = started else { return code }
    do {
      let code = try body(transaction)
      guard code == 0 else {
        mdb.pointee.txn_abort(transaction)
        return code
      }
    } catch {
      mdb.pointee.txn_abort(transaction)
      throw error
    }
    return mdb.pointee.txn_commit(transaction)
  }

  @inline(__always)
  private func apply(_ change: UnsafePointer<Change>, _ transaction: OpaquePointer) throws -> Int32 {
    let database = databases[try change.pointee.collection.checked(databases.count)]
    return change.pointee.isDelete
      ? database.delete(change.pointee.record.id, transaction) : database.put(change.record, transaction)
  }

  private func apply(_ changes: UnsafeBufferPointer<Change>, _ transaction: OpaquePointer) throws -> Int32 {
    var next = changes.baseAddress.unsafelyUnwrapped
    let end = next + changes.count
    while next < end {
      let code: Int32
      if next.pointee.isDelete {
        code = try applyDelete(next, transaction)
        next += 1
      } else {
        code = try applyStretch(&next, end, transaction)
      }
      if code != 0 { return code }
    }
    return 0
  }

  /// Applies the put at `next` and the changes after it, up to the first put into another collection. Moves `next` past
  /// the applied changes, and returns LMDB's result code.
  @inline(__always)
  private func applyStretch(
    _ next: inout UnsafePointer<Change>, _ end: UnsafePointer<Change>, _ transaction: OpaquePointer
  ) throws -> Int32 {
    let collection = next.pointee.collection
    var appender = try LMDBAppender(databases[try collection.checked(databases.count)], transaction)
    repeat {
      if next.pointee.isDelete {
        let code = try applyDelete(next, transaction)
        if code != 0 { return code }
      } else {
        guard next.pointee.collection == collection else { return 0 }
        let code = appender.put(next.record)
        if code != 0 { return code }
      }
      next += 1
    } while next < end
    return 0
  }

  /// Applies a deletion. The method is not inlined, to keep its caller fast.
  @inline(never)
  private func applyDelete(_ change: UnsafePointer<Change>, _ transaction: OpaquePointer) throws -> Int32 {
    try apply(change, transaction)
  }

  final func grow() throws {
    guard readers == 0 else {
      throw StoreError.failed("LMDB's map is full and cannot grow during a read; end the read, then commit again")
    }
    try Self.grow(mdb, environment)
  }

  private func release() {
    guard !isClosed else { return }
    isClosed = true
    for cursor in cursors { if let cursor { mdb.pointee.cursor_close(cursor) } }
    mdb.pointee.txn_abort(reader)
    mdb.pointee.env_close(environment)
  }

  @inline(__always)
  final func checkOpen() throws {
    guard !isClosed else { throw StoreError.failed("\(mdb.file) is closed") }
  }
}
