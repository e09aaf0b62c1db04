import GRDBSQLite
import StorageContract

/// The conversion of a record into a row, and of a row into a record's view, by SQLite's C API.
struct SQLiteRow {
  /// Room for a record's name and group while it is put, where they are short.
  private let texts = UnsafeMutablePointer<UInt8>.allocate(capacity: 2 * room)
  /// Texts of up to 15 bytes are stored inside the String. Longer ones have their own memory.
  private static var room: Int { SmallText.room }

  func deallocate() { texts.deallocate() }

  /// Binds and steps.
  ///
  /// A bound value is neither copied nor retained here: counting references during a call of the engine costs more than
  /// the copy. The record and its contents belong to the caller, and do not change until this returns.
  @inline(__always)
  func insert(_ record: UnsafePointer<Record>, _ statement: OpaquePointer) -> Int32 {
    guard let name = Self.bytes(of: record, \.name, texts),
      let group = Self.bytes(of: record, \.group, texts + Self.room)
    else { return Self.insertCopies(record, statement) }
    let payload = record.pointee.payload.withUnsafeBytes { $0 }
    return Self.insert(record, statement, name: name, group: group, payload: payload)
  }

  /// Returns the address of a text's bytes: in its own memory, or in the given buffer if they are part of the String.
  /// The text is passed by address: a value would be retained and released.
  @inline(__always)
  private static func bytes(
    of record: UnsafePointer<Record>, _ text: KeyPath<Record, String>, _ room: UnsafeMutablePointer<UInt8>
  ) -> UnsafeBufferPointer<UInt8>? {
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

  /// Returns the same for texts that are not in one piece; there are none on Linux.
  @inline(never)
  private static func insertCopies(_ record: UnsafePointer<Record>, _ statement: OpaquePointer) -> Int32 {
    record.pointee.name.withLentUTF8 { name in
      record.pointee.group.withLentUTF8 { group in
        record.pointee.payload.withUnsafeBytes { payload in
          insert(record, statement, name: name, group: group, payload: payload)
        }
      }
    }
  }

  @inline(__always)
  private static func insert(
    _ record: UnsafePointer<Record>, _ statement: OpaquePointer, name: UnsafeBufferPointer<UInt8>,
    group: UnsafeBufferPointer<UInt8>, payload: UnsafeRawBufferPointer
  ) -> Int32 {
    sqlite3_bind_int64(statement, 1, record.pointee.id)
    bindText(statement, 2, name)
    bindText(statement, 3, group)
    sqlite3_bind_double(statement, 4, record.pointee.score)
    sqlite3_bind_double(statement, 5, record.pointee.modified)
    if let base = payload.baseAddress, payload.count > 0 {
      sqlite3_bind_blob64(statement, 6, base, UInt64(payload.count), nil)
    } else {
      sqlite3_bind_zeroblob(statement, 6, 0)
    }
    return sqlite3_step(statement)
  }

  @inline(__always)
  private static func bindText(_ statement: OpaquePointer, _ index: Int32, _ text: UnsafeBufferPointer<UInt8>) {
    // A null pointer would be bound as NULL instead of the empty text.
    let base = text.baseAddress ?? StaticString("").utf8Start
    base.withMemoryRebound(to: CChar.self, capacity: text.count) {
      _ = sqlite3_bind_text64(statement, index, $0, UInt64(text.count), nil, UInt8(SQLITE_UTF8))
    }
  }

  /// Returns the current row, pointing into the engine's page or its copy of a row that spans pages.
  @inline(__always)
  static func view(_ statement: OpaquePointer, _ key: Int64) -> RecordView {
    RecordView(
      id: key, score: number(statement, 3), modified: number(statement, 4), name: bytes(statement, 1),
      group: bytes(statement, 2), payload: bytes(statement, 5))
  }

  /// column_blob returns a text's UTF-8 bytes without a copy; column_text may copy them to add a NUL.
  @inline(__always)
  static func bytes(_ statement: OpaquePointer, _ column: Int32) -> UnsafeRawBufferPointer {
    let base = sqlite3_column_blob(statement, column)
    return UnsafeRawBufferPointer(
      start: base, count: base == nil ? 0 : Int(sqlite3_column_bytes(statement, column)))
  }

  @inline(__always)
  static func number(_ statement: OpaquePointer, _ column: Int32) -> Double {
    let value = sqlite3_column_double(statement, column)
    // NULL reads as 0. The type is asked for only then: each call takes the connection's mutex.
    return value == 0 && sqlite3_column_type(statement, column) == SQLITE_NULL ? .nan : value
  }
}
