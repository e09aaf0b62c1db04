import CStorageLMDB
import StorageContract

/// The indexes of one collection. Each index is an LMDB database whose keys are the field's value followed by the
/// record's key.
struct LMDBIndexes: Sendable {
  static let fields: [RecordField] = [.name, .group, .score, .modified]
  /// The maximum number of LMDB databases for one collection: one for the records, and one for each index.
  static let mostDatabases = 5

  /// Whether no field of the collection's records is indexed.
  private(set) var isEmpty = true
  // The LMDB database numbers of the indexes, or 0 without an index. A tuple is cheaper to copy than an array.
  private var (name, group, score, modified): (MDB_dbi, MDB_dbi, MDB_dbi, MDB_dbi) = (0, 0, 0, 0)

  subscript(field: RecordField) -> MDB_dbi? {
    get {
      let number =
        switch field {
        case .name: name
        case .group: group
        case .score: score
        case .modified: modified
        case .key: MDB_dbi(0)
        }
      return number == 0 ? nil : number
    }
    set {
      let number = newValue ?? 0
      switch field {
      case .name: name = number
      case .group: group = number
      case .score: score = number
      case .modified: modified = number
      case .key: break
      }
      isEmpty = name | group | score | modified == 0
    }
  }

  var all: [(field: RecordField, number: MDB_dbi)] {
    Self.fields.compactMap { field in self[field].map { (field, $0) } }
  }

  /// Returns the name of the LMDB database that indexes a field of a collection, such as `records by name`.
  static func name(_ field: RecordField, of collection: String) -> String { "\(collection) by \(field.rawValue)" }
}

// MARK: - Encoding

extension LMDBTable {
  /// The maximum length of a text in an index entry, in bytes: LMDB's limit of 511 for a key (mdb_env_get_maxkeysize)
  /// minus the record's key.
  var cutLength: Int { 511 - form.size }

  /// Returns the bytes of a text for an index entry, which sort like the text: at most ``cutLength`` bytes. Two NULs
  /// mark the end of the text, unless `isPrefix` is true.
  func encoded(_ text: UnsafeRawBufferPointer, isPrefix: Bool = false) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(min(text.count + 2, cutLength) + form.size)
    for byte in text.prefix(cutLength) {
      bytes.append(byte)
      if byte == 0 { bytes.append(255) }
    }
    if !isPrefix { bytes += [0, 0] }
    return Array(bytes.prefix(cutLength))
  }

  func encoded(_ text: String, isPrefix: Bool = false) -> [UInt8] {
    text.withLentUTF8 { encoded(UnsafeRawBufferPointer($0), isPrefix: isPrefix) }
  }

  /// Returns the bytes of a number for an index entry, which sort like the number. NaN sorts first, and -0 equals 0.
  func encoded(_ number: Double) -> [UInt8] {
    let bits = number == 0 ? 0 : number.bitPattern
    let ordered: UInt64 = number.isNaN ? 0 : number < 0 ? ~bits : bits | 1 << 63
    return withUnsafeBytes(of: ordered.bigEndian, Array.init)
  }

  /// Returns the bytes of a record's key, which follow the field's value in an index entry. Bytes of integer keys sort
  /// like the integers.
  func ending(_ key: Int64) -> [UInt8] {
    guard form.isOrdered else { return form.withBytes(of: key) { Array($0) } }
    return withUnsafeBytes(of: KeyCodec.ordered(key).bigEndian, Array.init)
  }

  func key(ending entry: UnsafeRawBufferPointer) throws -> Int64 {
    guard entry.count > form.size else {
      throw StoreError.damaged("\(mdb.file): an index entry has only \(entry.count) bytes")
    }
    let bytes = UnsafeRawBufferPointer(rebasing: entry.suffix(form.size))
    guard form.isOrdered else { return try form.key(bytes) }
    return KeyCodec.key(ordered: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)))
  }

  private func entry(of view: RecordView, _ field: RecordField) -> [UInt8] {
    let value =
      switch field {
      case .name: encoded(view.name)
      case .group: encoded(view.group)
      case .score: encoded(view.score)
      case .modified: encoded(view.modified)
      case .key: [UInt8]()
      }
    return value + ending(view.id)
  }
}

// MARK: - Changes

