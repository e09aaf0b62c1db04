import CStorageLMDB
import GRDBSQLite
import StorageContract

struct SQLiteRow {
  let form: KeyForm
  let columns: SQLiteColumns
  let sqlite: UnsafePointer<SQLiteCalls>
  /// The buffer for the name and the group of the record that is being stored, if these texts are short.
  private let texts = UnsafeMutablePointer<UInt8>.allocate(capacity: 2 * room)
  /// The number of bytes in the buffer for one short text, such as a name.
  private static var room: Int { SmallText.room }

  func deallocate() { texts.deallocate() }

  /// Binds a record's values to an INSERT statement and runs the statement. Returns SQLite's result code. The record
  /// must not change meanwhile.
  @inline(__always)
  func insert(_ record: UnsafePointer<Record>, _ statement: OpaquePointer) -> Int32 {
    guard columns == .plain else { return insertFields(record, statement) }
    guard let name = Self.bytes(of: record, \.name, texts),
      let group = Self.bytes(of: record, \.group, texts + Self.room)
    else { return insertCopy(record, statement) }
    bind(record.pointee.id, to: statement)
    bindText(statement, 2, name)
    bindText(statement, 3, group)
    _ = sqlite.pointee.bind_double(statement, 4, record.pointee.score)
    _ = sqlite.pointee.bind_double(statement, 5, record.pointee.modified)
    bindBlob(statement, 6, record.pointee.payload.withUnsafeBytes { $0 })
    return sqlite.pointee.step(statement)
  }

  /// Returns the bytes of a text in a record, or nil if the text is not contiguous in memory. Copies a short text to
  /// the buffer `room`.
  @inline(__always)
  private static func bytes(
    of record: UnsafePointer<Record>, _ text: KeyPath<Record, String>, _ room: UnsafeMutablePointer<UInt8>
  ) -> UnsafeBufferPointer<UInt8>? {
    // A String parameter would be retained and released, so a key path is used.
    let count = record.pointee[keyPath: text].utf8.count
    if let small = SmallText(record.pointee[keyPath: text], count: count) {
      small.fill(room)
      return UnsafeBufferPointer(start: room, count: count)
    }
    return record.pointee[keyPath: text].utf8.withContiguousStorageIfAvailable { bytes in
      guard bytes.count < Self.room, let base = bytes.baseAddress else { return bytes }
      RecordCodec.copyText(base, bytes.count, to: room)
      return UnsafeBufferPointer(start: room, count: bytes.count)
    }
  }

  @inline(never)
  private func insertFields(_ record: UnsafePointer<Record>, _ statement: OpaquePointer) -> Int32 {
    bind(record.pointee.id, to: statement)
    return JSONFields.text(of: record.pointee).withUnsafeBufferPointer { json in
      record.pointee.payload.withUnsafeBytes { payload in
        bindText(statement, 2, json)
        bindBlob(statement, 3, payload)
        return sqlite.pointee.step(statement)
      }
    }
  }

  /// Inserts a record whose name or group is not contiguous in memory, which never happens on Linux.
  @inline(never)
  private func insertCopy(_ record: UnsafePointer<Record>, _ statement: OpaquePointer) -> Int32 {
    var copy = record.pointee
    copy.name.makeContiguousUTF8()
    copy.group.makeContiguousUTF8()
    return withUnsafePointer(to: copy) { insert($0, statement) }
  }

  @inline(__always)
  private func bindBlob(_ statement: OpaquePointer, _ index: Int32, _ bytes: UnsafeRawBufferPointer) {
    if let base = bytes.baseAddress, bytes.count > 0 {
      _ = sqlite.pointee.bind_blob64(statement, index, base, UInt64(bytes.count), nil)
    } else {
      _ = sqlite.pointee.bind_zeroblob(statement, index, 0)
    }
  }

