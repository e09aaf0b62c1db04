import CStorageLMDB
import Foundation
import GRDBSQLite
import Synchronization
import StorageContract

/// An SQLite library: the linked libsqlite3, or another one that ``SQLiteLoader`` has loaded.
final class SQLiteLibrary: @unchecked Sendable {
  // The class is Sendable because its properties never change.

  /// The file name of the SQLite library that is linked to this program, without its version number.
  static let linkedName = "libsqlite3.so"

  static let linked = SQLiteLibrary(storage_sqlite(), file: nil, encryption: nil)

  /// Returns the path of the SQLite library that is linked to this program.
  @Sendable static func linkedFile() -> String? { SharedObject.file(of: dlsym(nil, "sqlite3_libversion")) }

  /// The path of the file from which the SQLite library was loaded. Nil for the library that is linked to this program.
  let file: String?
  let calls: UnsafePointer<SQLiteCalls>
  /// The index of the library in ``tables``, or nil for a fifth or later SQLite library in this process.
  let tableIndex: Int?
  /// The library's kind of encryption, which determines the syntax of a key. Nil if the library cannot encrypt.
  let encryption: SQLiteEncryption?

  /// The C function tables of the first four SQLite libraries in this process. Each entry is set once, before any use
  /// of the library.
  nonisolated(unsafe) static let tables = UnsafeMutablePointer<UnsafePointer<SQLiteCalls>>.allocate(capacity: 4)
  private static let count = Atomic<Int>(1)

  /// Creates an object for a library. The table of its functions must never be freed.
  init(_ calls: UnsafePointer<SQLiteCalls>, file: String?, encryption: SQLiteEncryption?) {
    self.calls = calls
    let index = file == nil ? 0 : Self.count.wrappingAdd(1, ordering: .relaxed).oldValue
    tableIndex = index < 4 ? index : nil
    if let tableIndex { Self.tables[tableIndex] = calls }
    self.file = file
    self.encryption = encryption
    let costly: [String] = ["SECURE_DELETE", "OMIT_LOOKASIDE"]
    let found = costly.filter { calls.pointee.compileoption_used($0) == 1 }
    unusual = found.isEmpty ? nil : found.joined(separator: ",")
  }

  var isLinked: Bool { file == nil }

  var version: String { "SQLite \(Self.text(calls.pointee.libversion()))" }

  /// The date and the hash of the source code from which the SQLite library was built (`sqlite3_sourceid`).
  var sourceID: String { Self.text(calls.pointee.sourceid()) }

  /// The version of the library, with hashes of its source and compile options, so that reports can distinguish builds.
  var fullVersion: String {
    let hash = compileOptions.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    let source = sourceID.split(separator: " ").last?.prefix(10) ?? "unknown"
    return "\(version) (source \(source) options \(String(hash, radix: 16).prefix(8)))"
  }

  var compileOptions: String { options.joined(separator: " ") }

  func isCompiled(_ option: String) -> Bool { calls.pointee.compileoption_used(option) == 1 }

  /// The compile options that make the library slower, such as `SECURE_DELETE`, separated by commas. Nil if there are
  /// none.
  let unusual: String?

  /// The words that describe the library in reports, such as `compiled=SECURE_DELETE`. For a library loaded at run
  /// time, source and compile options are added.
  var settings: [String] {
    let words = unusual.map { ["compiled=\($0)"] } ?? []
    guard !isLinked else { return words }
    return words + ["source=\(sourceID.replacing(" ", with: "_"))", "options=\(options.joined(separator: ","))"]
  }

  private var options: [String] {
    var options: [String] = []
    while let option = calls.pointee.compileoption_get(Int32(options.count)) { options.append(String(cString: option)) }
    return options
  }

  /// A description of SQLite's WAL-reset bug; nil if this version does not have the bug. Source:
  /// sqlite.org/releaselog/3_51_3.html.
  var knownDefect: String? {
    let number = Int(calls.pointee.libversion_number())
    let fixed = [3_044_006..<3_045_000, 3_050_007..<3_051_000]
    guard (3_007_000..<3_051_003).contains(number), !fixed.contains(where: { $0.contains(number) }) else { return nil }
    return
      "SQLite's WAL-reset bug (fixed in 3.51.3, 3.50.7 and 3.44.6), by which two connections that write and checkpoint a "
      + "log at one moment can damage the database"
  }

  /// A closure that returns the number of SQL statements that have run. Counting starts with the first call, on
  /// connections opened after the call.
  static let statements: @Sendable () -> Int = { StatementCounter.shared.count.load(ordering: .relaxed) }

  /// A closure that returns the texts of the SQL statements since its last call, in order. The first call begins the
  /// recording.
  static let statementTexts: @Sendable () -> [String] = {
    StatementCounter.shared.texts.withLock { texts in
      defer { texts = [] }
      return texts ?? []
    }
  }

  /// Starts to count the SQL statements of a new connection, if counting is on. Does nothing for the SQLite library
  /// that is linked to this program.
  func count(_ connection: OpaquePointer) {
    // For the linked library, an SQLite auto-extension starts the counting.
    guard !isLinked, StatementCounter.isCounting.load(ordering: .relaxed) else { return }
    _ = calls.pointee.trace_v2(connection, UInt32(SQLITE_TRACE_STMT), StatementCounter.counted, nil)
  }

  /// Returns the number of a compile option, such as 1 for `DEFAULT_SYNCHRONOUS=1`.
  fileprivate func compiledNumber(_ name: String) -> Int? {
    options.first { $0.hasPrefix("\(name)=") }.flatMap { Int($0.dropFirst(name.count + 1)) }
  }

  private static func text(_ text: UnsafePointer<CChar>?) -> String { text.map { String(cString: $0) } ?? "unknown" }
}

