import Foundation
import StorageContract

final class RecordFiles: ListedFiles {
  let (syncsFiles, syncsNames): (Bool, Bool)
  private let isSpread: Bool
  private let form: KeyForm
  private let directories: [ContiguousArray<UInt8>]
  let names: [String]
  let staging: String
  /// The file changes of a committed save, if the rename or deletion of a file failed. The next save repeats them.
  var waiting: [FileChange] = []
  private let root: String
  /// The free buffers for reading files. A read takes a buffer and returns the buffer at its end.
  private var spare: [UnsafeMutableRawBufferPointer] = []

  private static let mark = Array("rec1".utf8)
  private static let header = 8

  init(_ environment: StoreEnvironment, fan isSpread: Bool) throws {
    self.isSpread = isSpread
    form = KeyForm(environment.options)
    (syncsFiles, syncsNames) =
      switch environment.durability {
      case .crash: (false, false)
      case .shipped: (true, false)
      case .intact, .durable: (true, true)
      }
    root = environment.directory
    staging = environment.path(".commit")
    names = environment.collections.map(Self.name)
    directories = names.map { ContiguousArray("\(environment.directory)/\($0)/".utf8) }
    for name in try WholeFile.entries(root) where name.hasSuffix(Self.ending) && !names.contains(name) {
      throw WholeFile.unnamed(name.dropLast(Self.ending.count).removingPercentEncoding ?? name, in: "the store")
    }
    try makeDirectories()
  }

  deinit { for buffer in spare { buffer.deallocate() } }

  var settings: String {
    "fsync=\(syncsFiles ? "yes" : "no") directory_fsync=\(syncsNames ? "yes" : "no") fan=\(isSpread ? "256" : "1")"
      + form.settings
  }

  // MARK: - Names

  /// Returns the name of a collection's directory, percent-encoded, such as `my%20records.collection`.
  private static func name(_ collection: String) -> String {
    (collection.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "") + ending
  }

  private static let ending = ".collection"

