import GRDBSQLite
import StorageContract

/// How a record becomes a row and a row a record's view, by SQLite's C API.
struct SQLiteRow {
  /// Room for a record's name and group while it is put.
  private let texts = UnsafeMutablePointer<UInt8>.allocate(capacity: 2 * room)
  private static let room = 256

  func deallocate() { texts.deallocate() }

  /// Binds and steps. Short texts are bound from a copy in ``texts``, which costs less than keeping them alive where
  /// they lie: counting references up and down while the engine, which might do anything, is being called.
  @inline(__always)
  func insert(_ record: UnsafePointer<Record>, _ statement: OpaquePointer) -> Int32 {
    let (name, group) = (record.pointee.name.utf8.count, record.pointee.group.utf8.count)
    guard name <= Self.room, group <= Self.room else { return Self.insertLong(record, statement) }
    let places = (name: texts, group: texts + Self.room)
    Self.copy(record.pointee.name, to: places.name)
    Self.copy(record.pointee.group, to: places.group)
    return Self.insert(
      record, statement, name: UnsafeBufferPointer(start: places.name, count: name),
      group: UnsafeBufferPointer(start: places.group, count: group))
  }

  /// The same with texts bound where they lie, without a copy: they outlive the step.
  @inline(never)
  private static func insertLong(_ record: UnsafePointer<Record>, _ statement: OpaquePointer) -> Int32 {
    record.pointee.name.withLentUTF8 { name in
      record.pointee.group.withLentUTF8 { group in
        insert(record, statement, name: name, group: group)
      }
    }
  }

  @inline(__always)
  private static func copy(_ text: String, to place: UnsafeMutablePointer<UInt8>) {
    text.withLentUTF8 { bytes in
      if let base = bytes.baseAddress { place.update(from: base, count: bytes.count) }
    }
  }

  /// The payload is bound where it lies.
  @inline(__always)
  private static func insert(
    _ record: UnsafePointer<Record>, _ statement: OpaquePointer, name: UnsafeBufferPointer<UInt8>,
    group: UnsafeBufferPointer<UInt8>
  ) -> Int32 {
    record.pointee.payload.withUnsafeBytes { payload in
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
  }

  @inline(__always)
  private static func bindText(_ statement: OpaquePointer, _ index: Int32, _ text: UnsafeBufferPointer<UInt8>) {
    // A null pointer would be bound as NULL instead of the empty text.
    let base = text.baseAddress ?? StaticString("").utf8Start
    base.withMemoryRebound(to: CChar.self, capacity: text.count) {
      _ = sqlite3_bind_text64(statement, index, $0, UInt64(text.count), nil, UInt8(SQLITE_UTF8))
    }
  }

  /// The current row, pointing into the engine's page or its copy of a row that spans pages.
  @inline(__always)
  static func view(_ statement: OpaquePointer, _ key: Int64) -> RecordView {
    RecordView(
      id: key, score: number(statement, 3), modified: number(statement, 4), name: bytes(statement, 1),
      group: bytes(statement, 2), payload: bytes(statement, 5))
  }

  /// column_blob of a text gives its UTF-8 bytes as they are; column_text may copy them to add a NUL.
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
