import Foundation
import StorageContract

/// A log of changes in a text file. A commit appends lines `+ RECORD CHECKSUM` or `- KEY CHECKSUM`, then
/// `= COUNT CHECKSUM`. A checksum covers all lines so far.
final class ChangeLog: RecordFile {
  private let path: String
  private let collections: [String]
  private let syncs: Syncs
  private var descriptor: Int32 = -1
  /// The size of the valid part of the log file, in bytes.
  private var length = 0
  private var checksum: UInt32 = 0
  private var hasAppended = false
  private var defect: StoreError?

  /// The choices of when to sync the log file to the disk.
  enum Syncs: String {
    case never
    /// A sync only when the log file is rewritten or closed. A rewrite without a sync could leave an empty log file
    /// after a power cut.
    case rewriting
    /// A sync of the log file after each commit. After a rewrite of the file, the file's directory is synced, too.
    case commits

    init(_ durability: Durability) {
      switch durability {
      case .shipped, .durable: self = .commits
      case .intact: self = .rewriting
      case .crash: self = .never
      }
    }
  }

  private static let header = Array("log 1\n".utf8)
  private var name: String { URL(fileURLWithPath: path).lastPathComponent }

  init(path: String, collections: [String], syncs: Syncs) {
    (self.path, self.collections, self.syncs) = (path, collections, syncs)
  }

  deinit { close() }

  var settings: String { "syncs=\(syncs.rawValue)" }

  private var file: WholeFile { WholeFile(path: path, rewriting: syncs == .commits ? .atomicAndDirectory : .atomic) }

  func load() throws -> RecordTables {
    var tables = RecordTables(count: collections.count)
    let entries = try recover(&tables)
    let records = try collections.indices.reduce(0) { try $0 + tables.count(in: CollectionID($1)) }
    // Changes of records that were later replaced or deleted are superfluous. A small log is not worth rewriting.
    if entries > 2 * records + 100 { try compact(&tables) }
    try open()
    return tables
  }

  /// Appends the changes of one commit to the log. After an error, the log is unchanged.
  func save(_ changes: [Change], in tables: inout RecordTables) throws {
    if let defect { throw defect }
    var (bytes, last) = (length == 0 ? Self.header : [], checksum)
    for change in changes { entry(change, &bytes, &last) }
    end(changes.count, &bytes, &last)
    do {
      guard lseek(descriptor, off_t(length), SEEK_SET) == off_t(length) else {
        throw StoreError(errno: errno, doing: "writing \(name)")
      }
      try bytes.withUnsafeBytes { try WholeFile.writeAll($0, to: descriptor, name) }
      guard syncs != .commits || fdatasync(descriptor) == 0 else {
        throw StoreError(errno: errno, doing: "syncing \(name)")
      }
    } catch {
      // A part of the commit must not remain, because the next commit would be appended to the part.
      if ftruncate(descriptor, off_t(length)) != 0 {
        defect = StoreError.failed("\(name) could not be truncated after an error; close it and open it again")
      }
      throw error
    }
    hasAppended = true
    (length, checksum) = (length + bytes.count, last)
  }

  /// Closes the log. With ``Syncs/rewriting``, first syncs the file, so that a later power cut loses no commit.
  func close() {
    guard descriptor >= 0 else { return }
    if syncs == .rewriting, hasAppended { _ = fdatasync(descriptor) }
    _ = Glibc.close(descriptor)
    descriptor = -1
  }

  // MARK: - Lines

  private func entry(_ change: Change, _ bytes: inout [UInt8], _ last: inout UInt32) {
    let start = bytes.count
    bytes += change.isDelete ? "- ".utf8 : "+ ".utf8
    let collection = collections[change.collection.index]
    if change.isDelete {
      RecordLine.append(key: change.record.id, in: collection, to: &bytes)
    } else {
      RecordLine.append(change.record, in: collection, to: &bytes)
    }
    seal(start, &bytes, &last)
  }

  private func end(_ count: Int, _ bytes: inout [UInt8], _ last: inout UInt32) {
    let start = bytes.count
    bytes += "= \(count)".utf8
    seal(start, &bytes, &last)
  }

  private func seal(_ start: Int, _ bytes: inout [UInt8], _ last: inout UInt32) {
    bytes[start...].withUnsafeBytes { last = CRC32.update(last, $0[...]) }
    bytes.append(UInt8(ascii: "\t"))
    let digits = String(last, radix: 16)
    bytes += String(repeating: "0", count: 8 - digits.count).utf8 + Array(digits.utf8) + [UInt8(ascii: "\n")]
  }