  func withPath<Result>(_ id: RecordPlace, _ body: (UnsafePointer<CChar>) throws -> Result) rethrows -> Result {
    let directory = directories[id.collection.index]
    // The 40 additional bytes hold two digits and a slash (3), a UUID (36) or a signed number (20), and the terminator
    // (1).
    return try withUnsafeTemporaryAllocation(byteCount: directory.count + 40, alignment: 1) { path in
      var count = directory.withUnsafeBytes { bytes in
        path.copyMemory(from: bytes)
        return bytes.count
      }
      func append(_ byte: UInt8) {
        path[count] = byte
        count += 1
      }
      if isSpread {
        let byte = UInt8(truncatingIfNeeded: id.key)
        for digit in [byte >> 4, byte & 15] { append(digit + (digit < 10 ? 48 : 87)) }
        append(UInt8(ascii: "/"))
      }
      if form.isOrdered {
        // The digits are written directly, because a String of more than 15 digits would be allocated on the heap.
        if id.key < 0 { append(UInt8(ascii: "-")) }
        let start = count
        var rest = id.key.magnitude
        repeat {
          append(48 + UInt8(rest % 10))
          rest /= 10
        } while rest > 0
        path[start..<count].reverse()
      } else {
        form.withBytes(of: id.key) { $0.forEach(append) }
      }
      append(0)
      return try body(path.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: CChar.self))
    }
  }

  func name(_ id: RecordPlace) -> String { "record \(id.key) of \(names[id.collection.index])" }

  // MARK: - Directories

  private func makeDirectories() throws {
    var made = try WholeFile.makeDirectory(staging, in: root)
    for name in names {
      let path = "\(root)/\(name)"
      let isNew = try WholeFile.makeDirectory(path, in: root)
      made = isNew || made
      guard isSpread else { continue }
      let inner = (0..<256).map { "\(path)/\(Self.hexadecimal($0))" }
      // The trailing slash limits access() to directories, because with fan=1 a record's file may also be named `42`.
      if !isNew, !inner.contains(where: { access($0 + "/", F_OK) == 0 }), try !WholeFile.entries(path).isEmpty {
        throw StoreError.failed("\(name) was made with fan=1; give that")
      }
      var inside = false
      for directory in inner { inside = try WholeFile.makeDirectory(directory, in: root) || inside }
      if inside { try syncNames(path) }
    }
    if made { try syncNames(root) }
  }

  private static func hexadecimal(_ byte: Int) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }

  func directory(of id: RecordPlace) -> String {
    let path = "\(root)/\(names[id.collection.index])"
    return isSpread ? "\(path)/\(Self.hexadecimal(Int(UInt8(truncatingIfNeeded: id.key))))" : path
  }

  /// Returns the keys of all records in a collection. Each record is a file that is named by the key. Throws
  /// ``StoreError/damaged(_:)`` for another file name.
  func keys(in collection: Int) throws -> [Int64] {
    let path = "\(root)/\(names[collection])"
    let directories = isSpread ? (0..<256).map { "\(path)/\(Self.hexadecimal($0))" } : [path]
    return try directories.flatMap { directory in
      try WholeFile.entries(directory).map { name in
        guard let key = form.isOrdered ? Int64(name) : try? form.key(name),
          self.directory(of: RecordPlace(collection: CollectionID(collection), key: key)) == directory
        else {
          throw StoreError.damaged(
            "\(directory.dropFirst(root.count + 1))/\(name) is not a record of this kind of store; "
              + "give the fan= and ids= that the store was made with, or move a foreign file away")
        }
        return key
      }
    }
  }

  // MARK: - Reading

  func read(_ id: RecordPlace, _ body: (RecordView) throws -> Void) throws -> Bool {
    try read(withPath(id) { open($0, O_RDONLY | O_CLOEXEC) }, id.key, name(id), body)
  }

  func read(number: Int, _ key: Int64, _ body: (RecordView) throws -> Void) throws -> Bool {
    try read(open(staged(number), O_RDONLY | O_CLOEXEC), key, ".commit/\(number)", body)
  }

  private func read(
    _ descriptor: Int32, _ key: Int64, _ name: @autoclosure () -> String, _ body: (RecordView) throws -> Void
  ) throws -> Bool {
    guard descriptor >= 0 else {
      if errno == ENOENT { return false }
      throw StoreError(errno: errno, doing: "opening \(name())")
    }
    var buffer = spare.popLast() ?? .allocate(byteCount: 4_096, alignment: 16)
    defer { spare.append(buffer) }
    let count: Int
    do {
      defer { _ = Glibc.close(descriptor) }
      count = try Self.fill(&buffer, from: descriptor, name())
    }
    guard count >= Self.header, buffer.starts(with: Self.mark),
      count == Self.header + Self.length(buffer)
    else { throw StoreError.damaged("\(name()) is cut short, or is not a record") }
    try body(RecordCodec.view(UnsafeRawBufferPointer(rebasing: buffer[Self.header..<count]), key: key))
    return true
  }

  private static func length(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
    Int(UInt32(littleEndian: buffer.loadUnaligned(fromByteOffset: 4, as: UInt32.self)))
  }

  private static func fill(
    _ buffer: inout UnsafeMutableRawBufferPointer, from descriptor: Int32, _ name: @autoclosure () -> String
  ) throws -> Int {
    var count = 0
    repeat {
      let got = Glibc.read(descriptor, buffer.baseAddress.unsafelyUnwrapped + count, buffer.count - count)
      if got < 0 {
        if errno == EINTR { continue }
        throw StoreError(errno: errno, doing: "reading \(name())")
      }
      if got == 0 { return count }
      count += got
      guard count >= header, count < header + length(buffer) else { continue }
      // A damaged length must not cause a large allocation, so the file's size is used.
      var status = stat()
      guard count == buffer.count, fstat(descriptor, &status) == 0 else { continue }
      let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: max(Int(status.st_size), count) + 1, alignment: 16)
      larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      buffer.deallocate()
      buffer = larger
    } while count < header || count < header + length(buffer)
    return count
  }

  // MARK: - Writing

  func replace(_ id: RecordPlace, with record: Record) throws {
    let new = "\(staging)/new"
    try change(id) {
      do {
        try write(record, to: new, syncs: syncsFiles)
        try rename(new, to: id)
      } catch {
        _ = Glibc.unlink(new)
        throw error
      }
    }
  }

  func remove(_ id: RecordPlace) throws { try change(id) { try unlink(id) } }

  /// Runs the body, which replaces or deletes a record's file, and syncs the directory if required. If the sync fails,
  /// restores the old file.
  private func change(_ id: RecordPlace, _ body: () throws -> Void) throws {
    guard syncsNames else { return try body() }
    let path = withPath(id) { String(cString: $0) }
    let old = try WholeFile.content(path, name(id))
    try body()
    do {
      try syncNames(directory(of: id))
    } catch {
      if let old {
        try? WholeFile(path: path, rewriting: .renamed).replace(with: old)
      } else {
        try? unlink(id)
      }
      throw error
    }
  }

  func write(_ record: Record, to path: UnsafePointer<CChar>, syncs: Bool) throws {
    let descriptor = try WholeFile.create(path, "a file for record \(record.id)")
    let length = RecordCodec.encodedSize(of: record)
    try withUnsafeTemporaryAllocation(byteCount: Self.header + length, alignment: 8) { bytes in
      bytes.copyBytes(from: Self.mark)
      bytes.storeBytes(of: UInt32(length).littleEndian, toByteOffset: 4, as: UInt32.self)
      RecordCodec.encode(record, into: UnsafeMutableRawBufferPointer(rebasing: bytes[Self.header...]))
      try WholeFile.fill(descriptor, UnsafeRawBufferPointer(bytes), syncs: syncs, "record \(record.id)")
    }
  }
}