extension SQLiteCalls {
  typealias Destructor = @convention(c) (UnsafeMutableRawPointer?) -> Void

  /// The constant SQLITE_TRANSIENT, which makes SQLite copy a bound value. Swift does not import this C macro.
  static var transient: Destructor { unsafeBitCast(-1, to: Destructor.self) }
}

/// A counter of SQL statements on all connections that are opened after its creation.
private final class StatementCounter: Sendable {
  static let shared = StatementCounter()
  static let isCounting = Atomic<Bool>(false)

  let count = Atomic<Int>(0)
  /// The texts of the counted SQL statements. Nil if only the number of statements is needed.
  let texts = Mutex<[String]?>(nil)

  typealias Context = UnsafeMutableRawPointer

  static let counted: @convention(c) (UInt32, Context?, Context?, Context?) -> Int32 = { _, _, _, text in
    // SQLite passes a comment (`--`) in place of a trigger's statement, which is not counted.
    let text = text?.assumingMemoryBound(to: CChar.self)
    if let text, text[0] == 45, text[1] == 45 { return 0 }
    StatementCounter.shared.count.wrappingAdd(1, ordering: .relaxed)
    StatementCounter.shared.texts.withLock { $0?.append(text.map { String(cString: $0) } ?? "") }
    return 0
  }

  private init() {
    typealias EntryPoint = @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?, UnsafeRawPointer?) -> Int32
    let opened: EntryPoint = { connection, _, _ in
      sqlite3_trace_v2(connection, UInt32(SQLITE_TRACE_STMT), StatementCounter.counted, nil)
    }
    // The C header declares the entry point without its parameters.
    _ = sqlite3_auto_extension(unsafeBitCast(opened, to: (@convention(c) () -> Void).self))
    Self.isCounting.store(true, ordering: .relaxed)
  }
}

/// The settings of SQLite that determine which saves survive a crash or power cut: the journal mode and the sync level.
struct SQLiteMode {
  enum Journal: String {
    case delete, wal, memory
  }

  /// The sync levels of SQLite, in the order of the numbers that `PRAGMA synchronous` returns, from 0.
  enum Synchronous: String, CaseIterable {
    case off = "OFF", normal = "NORMAL", full = "FULL", extra = "EXTRA"
  }

  var journal: Journal
  /// The sync level to set by `PRAGMA synchronous`. Nil keeps the default with which the library was compiled.
  var synchronous: Synchronous?

  static func mode(_ journal: Journal, _ durability: Durability) -> SQLiteMode? {
    switch (journal, durability) {
    case (_, .shipped): SQLiteMode(journal: journal)
    case (.memory, _): nil
    case (_, .crash): SQLiteMode(journal: journal, synchronous: .off)
    case (.delete, .intact): SQLiteMode(journal: .delete, synchronous: .full)
    // Only EXTRA syncs the directory after unlinking the journal. With FULL, a power cut may roll back the last commit.
    case (.delete, .durable): SQLiteMode(journal: .delete, synchronous: .extra)
    case (.wal, .intact): SQLiteMode(journal: .wal, synchronous: .normal)
    case (.wal, .durable): SQLiteMode(journal: .wal, synchronous: .full)
    }
  }

  var pragmas: String {
    let words =
      (journal == .delete ? [] : ["journal_mode=\(journal.rawValue.uppercased())"])
      + (synchronous.map { ["synchronous=\($0.rawValue)"] } ?? [])
    return words.map { "PRAGMA \($0)" }.joined(separator: "; ")
  }

  func level(of library: SQLiteLibrary = .linked) -> Level {
    // SQLite's own defaults are FULL, and in WAL mode the default for a rollback journal.
    let inWAL = journal == .wal ? library.compiledNumber("DEFAULT_WAL_SYNCHRONOUS") : nil
    let compiled = Synchronous.allCases[max(0, min(3, inWAL ?? library.compiledNumber("DEFAULT_SYNCHRONOUS") ?? 2))]
    return switch (journal, synchronous ?? compiled) {
    case (.memory, _): .fragile
    case (_, .off): .crash
    case (.wal, .normal): .intact
    case (.wal, _): .durable
    // SQLite documents that, with NORMAL, a power cut may corrupt the database on older file systems.
    case (.delete, .normal): .crash
    case (.delete, .full): .intact
    case (.delete, .extra): .durable
    }
  }
}

extension StoreError {
  init(sqlite code: Int32, _ message: String, path: String) {
    let text = "\(path.split(separator: "/").last ?? ""): \(message) (SQLite \(code))"
    switch code & 0xff {
    // In WAL mode, SQLite must create two more files even for reading, which a read-only file system prevents.
    case SQLITE_CANTOPEN where access(path, W_OK) != 0 && [EROFS, EACCES].contains(errno): self = .readOnly(text)
    case SQLITE_FULL: self = .full(text)
    // SQLITE_IOERR_SHMSIZE: no space is left for the index of the write-ahead log.
    case SQLITE_IOERR where code == SQLITE_IOERR | (19 << 8): self = .full(text)
    // SQLITE_IOERR_DATA: the checksum of a page is wrong.
    case SQLITE_IOERR where code == SQLITE_IOERR | (32 << 8): self = .damaged(text)
    case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH: self = .readOnly(text)
    // SQLITE_BUSY_SNAPSHOT: another connection has written since the transaction's first read.
    case SQLITE_BUSY where code == SQLITE_BUSY | (2 << 8): self = .conflict(text)
    case SQLITE_BUSY, SQLITE_LOCKED: self = .busy(text)
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT: self = .damaged(text)
    // SQLite before version 3.26 reports a file that is no database by this message.
    case SQLITE_ERROR where message == "unsupported file format": self = .damaged(text)
    default: self = .failed(text)
    }
  }
}
