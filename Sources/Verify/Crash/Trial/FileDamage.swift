import Foundation

struct FileDamage: Codable, Hashable {
  enum Kind: String, Codable, CaseIterable {
    case truncate
    case flip
    case foreign
    case empty
    /// The file is replaced by its older version, from a store after half of the saves.
    case older
  }

  var kind: Kind
  var file: String
  var seed: UInt64

  /// Damages the file of the store in `directory`, and returns a description of the damage, as the end of a sentence.
  /// `earlier` is the directory of the store's older version.
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
      let indices = bytes.isEmpty ? [] : (0..<random.number(1...8)).map { _ in random.number(0...bytes.count * 8 - 1) }
      for index in indices { bytes[index / 8] ^= 1 << UInt8(index % 8) }
      what = "\(indices.count) bits of \(file) were turned"
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