  @inline(__always)
  func bind(_ key: Int64, to statement: OpaquePointer) {
    if form.isOrdered { _ = sqlite.pointee.bind_int64(statement, 1, key) } else { bindUUID(of: key, to: statement) }
  }

  @inline(never)
  private func bindUUID(of key: Int64, to statement: OpaquePointer) {
    _ = form.withBytes(of: key) { bytes in
      form.isText
        ? sqlite.pointee.bind_text(
          statement, 1, UnsafeRawBufferPointer(bytes).chars, Int32(form.size), SQLiteCalls.transient)
        : sqlite.pointee.bind_blob(statement, 1, bytes.baseAddress, Int32(form.size), SQLiteCalls.transient)
    }
  }

  /// Passes the record in the current row of a statement to the body.
  @inline(__always)
  func withView<Result>(_ statement: OpaquePointer, _ body: (RecordView) throws -> Result) throws -> Result {
    let key = form.isOrdered ? sqlite.pointee.column_int64(statement, 0) : try form.key(bytes(statement, 0))
    return try withView(statement, key, body)
  }

  @inline(__always)
  func withView<Result>(
    _ statement: OpaquePointer, _ key: Int64, _ body: (RecordView) throws -> Result
  ) throws -> Result {
    columns == .plain ? try body(view(statement, key)) : try withFields(statement, key, body)
  }

  @inline(never)
  private func withFields<Result>(
    _ statement: OpaquePointer, _ key: Int64, _ body: (RecordView) throws -> Result
  ) throws -> Result {
    let fields = try JSONFields(bytes(statement, 1))
    return try fields.name.withLentUTF8 { name in
      try fields.group.withLentUTF8 { group in
        try body(
          RecordView(
            id: key, score: fields.score, modified: fields.modified, name: UnsafeRawBufferPointer(name),
            group: UnsafeRawBufferPointer(group), payload: bytes(statement, 2)))
      }
    }
  }

  /// Binds a copy of a text to a parameter of a statement. `index` is the number of the parameter, from 1.
  func bindCopy(of text: String, to statement: OpaquePointer, _ index: Int32) {
    var text = text
    text.withUTF8 { bindText(statement, index, $0, SQLiteCalls.transient) }
  }

  @inline(__always)
  private func bindText(
    _ statement: OpaquePointer, _ index: Int32, _ text: UnsafeBufferPointer<UInt8>,
    _ destructor: SQLiteCalls.Destructor? = nil
  ) {
    // A null pointer would be bound as NULL instead of an empty text.
    let base = text.baseAddress ?? StaticString("").utf8Start
    base.withMemoryRebound(to: CChar.self, capacity: text.count) {
      _ = sqlite.pointee.bind_text64(statement, index, $0, UInt64(text.count), destructor, UInt8(SQLITE_UTF8))
    }
  }

  /// Returns a view of the record in the current row of a statement. The view points into SQLite's memory.
  @inline(__always)
  private func view(_ statement: OpaquePointer, _ key: Int64) -> RecordView {
    RecordView(
      id: key, score: number(statement, 3), modified: number(statement, 4), name: bytes(statement, 1),
      group: bytes(statement, 2), payload: bytes(statement, 5))
  }

  /// Returns the bytes in a column of the current row, without a copy.
  @inline(__always)
  func bytes(_ statement: OpaquePointer, _ column: Int32) -> UnsafeRawBufferPointer {
    let base = sqlite.pointee.column_blob(statement, column)
    let count = base == nil ? 0 : Int(sqlite.pointee.column_bytes(statement, column))
    return UnsafeRawBufferPointer(start: base, count: count)
  }

  @inline(__always)
  func number(_ statement: OpaquePointer, _ column: Int32) -> Double {
    let value = sqlite.pointee.column_double(statement, column)
    // NULL reads as 0, so only a 0 needs the type check, which locks the connection's mutex.
    return value == 0 && sqlite.pointee.column_type(statement, column) == SQLITE_NULL ? .nan : value
  }
}