  // MARK: - Opening

  private func recover(_ tables: inout RecordTables) throws -> Int {
    guard let data = try WholeFile.content(path, name) else { return 0 }
    return try data.withUnsafeBytes { bytes in
      guard bytes.starts(with: Self.header) else {
        // A first commit that was cut off leaves a part of the first line, or zeros that were never overwritten.
        let first = bytes.prefix(Self.header.count)
        guard Self.header.starts(with: first) || bytes.allSatisfy({ $0 == 0 }) else {
          throw StoreError.damaged("\(name) is not a log of records")
        }
        return 0
      }
      length = Self.header.count
      return try recover(bytes, &tables)
    }
  }

  private func recover(_ bytes: UnsafeRawBufferPointer, _ tables: inout RecordTables) throws -> Int {
    var (offset, last, entries) = (length, UInt32(0), 0)
    var pending: [Change] = []
    // The checksum covers the line up to a tab. The eight digits of the checksum follow the tab.
    while let end = bytes[offset...].firstIndex(of: UInt8(ascii: "\n")), end - offset >= 11 {
      let line = bytes[offset..<end - 9]
      last = CRC32.update(last, line)
      guard bytes[end - 9] == UInt8(ascii: "\t"),
        UInt32(String(decoding: bytes[end - 8..<end], as: UTF8.self), radix: 16) == last
      else { break }
      offset = end + 1
      if line.first == UInt8(ascii: "=") {
        guard Int(String(decoding: line.dropFirst(2), as: UTF8.self)) == pending.count else { break }
        _ = try tables.apply(pending)
        entries += pending.count
        pending = []
        (length, checksum) = (offset, last)
      } else {
        pending.append(try change(line))
      }
    }
    return entries
  }

  private func change(_ line: Slice<UnsafeRawBufferPointer>) throws -> Change {
    let body = line.dropFirst(2)
    if line.first == UInt8(ascii: "+"), let (collection, record) = RecordLine.record(body) {
      return .put(record, in: try collectionID(collection))
    }
    if line.first == UInt8(ascii: "-"), let (collection, key) = RecordLine.key(body) {
      return .delete(key, in: try collectionID(collection))
    }
    throw StoreError.damaged(
      "\(name) has a line that is not a change: '\(String(decoding: line.prefix(40), as: UTF8.self))'; "
        + "restore a backup, because editing the line would lose its commit and all later ones")
  }

  private func collectionID(_ collection: String) throws -> CollectionID {
    guard let index = collections.firstIndex(of: collection) else { throw WholeFile.unnamed(collection, in: name) }
    return CollectionID(index)
  }

  private func compact(_ tables: inout RecordTables) throws {
    var (bytes, last, count) = (Self.header, UInt32(0), 0)
    for (index, records) in tables.sortedRecords().enumerated() {
      for record in records { entry(.put(record, in: CollectionID(index)), &bytes, &last) }
      count += records.count
    }
    end(count, &bytes, &last)
    do {
      try file.renamingWrite(Data(bytes), syncs: syncs != .never)
      try file.syncDirectory()
    } catch StoreError.readOnly, StoreError.full {
      // On a full disk, there is no space for a second log. The old log is readable and can be rewritten later.
      return
    }
    (length, checksum) = (bytes.count, last)
  }

  private func open() throws {
    let isNew = access(path, F_OK) != 0
    descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else {
      let error = StoreError(errno: errno, doing: "opening \(name)")
      // A read-only log can still be read.
      guard case .readOnly = error, !isNew else { throw error }
      defect = error
      return
    }
    if isNew { try file.syncDirectory() }
    guard lseek(descriptor, 0, SEEK_END) > off_t(length) else { return }
    guard ftruncate(descriptor, off_t(length)) == 0 else {
      throw StoreError(errno: errno, doing: "cutting off what is not valid in \(name)")
    }
  }
}

/// The CRC-32 checksum of Ethernet, gzip and PNG (ISO 3309; polynomial 0xEDB88320, reflected).
enum CRC32 {
  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { rest, _ in rest & 1 == 1 ? rest >> 1 ^ 0xEDB8_8320 : rest >> 1 }
  }

  /// Returns the checksum of all bytes so far: earlier bytes followed by `bytes`. `checksum` is the checksum of the
  /// earlier bytes, or 0 at the start.
  static func update(_ checksum: UInt32, _ bytes: Slice<UnsafeRawBufferPointer>) -> UInt32 {
    table.withUnsafeBufferPointer { table in
      ~bytes.reduce(~checksum) { $0 >> 8 ^ table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] }
    }
  }
}
