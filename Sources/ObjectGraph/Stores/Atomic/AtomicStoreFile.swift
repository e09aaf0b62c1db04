import Foundation

/// A file that is read whole and replaced whole: at any time there is the old one or the new one.
///
/// The new one is written beside it, under a name that is always the same, so that a killed process leaves at most
/// one behind, and the next save takes it over. The lock on it keeps two processes from writing it at once.
struct AtomicStoreFile {
  let path: String
  /// The name, for messages.
  let name: String
  /// As what it was last seen, or nil if it was not there.
  private var seen: Stamp?
  /// Its first and last bytes then, among them its checksum.
  private var seenEdges: [UInt8] = []

  /// What changes when somebody replaces the file.
  private struct Stamp: Equatable {
    let device: dev_t
    let inode: ino_t
    let size: off_t
    let seconds: time_t
    let nanoseconds: Int

    init(_ status: stat) {
      device = status.st_dev
      inode = status.st_ino
      size = status.st_size
      seconds = status.st_mtim.tv_sec
      nanoseconds = status.st_mtim.tv_nsec
    }
  }

  init(at url: URL) {
    // A link must not be replaced by a file.
    path = StoreLocation(url: url).path
    name = url.lastPathComponent
  }

  /// Where the next version is written.
  private var newPath: String { "\(directory)/.\(URL(fileURLWithPath: path).lastPathComponent).new" }
  private var directory: String { URL(fileURLWithPath: path).deletingLastPathComponent().path }

  // MARK: - Reading