/// A change of one index: the entry to remove and the entry to add. Nil means no such entry.
struct LMDBEntryChange {
  let index: MDB_dbi
  let (gone, added): ([UInt8]?, [UInt8]?)
}

extension LMDBTable {
  /// Returns the index entries to remove and to add when the record `old` becomes `new`. A new record has no `old`, and
  /// a deleted record no `new`.
  func changes(from old: RecordView?, to new: RecordView?) -> [LMDBEntryChange] {
    var changes: [LMDBEntryChange] = []
    for field in LMDBIndexes.fields {
      guard let index = indexes[field] else { continue }
      if let old, let new, Self.isSame(field, old, new) { continue }
      changes.append(
        LMDBEntryChange(index: index, gone: old.map { entry(of: $0, field) }, added: new.map { entry(of: $0, field) }))
    }
    return changes
  }

  private static func isSame(_ field: RecordField, _ old: RecordView, _ new: RecordView) -> Bool {
    switch field {
    case .name: old.name.elementsEqual(new.name)
    case .group: old.group.elementsEqual(new.group)
    case .score: old.score == new.score
    case .modified: old.modified == new.modified
    case .key: true
    }
  }

  /// Stores a record and updates the indexes. Reads the old record first, because its index entries must be removed.
  @inline(never)
  func putIndexed(_ record: UnsafePointer<Record>, _ transaction: OpaquePointer, _ flags: UInt32) -> Int32 {
    var (data, code) = (MDB_val(), MDB_NOTFOUND)
    // A record that is appended replaces none.
    if flags & UInt32(MDB_APPEND) == 0 {
      code = withKey(record.pointee.id) { mdb.pointee.get(transaction, number, $0, &data) }
      guard code == 0 || code == MDB_NOTFOUND else { return code }
    }
    let old = code == 0 ? try? LMDBBackend.view(data, record.pointee.id) : nil
    guard code == MDB_NOTFOUND || old != nil else { return MDB_CORRUPTED }
    let changes = record.pointee.withView { view in self.changes(from: old, to: view) }
    code = putAlone(record, transaction, flags)
    return code == 0 ? make(changes, transaction) : code
  }

  @inline(never)
  func deleteIndexed(_ key: Int64, _ transaction: OpaquePointer) -> Int32 {
    var data = MDB_val()
    var code = withKey(key) { mdb.pointee.get(transaction, number, $0, &data) }
    guard code == 0 else { return code == MDB_NOTFOUND ? 0 : code }
    guard let old = try? LMDBBackend.view(data, key) else { return MDB_CORRUPTED }
    let changes = self.changes(from: old, to: nil)
    code = deleteAlone(key, transaction)
    return code == 0 ? make(changes, transaction) : code
  }

  func make(_ changes: [LMDBEntryChange], _ transaction: OpaquePointer) -> Int32 {
    // Two different texts can have the same entry, because long texts are cut.
    for change in changes where change.gone != change.added {
      if let gone = change.gone {
        let code = Self.withValue(gone) { mdb.pointee.del(transaction, change.index, $0, nil) }
        guard code == 0 else { return code }
      }
      if let added = change.added {
        let code = insert(added, change.index, transaction)
        guard code == 0 else { return code }
      }
    }
    return 0
  }

  private func insert(_ entry: [UInt8], _ index: MDB_dbi, _ transaction: OpaquePointer) -> Int32 {
    var empty = MDB_val()
    return Self.withValue(entry) { mdb.pointee.put(transaction, index, $0, &empty, 0) }
  }

  static func withValue(_ bytes: [UInt8], _ body: (UnsafeMutablePointer<MDB_val>) -> Int32) -> Int32 {
    var bytes = bytes
    return bytes.withUnsafeMutableBytes { bytes in
      var value = MDB_val(mv_size: bytes.count, mv_data: bytes.baseAddress)
      return body(&value)
    }
  }

  /// Adds an index entry for each existing record to the new, empty index of a field. Returns LMDB's result code.
  func fill(_ index: MDB_dbi, _ field: RecordField, _ transaction: OpaquePointer) throws -> Int32 {
    try mdb.withCursor(number, transaction) { cursor in
      try mdb.forEachEntry(cursor) { key, data in
        insert(entry(of: try LMDBBackend.view(data, self.key(key)), field), index, transaction)
      }
    }
  }
}
