import Foundation

/// The files of large binary values of a SQLite store, in `.NAME_SUPPORT/_EXTERNAL_DATA`. The name of each file is a
/// UUID.
final class ExternalData {
  /// The first byte of a column value if the other bytes are the binary data itself.
  private static let inline: UInt8 = 1
  /// The first byte of a column value if the other bytes are the name of a file with the binary data.
  private static let outside: UInt8 = 2

  private let threshold: Int
  private let synchronous: StoreOptions.Synchronous
  private let calls: FileCalls
  private let storeDirectory: String
  private let support: String
  private let directory: String
  private var isMade = false
  private var written: [String] = []
  /// The names of files to which no row will refer after the commit of the running transaction.
  var dropped: [String] = []
  /// The names of files to which only earlier states of the store refer. Contexts may still read these states.
  var unreferenced: [String] = []

  init(beside url: URL, _ options: StoreOptions) {
    threshold = options.externalStorageThreshold
    synchronous = options.synchronous
    calls = FileCalls(file: url.lastPathComponent)
    storeDirectory = url.deletingLastPathComponent().path
    support = "\(storeDirectory)/.\(calls.file)_SUPPORT"
    directory = "\(support)/_EXTERNAL_DATA"
  }

  var exists: Bool { access(directory, F_OK) == 0 }

  /// Returns the names of all files with large values, which are the files whose name is a UUID.
  func names() -> Set<String> {
    let all = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    return Set(all.filter { UUID(uuidString: $0)?.uuidString == $0 })
  }

  // MARK: - Columns

  /// Returns the column contents for values. A long value is written to a new file, and the content is the file's name.
  func columns(_ values: [Value], _ indices: [Int]) throws -> [Value] {
    var columns = values
    for index in indices {
      guard case .binary(let bytes) = values[index] else { continue }
      if bytes.count < threshold {
        columns[index] = .binary([Self.inline] + bytes)
      } else {
        let name = UUID().uuidString
        try write(bytes, name)
        columns[index] = .binary([Self.outside] + Array(name.utf8))
      }
    }
    return columns
  }

  /// Returns the value for the content of a database column, read from a file if the content is a file's name.
  ///
  /// - Parameter object: The object and the property that have the value, for error messages.
  /// - Throws: ``ObjectGraphError/damaged(file:_:)`` if the file is missing or the content is invalid.
  func value(of column: Value, _ object: @autoclosure () -> String) throws -> Value {
    guard case .binary(let bytes) = column else { return column }
    if bytes.first == Self.inline { return .binary(Array(bytes.dropFirst())) }
    if let name = Self.file(of: column) { return .binary(try read(name, object())) }
    throw ObjectGraphError.damaged(
      file: calls.file, "\(object()) holds neither a value nor the name of a file; restore a backup")
  }

  /// Returns the file name in a column's bytes. Only UUIDs are allowed, so that a manipulated store cannot name a file
  /// elsewhere.
  static func file(of column: Value) -> String? {
    guard case .binary(let bytes) = column, bytes.first == outside else { return nil }
    return UUID(uuidString: String(decoding: bytes.dropFirst(), as: UTF8.self))?.uuidString
  }

  // MARK: - Transactions

  /// Flushes the directory of large values, so that a power cut after the commit cannot lose a new file.
  func prepareCommit() throws {
    if !written.isEmpty, synchronous != .off { try flush(directory) }
  }

  func didCommit() {
    unreferenced += dropped
    (written, dropped) = ([], [])
  }

  func rollback() {
    remove(written)
    (written, dropped) = ([], [])
  }

  /// Removes files of large values by name. Errors are ignored, because the next opening of the store removes the rest.
  func remove(_ names: some Sequence<String>) {
    for name in names { unlink("\(directory)/\(name)") }
  }

  // MARK: - Files

  private func write(_ bytes: [UInt8], _ name: String) throws {
    try makeDirectory()
    let path = "\(directory)/\(name)"
    let file = try calls.retrying("a file in .\(calls.file)_SUPPORT cannot be made") {
      open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    }
    written.append(name)
    defer { close(file) }
    try calls.write(bytes, to: file, "a file in .\(calls.file)_SUPPORT cannot be written")
    if synchronous != .off { try flush(file) }
  }

  private func read(_ name: String, _ object: String) throws -> [UInt8] {
    let file = open("\(directory)/\(name)", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else {
      guard errno == ENOENT else { throw calls.error("the file of \(object) cannot be read") }
      throw ObjectGraphError.damaged(
        file: calls.file, "\(object) lies in \(directory)/\(name), which is not there; put it back")
    }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw calls.error("the file of \(object) cannot be examined") }
    return try [UInt8](unsafeUninitializedCapacity: Int(status.st_size)) { bytes, count in
      while count < bytes.count {
        let more = Glibc.read(file, bytes.baseAddress.unsafelyUnwrapped + count, bytes.count - count)
        if more < 0, errno == EINTR { continue }
        guard more >= 0 else { throw calls.error("the file of \(object) cannot be read") }
        if more == 0 { break }
        count += more
      }
    }
  }

  private func makeDirectory() throws {
    guard !isMade else { return }
    for (path, parent) in [(support, storeDirectory), (directory, support)]
    where mkdir(path, 0o777) == 0 || errno != EEXIST {
      guard access(path, F_OK) == 0 else { throw calls.error(".\(calls.file)_SUPPORT cannot be made") }
      if synchronous != .off { try flush(parent) }
    }
    isMade = true
  }

  private func flush(_ directory: String) throws {
    let file = try calls.retrying("\(directory) cannot be opened") {
      open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }
    defer { close(file) }
    try flush(file)
  }

  private func flush(_ file: Int32) throws {
    try calls.retrying("a file in .\(calls.file)_SUPPORT cannot be flushed") { fsync(file) }
  }
}
