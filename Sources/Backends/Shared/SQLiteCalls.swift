import Foundation
import GRDBSQLite

/// A table of pointers to the C functions of one SQLite library, at a fixed address, so that a call costs two loads and
/// no reference counting.
struct SQLiteCalls {
  typealias Function = @convention(c) (OpaquePointer?, Int32, NewObject) -> Void
  typealias Destructor = @convention(c) (Context) -> Void
  typealias Call = @convention(c) (OpaquePointer?) -> Int32
  typealias Text = UnsafePointer<CChar>?
  typealias NewObject = UnsafeMutablePointer<OpaquePointer?>?
  typealias NewTexts = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
  typealias Rest = UnsafeMutablePointer<Text>?
  typealias Context = UnsafeMutableRawPointer?
  typealias ExecutedRow = @convention(c) (Context, Int32, NewTexts, NewTexts) -> Int32
  typealias Traced = @convention(c) (UInt32, Context, Context, Context) -> Int32

  // The library.
  let version: @convention(c) () -> Text
  let versionNumber: @convention(c) () -> Int32
  let sourceID: @convention(c) () -> Text
  let compileOption: @convention(c) (Int32) -> Text
  let isCompiled: @convention(c) (Text) -> Int32

  // Connections.
  let open: @convention(c) (Text, NewObject, Int32, Text) -> Int32
  let close: Call
  let closeLater: Call
  let message: @convention(c) (OpaquePointer?) -> Text
  let errorCode: Call
  let execute: @convention(c) (OpaquePointer?, Text, ExecutedRow?, Context, NewTexts) -> Int32
  let changes: Call
  let isIdle: Call
  let mutex: @convention(c) (OpaquePointer?) -> OpaquePointer?
  let busyTimeout: @convention(c) (OpaquePointer?, Int32) -> Int32
  let trace: @convention(c) (OpaquePointer?, UInt32, Traced?, Context) -> Int32

  // Statements.
  let prepare: @convention(c) (OpaquePointer?, Text, Int32, NewObject, Rest) -> Int32
  /// The function `sqlite3_prepare_v3`, or nil in libraries older than SQLite 3.20.
  let prepareKept: (@convention(c) (OpaquePointer?, Text, Int32, UInt32, NewObject, Rest) -> Int32)?
  let step: Call
  let reset: Call
  let finalize: Call
  let isBusy: Call
  let bindInt: @convention(c) (OpaquePointer?, Int32, Int64) -> Int32
  let bindDouble: @convention(c) (OpaquePointer?, Int32, Double) -> Int32
  let bindText: @convention(c) (OpaquePointer?, Int32, Text, Int32, Destructor?) -> Int32
  let bindLongText: @convention(c) (OpaquePointer?, Int32, Text, UInt64, Destructor?, UInt8) -> Int32
  let bindBlob: @convention(c) (OpaquePointer?, Int32, UnsafeRawPointer?, Int32, Destructor?) -> Int32
  let bindLongBlob: @convention(c) (OpaquePointer?, Int32, UnsafeRawPointer?, UInt64, Destructor?) -> Int32
  let bindZeros: @convention(c) (OpaquePointer?, Int32, Int32) -> Int32
  let columnCount: Call
  let columnInt: @convention(c) (OpaquePointer?, Int32) -> Int64
  let columnDouble: @convention(c) (OpaquePointer?, Int32) -> Double
  let columnBlob: @convention(c) (OpaquePointer?, Int32) -> UnsafeRawPointer?
  let columnBytes: @convention(c) (OpaquePointer?, Int32) -> Int32
  let columnText: @convention(c) (OpaquePointer?, Int32) -> UnsafePointer<UInt8>?
  let columnType: @convention(c) (OpaquePointer?, Int32) -> Int32

  // Backups.
  let backupInit: @convention(c) (OpaquePointer?, Text, OpaquePointer?, Text) -> OpaquePointer?
  let backupStep: @convention(c) (OpaquePointer?, Int32) -> Int32
  let backupFinish: Call

