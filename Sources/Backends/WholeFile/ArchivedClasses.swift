import Foundation
import StorageContract

/// A search for all class names in a keyed archive, without decoding. On Linux, decoding a class that is not allowed
/// ends the process.
struct ArchivedClasses {
  private let bytes: UnsafeRawBufferPointer
  private let offsetSize: Int
  private let referenceSize: Int
  private let count: Int
  private let table: Int

  /// Throws ``StoreError/damaged(_:)`` if the data is not a keyed archive, or contains a class whose name is not in
  /// `names`.
  static func check(_ data: Data, allowing names: Set<String>, file: String) throws {
    try data.withUnsafeBytes { bytes in
      guard let classes = ArchivedClasses(bytes), let found = classes.names() else {
        throw StoreError.damaged("\(file) is not an archive")
      }
      if let other = found.subtracting(names).min() {
        throw StoreError.damaged("\(file) holds an object of the class '\(other)', which is not allowed")
      }
    }
  }

  // An archive is a binary property list (CoreFoundation, CFBinaryPList.c). Each class is a dictionary with the key
  // `$classname`.
  private init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= 40, bytes.starts(with: "bplist00".utf8) else { return nil }
    self.bytes = bytes
    let trailer = bytes.count - 32
    offsetSize = Int(bytes[trailer + 6])
    referenceSize = Int(bytes[trailer + 7])
    guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
      let count = Self.number(bytes, trailer + 8, 8), let table = Self.number(bytes, trailer + 24, 8),
      count <= bytes.count, table <= trailer, count * offsetSize <= trailer - table
    else { return nil }
    self.count = count
    self.table = table
  }

  @inline(__always)
  private static func number(_ bytes: UnsafeRawBufferPointer, _ start: Int, _ size: Int) -> Int? {
    guard start >= 0, start <= bytes.count - size else { return nil }
    var value: UInt64 = 0
    for index in start..<start + size { value = value << 8 | UInt64(bytes[index]) }
    return value < UInt64(Int32.max) ? Int(value) : nil
  }

  @inline(__always)
  private func offset(of object: Int) -> Int? {
    guard object < count, let offset = Self.number(bytes, table + object * offsetSize, offsetSize), offset < table
    else { return nil }
    return offset
  }

  @inline(__always)
  private func elements(_ offset: Int) -> (count: Int, start: Int)? {
    let low = Int(bytes[offset] & 0x0f)
    guard low == 0x0f else { return (low, offset + 1) }
    // The number of elements follows the marker as a separate object: 0x1n and 2^n bytes.
    guard offset + 1 < bytes.count, bytes[offset + 1] >> 4 == 1 else { return nil }
    let size = 1 << Int(bytes[offset + 1] & 0x0f)
    guard size <= 8, let count = Self.number(bytes, offset + 2, size) else { return nil }
    return (count, offset + 2 + size)
  }

  private func names() -> Set<String>? {
    var keys: Set<Int> = []
    var dictionaries: [Int] = []
    for object in 0..<count {
      guard let offset = offset(of: object) else { return nil }
      switch bytes[offset] >> 4 {
      // The length of a text is checked first (10 or 11 characters), because most texts belong to records.
      case 0x5 where [0xa, 0xb].contains(bytes[offset] & 0x0f):
        if let text = text(offset), ["$classname", "$classhints"].contains(text) { keys.insert(object) }
      case 0xd: dictionaries.append(offset)
      default: break
      }
    }
    var names: Set<String> = []
    for offset in dictionaries {
      guard let (count, start) = elements(offset) else { return nil }
      for index in 0..<count {
        guard let key = Self.number(bytes, start + index * referenceSize, referenceSize) else { return nil }
        guard keys.contains(key) else { continue }
        guard let value = Self.number(bytes, start + (count + index) * referenceSize, referenceSize),
          let offset = self.offset(of: value)
        else { return nil }
        // A value that is no ASCII text is a list of class hints, because all class names of this backend are ASCII.
        names.insert(text(offset) ?? "(hints)")
      }
    }
    return names
  }

  private func text(_ offset: Int) -> String? {
    guard bytes[offset] >> 4 == 0x5, let (count, start) = elements(offset), count <= bytes.count - start
    else { return nil }
    return String(decoding: bytes[start..<start + count], as: UTF8.self)
  }
}
