import Foundation

/// What is done to one file of a finished store.
struct FileDamage: Codable, Hashable {
  enum Kind: String, Codable, CaseIterable {
    /// It ends early.
    case truncate
    /// 1 to 8 of its bits are turned.
    case flip
    /// It is bytes of something else, as many as before.
    case foreign
    /// It is empty.
    case empty
    /// It is what it was at an earlier time, when half of the saves had been made.
    case older
  }

  var kind: Kind
  /// The file's name, from the store's directory.
  var file: String
  /// Which of all such damages.
  var seed: UInt64

  /// Damages the file of a store.
  ///
  /// - Parameters:
  ///   - directory: The store's.
  ///   - earlier: That of the store as it was earlier.
  /// - Returns: What was done, as the end of a sentence.
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
      let places = bytes.isEmpty ? [] : (0..<random.number(1...8)).map { _ in random.number(0...bytes.count * 8 - 1) }
      for place in places { bytes[place / 8] ^= 1 << UInt8(place % 8) }
      what = "\(places.count) bits of \(file) were turned"
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