  // Functions in SQL.
  let createFunction:
    @convention(c) (
      OpaquePointer?, Text, Int32, Int32, Context, Function?, Function?,
      (@convention(c) (OpaquePointer?) -> Void)?, Destructor?
    ) -> Int32
  let userData: @convention(c) (OpaquePointer?) -> Context
  let valueInt: @convention(c) (OpaquePointer?) -> Int64
  let valueBlob: @convention(c) (OpaquePointer?) -> UnsafeRawPointer?
  let valueBytes: Call
  let resultInt: @convention(c) (OpaquePointer?, Int64) -> Void
  let resultText: @convention(c) (OpaquePointer?, Text, Int32, Destructor?) -> Void
  let resultBlob: @convention(c) (OpaquePointer?, UnsafeRawPointer?, Int32, Destructor?) -> Void
  let resultError: @convention(c) (OpaquePointer?, Text, Int32) -> Void

  /// The first function that the library lacks, such as `sqlite3_step`. If there is one, the table is unusable.
  let missing: String?

  /// Fills the table. `find` returns a function of a library by its name; nil selects the linked library.
  init(_ find: ((String) -> UnsafeMutableRawPointer?)? = nil) {
    var missing: String?
    func function<Function>(_ name: String, _ linked: Function) -> Function {
      guard let find else { return linked }
      if let found = find("sqlite3_\(name)") { return unsafeBitCast(found, to: Function.self) }
      missing = missing ?? "sqlite3_\(name)"
      return linked
    }
    version = function("libversion", sqlite3_libversion)
    versionNumber = function("libversion_number", sqlite3_libversion_number)
    sourceID = function("sourceid", sqlite3_sourceid)
    compileOption = function("compileoption_get", sqlite3_compileoption_get)
    isCompiled = function("compileoption_used", sqlite3_compileoption_used)
    open = function("open_v2", sqlite3_open_v2)
    close = function("close", sqlite3_close)
    closeLater = function("close_v2", sqlite3_close_v2)
    message = function("errmsg", sqlite3_errmsg)
    errorCode = function("extended_errcode", sqlite3_extended_errcode)
    execute = function("exec", sqlite3_exec)
    changes = function("changes", sqlite3_changes)
    isIdle = function("get_autocommit", sqlite3_get_autocommit)
    mutex = function("db_mutex", sqlite3_db_mutex)
    busyTimeout = function("busy_timeout", sqlite3_busy_timeout)
    trace = function("trace_v2", sqlite3_trace_v2)
    prepare = function("prepare_v2", sqlite3_prepare_v2)
    let isOld = find.map { $0("sqlite3_prepare_v3") == nil } ?? false
    prepareKept = isOld ? nil : function("prepare_v3", sqlite3_prepare_v3)
    step = function("step", sqlite3_step)
    reset = function("reset", sqlite3_reset)
    finalize = function("finalize", sqlite3_finalize)
    isBusy = function("stmt_busy", sqlite3_stmt_busy)
    bindInt = function("bind_int64", sqlite3_bind_int64)
    bindDouble = function("bind_double", sqlite3_bind_double)
    bindText = function("bind_text", sqlite3_bind_text)
    bindLongText = function("bind_text64", sqlite3_bind_text64)
    bindBlob = function("bind_blob", sqlite3_bind_blob)
    bindLongBlob = function("bind_blob64", sqlite3_bind_blob64)
    bindZeros = function("bind_zeroblob", sqlite3_bind_zeroblob)
    columnCount = function("column_count", sqlite3_column_count)
    columnInt = function("column_int64", sqlite3_column_int64)
    columnDouble = function("column_double", sqlite3_column_double)
    columnBlob = function("column_blob", sqlite3_column_blob)
    columnBytes = function("column_bytes", sqlite3_column_bytes)
    columnText = function("column_text", sqlite3_column_text)
    columnType = function("column_type", sqlite3_column_type)
    backupInit = function("backup_init", sqlite3_backup_init)
    backupStep = function("backup_step", sqlite3_backup_step)
    backupFinish = function("backup_finish", sqlite3_backup_finish)
    createFunction = function("create_function_v2", sqlite3_create_function_v2)
    userData = function("user_data", sqlite3_user_data)
    valueInt = function("value_int64", sqlite3_value_int64)
    valueBlob = function("value_blob", sqlite3_value_blob)
    valueBytes = function("value_bytes", sqlite3_value_bytes)
    resultInt = function("result_int64", sqlite3_result_int64)
    resultText = function("result_text", sqlite3_result_text)
    resultBlob = function("result_blob", sqlite3_result_blob)
    resultError = function("result_error", sqlite3_result_error)
    self.missing = missing
  }

  /// The constant SQLITE_TRANSIENT, which makes SQLite copy a bound value. Swift does not import this C macro.
  static var transient: Destructor { unsafeBitCast(-1, to: Destructor.self) }
}
