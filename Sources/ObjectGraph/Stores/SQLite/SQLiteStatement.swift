import Foundation
import GRDBSQLite

final class SQLiteStatement {
  let handle: OpaquePointer
  private unowned let database: SQLiteDatabase
  /// The SQLite result code of the first value that could not be bound. The next step throws this error.
  private var bindingCode = SQLITE_OK

  init(_ sql: String, _ database: SQLiteDatabase) throws {
    self.database = database
    if let migrated = database.migrated { throw migrated }
    var statement: OpaquePointer?
    let code = database.compiling {
      sqlite3_prepare_v3(database.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    }
    guard code == SQLITE_OK, let statement else { throw database.error() }
    handle = statement
  }

  deinit { sqlite3_finalize(handle) }

  @inline(__always)
  func step() throws -> Bool {
    guard bindingCode == SQLITE_OK else { throw bindingError() }
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case SQLITE_AUTH where !database.isCompiling: return try stepCompiledAnew()
    default: throw failure()
    }
  }

  @inline(never)
  private func failure() -> ObjectGraphError {
    let error = database.error()
    sqlite3_reset(handle)
    return error
  }

  /// Compiles the statement again after a change of tables, and repeats the failed step. Throws an error if the model
  /// has changed.
  @inline(never)
  private func stepCompiledAnew() throws -> Bool {
    sqlite3_reset(handle)
    try database.checkModel()
    return try database.compiling { try step() }
  }

  @inline(never)
  private func bindingError() -> ObjectGraphError {
    let code = bindingCode
    bindingCode = SQLITE_OK
    sqlite3_clear_bindings(handle)
    return .store(
      file: database.file,
      "\(String(cString: sqlite3_errstr(code))): a value has more bytes than SQLite can keep (SQLite \(code))")
  }

  @inline(__always)
  private func note(_ code: Int32) {
    if code != SQLITE_OK, bindingCode == SQLITE_OK { bindingCode = code }
  }

  @inline(__always)
  func run() throws {
    _ = try step()
    sqlite3_reset(handle)
  }

  @inline(__always)
  func reset() { sqlite3_reset(handle) }

  /// Runs the statement to its end, and returns an element for each row.
  @inline(__always)
  func all<Element>(_ element: () throws -> Element) throws -> [Element] {
    var elements: [Element] = []
    while try step() { elements.append(try element()) }
    return elements
  }

  /// Returns a column of the current row as an integer. NULL becomes 0.
  @inline(__always)
  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  func value(_ column: Int32) -> Value {
    switch sqlite3_column_type(handle, column) {
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(handle, column))
    case SQLITE_FLOAT: return .double(sqlite3_column_double(handle, column))
    case SQLITE_TEXT:
      guard let base = sqlite3_column_blob(handle, column) else { return .string("") }
      let bytes = UnsafeRawBufferPointer(start: base, count: Int(sqlite3_column_bytes(handle, column)))
      let text = String(decoding: bytes, as: UTF8.self)
      // Decoding repairs invalid UTF-8. Invalid text is returned as bytes instead, which the attribute rejects.
      let isSame = text.utf8.withContiguousStorageIfAvailable {
        $0.count == bytes.count && $0.baseAddress.map { memcmp($0, base, bytes.count) == 0 } ?? true
      }
      return isSame == true ? .string(text) : .binary([UInt8](bytes))
    case SQLITE_BLOB:
      let base = sqlite3_column_blob(handle, column)
      return .binary([UInt8](UnsafeRawBufferPointer(start: base, count: Int(sqlite3_column_bytes(handle, column)))))
    default: return .null
    }
  }

  @inline(__always)
  func bind(_ index: Int32, _ number: Int64) { sqlite3_bind_int64(handle, index, number) }

  /// Binds the key, the entity number and the version 1 of a new row. The SQL of this statement must begin
  /// with ``Entity/insertion``.
  @inline(__always)
  func bind(newKey key: Int64, _ entity: Entity) {
    bind(1, key)
    bind(2, Int64(entity.number))
    bind(3, Int64(1))
  }

  func bind(_ index: Int32, _ value: Value) {
    switch value {
    case .null: sqlite3_bind_null(handle, index)
    case .integer(let number): sqlite3_bind_int64(handle, index, number)
    case .double(let number): sqlite3_bind_double(handle, index, number)
    case .string(var text):
      text.withUTF8 { bindText(index, $0, Self.transient) }
    case .binary(let bytes):
      guard !bytes.isEmpty else { return note(sqlite3_bind_zeroblob(handle, index, 0)) }
      bytes.withUnsafeBytes {
        note(sqlite3_bind_blob64(handle, index, $0.baseAddress, UInt64($0.count), Self.transient))
      }
    }
  }

  /// Binds values of a row to the statement, and runs the block. SQLite reads texts and bytes in place during the
  /// block.
  ///
  /// - Important: Before the statement's next run, all values must be bound again.
  /// - Parameters:
  ///   - positions: The indices of the values to bind.
  ///   - index: The index of the `?` for the first value.
  func binding<Values: RandomAccessCollection<Value>, Positions: RandomAccessCollection<Int>, Result>(
    _ values: Values, _ positions: Positions, from index: Int32, _ body: () throws -> Result
  ) rethrows -> Result where Values.Index == Int, Positions.SubSequence == Positions {
    var index = index
    var position = positions.startIndex
    while position < positions.endIndex {
      let next = positions.index(after: position)
      switch values[positions[position]] {
      case .string(let text):
        func bind(_ bytes: UnsafeBufferPointer<UInt8>) throws -> Result {
          bindText(index, bytes, nil)
          return try binding(values, positions[next...], from: index + 1, body)
        }
        // Nearly all texts have contiguous bytes, which are used without a copy.
        if let result = try text.utf8.withContiguousStorageIfAvailable(bind) { return result }
        var copy = text
        return try copy.withUTF8(bind)
      case .binary(let bytes) where !bytes.isEmpty:
        return try bytes.withUnsafeBytes {
          note(sqlite3_bind_blob64(handle, index, $0.baseAddress, UInt64($0.count), nil))
          return try binding(values, positions[next...], from: index + 1, body)
        }
      case let value: bind(index, value)
      }
      index += 1
      position = next
    }
    return try body()
  }

  /// Binds bytes as a text, so that SQLite compares them with texts. The bytes need not be valid UTF-8.
  @inline(__always)
  func bindText(_ index: Int32, _ bytes: UnsafeBufferPointer<UInt8>, _ destructor: sqlite3_destructor_type?) {
    // SQLite would bind a null pointer as NULL instead of the empty text.
    let base = bytes.baseAddress ?? StaticString("").utf8Start
    base.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
      note(sqlite3_bind_text64(handle, index, $0, UInt64(bytes.count), destructor, UInt8(SQLITE_UTF8)))
    }
  }

  /// Binds a list of values to a single `?`, for the SQL function `OG_LISTED` of ``SQLiteFunctions``.
  func bind(_ index: Int32, list: [Value]) {
    // The statement retains the list until another value is bound.
    let list = Unmanaged.passRetained(SQLiteFunctions.List(list))
    note(
      sqlite3_bind_pointer(handle, index, list.toOpaque(), SQLiteFunctions.List.type) { pointer in
        guard let pointer else { return }
        Unmanaged<SQLiteFunctions.List>.fromOpaque(pointer).release()
      })
  }

  /// The constant `SQLITE_TRANSIENT`, which makes SQLite copy a bound value. Swift does not import the macro.
  static var transient: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
}
