import CStorageLMDB
import Foundation

/// The content of a shared library's file in the format ELF.
struct SharedObject {
  private let bytes: [UInt8]

  /// Reads the file of a shared library. Returns nil if the file cannot be read or is not a regular file.
  init?(_ file: String) {
    let path = URL(fileURLWithPath: file).resolvingSymlinksInPath().path
    guard (try? FileManager.default.attributesOfItem(atPath: path))?[.type] as? FileAttributeType == .typeRegular,
      let content = FileManager.default.contents(atPath: path)
    else { return nil }
    bytes = [UInt8](content)
  }

  /// Returns the path of the shared library that contains a C function, or nil if there is none.
  static func file(of function: UnsafeRawPointer?) -> String? {
    storage_file_of(function).map { URL(fileURLWithPath: String(cString: $0)).resolvingSymlinksInPath().path }
  }

  /// Whether the file is a complete 64-bit shared library. Using a truncated library would end the process.
  var isComplete: Bool { dynamicSection != nil }

  /// A copy that prefers its own functions to those of the program (flag DT_SYMBOLIC). Nil if it cannot be set.
  var symbolic: [UInt8]? {
    guard let dynamicSection else { return nil }
    var copy = bytes
    for entry in stride(from: dynamicSection.lowerBound, through: dynamicSection.upperBound - 16, by: 16) {
      switch number(entry, UInt64.self) {
      case 16: return copy
      case 30:
        // DT_FLAGS, in which DF_SYMBOLIC is 2.
        copy[entry + 8] |= 2
        return copy
      case 0:
        // The section must keep an end marker.
        guard entry + 32 <= dynamicSection.upperBound, number(entry + 16, UInt64.self) == 0 else { return nil }
        copy[entry] = 16
        return copy
      default: continue
      }
    }
    return nil
  }

  /// The byte range of the ELF file's dynamic section; nil if the file is truncated or is no 64-bit shared library.
  private var dynamicSection: Range<Int>? {
    // Magic number, 64 bits, little-endian.
    guard bytes.starts(with: [0x7f, 0x45, 0x4c, 0x46, 2, 1]), let table = number(32, UInt64.self),
      let size = number(54, UInt16.self), let count = number(56, UInt16.self)
    else { return nil }
    var dynamic: Range<Int>?
    for index in 0..<count {
      guard table <= bytes.count, let kind = number(table + index * size, UInt32.self),
        let start = number(table + index * size + 8, UInt64.self),
        let length = number(table + index * size + 32, UInt64.self), start <= bytes.count
      else { return nil }
      if kind == 1 || kind == 2, length > bytes.count - start { return nil }
      if kind == 2 { dynamic = start..<start + length }
    }
    return dynamic
  }

  private func number<Number: FixedWidthInteger>(_ offset: Int, _ type: Number.Type) -> Int? {
    guard offset >= 0, offset <= bytes.count - MemoryLayout<Number>.size else { return nil }
    return bytes.withUnsafeBytes {
      Int(exactly: Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Number.self)))
    }
  }
}
