import Foundation

/// Shared libraries that are loaded at run time, and their functions. The program can run without these libraries.
final class SharedLibrary: @unchecked Sendable {
  // The class is Sendable because an instance changes only during the initialization of constants.

  private let handles: [UnsafeMutableRawPointer]
  private(set) var isComplete: Bool

  /// Loads shared libraries, which are never unloaded. Each element of `libraries` contains the possible file names of
  /// one library.
  init(_ libraries: [[String]]) {
    handles = libraries.compactMap { $0.lazy.compactMap { dlopen($0, RTLD_NOW | RTLD_LOCAL) }.first }
    isComplete = handles.count == libraries.count
  }

  /// Returns a function or constant of the loaded libraries. A missing function is replaced by one that ends the
  /// process.
  func function<Function>(_ name: String) -> Function {
    let missing: @convention(c) () -> Void = { fatalError("a function of a missing library was called") }
    let found = handles.lazy.compactMap { dlsym($0, name) }.first
    if found == nil { isComplete = false }
    return found.map { unsafeBitCast($0, to: Function.self) } ?? unsafeBitCast(missing, to: Function.self)
  }

  /// Returns the path of the loaded or linked library that contains a function, or nil if there is none.
  func file(of function: String) -> String? {
    let address = handles.lazy.compactMap { dlsym($0, function) }.first ?? dlsym(nil, function)
    // Swift does not import dladdr. Its result is four pointers, of which the first is the file's path.
    typealias Find = @convention(c) (UnsafeRawPointer, UnsafeMutablePointer<UnsafePointer<CChar>?>) -> Int32
    var found = [UnsafePointer<CChar>?](repeating: nil, count: 4)
    guard let address, let find = dlsym(nil, "dladdr").map({ unsafeBitCast($0, to: Find.self) }),
      find(address, &found) != 0
    else { return nil }
    return found[0].map { URL(fileURLWithPath: String(cString: $0)).resolvingSymlinksInPath().path }
  }

  /// The libraries that the program is linked with.
  static let linked = SharedLibrary([])
}

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