  /// The bytes, or nil if there is no file.
  ///
  /// - Throws: ``ObjectGraphError/store(file:_:)``, also if its directory is not there.
  mutating func read() throws -> ByteBuffer? {
    seen = nil
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else {
      guard errno == ENOENT else { throw error("cannot be opened") }
      guard access(directory, F_OK) == 0 else { throw error("its directory cannot be used") }
      return nil
    }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw error("cannot be examined") }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw ObjectGraphError.cannotOpen(file: name, "it is not a regular file")
    }
    var bytes = ByteBuffer(capacity: Int(status.st_size) + 1)
    while true {
      // One byte more than there should be tells that it is the end.
      let rest = Int(status.st_size) + 1 - bytes.count
      let count = try bytes.append(upTo: rest > 0 ? rest : 65_536) { room in
        try retrying("cannot be read") { Glibc.read(file, room.baseAddress, room.count) }
      }
      if count == 0 { break }
    }
    seen = Stamp(status)
    seenEdges = bytes.withBytes(Self.edges)
    return bytes
  }

  // MARK: - Replacing

  /// Replaces the file, or makes it.
  ///
  /// - Throws: ``ObjectGraphError/diskFull(file:_:)``, ``ObjectGraphError/readOnly(file:_:)``,
  ///   ``ObjectGraphError/busy(file:_:)``, ``ObjectGraphError/store(file:_:)``. The old file is there then as before.
  ///   Only if the directory cannot be flushed in the end, it is the new one.
  mutating func replace(with bytes: borrowing ByteBuffer, _ synchronous: StoreOptions.Synchronous) throws {
    let newPath = newPath
    let file = try openNew(newPath)
    // Closing it gives up the lock, too: last of all.
    defer { close(file) }
    do {
      try checkUnchanged(file)
      try bytes.withBytes { try write($0, to: file) }
      if synchronous != .off {
        try retrying("cannot be flushed") { fsync(file) }
      }
      try retrying("cannot take the place of the old one") { rename(newPath, path) }
    } catch {
      unlink(newPath)
      throw error
    }
    var status = stat()
    seen = fstat(file, &status) == 0 ? Stamp(status) : nil
    seenEdges = bytes.withBytes(Self.edges)
    if synchronous == .full || synchronous == .extra { try flushDirectory() }
  }

  /// Opens the file for the next version, empty and locked.
  private func openNew(_ newPath: String) throws -> Int32 {
    while true {
      // What is there already may be another process's: it is emptied when it is ours.
      let file = try retrying("cannot be written beside") { open(newPath, O_RDWR | O_CREAT | O_CLOEXEC, 0o666) }
      do {
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
          guard errno == EWOULDBLOCK else { throw error("cannot be locked") }
          throw ObjectGraphError.busy(file: name, "another process is saving it")
        }
        var opened = stat()
        var found = stat()
        guard fstat(file, &opened) == 0 else { throw error("cannot be examined") }
        // Another process may have finished with it in the meantime.
        if stat(newPath, &found) == 0, found.st_ino == opened.st_ino {
          if opened.st_size > 0 { try retrying("cannot be emptied") { ftruncate(file, 0) } }
          return file
        }
        close(file)
      } catch {
        close(file)
        throw error
      }
    }
  }

  /// Checks that the file is the one that was read or written last, and may be written; its permissions go over.
  private func checkUnchanged(_ new: Int32) throws {
    var status = stat()
    guard stat(path, &status) == 0 else {
      // Somebody has deleted it, or it is the first save: nothing is lost by writing it.
      guard errno == ENOENT else { throw error("cannot be examined") }
      return
    }
    guard Stamp(status) == seen, try edges() == seenEdges else {
      throw ObjectGraphError.store(file: name, "somebody else has written it since it was opened here; open it again")
    }
    guard access(path, W_OK) == 0 else { throw error("it is protected") }
    try retrying("cannot be given the permissions of the old one") { fchmod(new, status.st_mode & 0o777) }
  }

  /// How many bytes at either end are compared: all formats have their checksum there.
  private static let edgeLength = 128

  /// Two saves within one tick of the clock may leave a file of the same number, size and time.
  private static func edges(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    [UInt8](bytes.prefix(edgeLength)) + [UInt8](bytes.suffix(edgeLength))
  }

  /// The file's first and last bytes.
  private func edges() throws -> [UInt8] {
    let file = try retrying("cannot be read") { open(path, O_RDONLY | O_CLOEXEC) }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw error("cannot be examined") }
    let count = min(Self.edgeLength, Int(status.st_size))
    func read(from offset: Int) throws -> ArraySlice<UInt8> {
      var bytes = [UInt8](repeating: 0, count: count)
      let length = try retrying("cannot be read") {
        bytes.withUnsafeMutableBytes { pread(file, $0.baseAddress, count, off_t(offset)) }
      }
      return bytes[..<length]
    }
    return try [UInt8](read(from: 0) + read(from: Int(status.st_size) - count))
  }

  private func write(_ bytes: UnsafeRawBufferPointer, to file: Int32) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = try retrying("cannot be written") {
        Glibc.write(file, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      }
      // A device that takes nothing and reports nothing would go on for ever.
      guard written > 0 else {
        throw ObjectGraphError.diskFull(file: name, "a write of \(rest.count) bytes wrote none")
      }
      rest = rest.dropFirst(written)
    }
  }

  private func flushDirectory() throws {
    let opened = try retrying("its directory cannot be opened") { open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    defer { close(opened) }
    try retrying("is written, but its directory cannot be flushed") { fsync(opened) }
  }

  // MARK: - Errors

  /// The result of a system call, again if it was interrupted.
  @discardableResult
  private func retrying<Result: SignedInteger>(_ what: String, _ call: () -> Result) throws -> Result {
    while true {
      let result = call()
      if result >= 0 { return result }
      guard errno == EINTR else { throw error(what) }
    }
  }

  /// The error of the last system call.
  private func error(_ what: String) -> ObjectGraphError {
    let code = errno
    let text = "\(what): \(String(cString: strerror(code))) (errno \(code))"
    return switch code {
    // A limit on the size of files is like a disk that ends there.
    case ENOSPC, EDQUOT, EFBIG: .diskFull(file: name, text)
    case EACCES, EPERM, EROFS: .readOnly(file: name, text)
    default: .store(file: name, text)
    }
  }
}
