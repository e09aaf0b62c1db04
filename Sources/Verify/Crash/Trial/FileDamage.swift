import Foundation
import StorageContract

struct FileDamage: Codable, Hashable {
  enum Kind: String, Codable, CaseIterable {
    case truncate
    /// Damage of a single bit, which is flipped.
    case flip
    /// Damage to one page: its end is replaced by older bytes, as after an interrupted write.
    case torn
    case foreign
    case empty
    /// Damage of the whole file: an older copy of the file, made after half of the test's saves, replaces the file.
    case older
  }

  var kind: Kind
  var file: String
  var seed: UInt64

  private static let (page, sector) = (4_096, 512)

  /// Returns the positions, in bytes, at which a page of the file can be torn: the rest of the page gets the bytes of
  /// the older version `old`.
  static func tears(_ bytes: [UInt8], _ old: [UInt8]) -> [Int] {
    stride(from: 0, to: bytes.count, by: page).flatMap { start in
      let end = min(start + page, bytes.count)
      let changed = (start..<end).filter { $0 >= old.count || bytes[$0] != old[$0] }
      guard let first = changed.first, let last = changed.last else { return [Int]() }
      return Array(stride(from: (first / sector + 1) * sector, through: last / sector * sector, by: sector))
    }
  }

  /// The kind of the file: `data`, `log` (recent saves, which the engine adds to the data when the store is opened) or
  /// `index`. An index has no records: it is an index of the log, a file of locks or a list of files. Logs and indexes
  /// are recognized by the names that SQLite, LMDB and LevelDB use.
  var part: String {
    let name = file.split(separator: "/").last ?? ""
    if ["-wal", "-journal", ".log"].contains(where: name.hasSuffix) { return "log" }
    let indices = ["CURRENT", "LOCK", "LOG", "LOG.old"]
    return DiskLog.isRebuilt(file) || name.hasPrefix("MANIFEST-") || indices.contains(String(name)) ? "index" : "data"
  }

  static func bytes(_ file: String, in directory: String) -> [UInt8] {
    [UInt8](FileManager.default.contents(atPath: "\(directory)/\(file)") ?? Data())
  }

  /// Damages a file of the store, and returns a description. `earlier` is the directory of an older version of the
  /// store.
  func apply(in directory: String, earlier: String) throws -> String {
    let path = "\(directory)/\(file)"
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    var random = SeededRandom(seed: seed)
    let what: String
    switch kind {
    case .truncate:
      let length = random.number(0...max(0, bytes.count - 1))
      what = "\(file) was cut from \(bytes.count) to \(length) bytes"
      bytes = Array(bytes.prefix(length))
    case .flip:
      let index = random.number(0...max(0, bytes.count * 8 - 1))
      if !bytes.isEmpty { bytes[index / 8] ^= 1 << UInt8(index % 8) }
      what = "a bit of byte \(index / 8) of \(file) was flipped"
    case .torn:
      let old = Self.bytes(file, in: earlier)
      let tears = Self.tears(bytes, old)
      guard let tear = tears.isEmpty ? nil : tears[random.number(0...tears.count - 1)] else {
        return "no page of \(file) had changed in two sectors"
      }
      let end = min(tear / Self.page * Self.page + Self.page, bytes.count)
      what = "bytes \(tear) to \(end - 1) of \(file) were replaced by those of its older version"
      for index in tear..<end { bytes[index] = index < old.count ? old[index] : 0 }
    case .foreign:
      what = "\(file) was replaced by other bytes"
      bytes = random.bytes(bytes.count)
    case .empty:
      what = "\(file) was emptied"
      bytes = []
    case .older:
      guard let old = FileManager.default.contents(atPath: "\(earlier)/\(file)") else {
        try FileManager.default.removeItem(atPath: path)
        return "\(file) was removed, which was not there earlier"
      }
      what = "\(file) was replaced by what it was earlier"
      bytes = [UInt8](old)
    }
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return what
  }
}
