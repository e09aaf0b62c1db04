import Foundation

/// A property list that is read whole and replaced whole: at any time there is the old file or the new one.
///
/// The new one is written beside it, under a name that is always the same, so that a killed process leaves at most
/// one behind, and the next save takes it over. The lock on it keeps two processes from writing it at once.
struct AtomicStoreFile {
  /// The name, for messages.
  let name: String
  private let path: String
  private let format: PropertyListSerialization.PropertyListFormat
  /// The checksum of its bytes when they were read or written last, or nil if there was no file.
  private var seen: UInt64?

  init(at url: URL, _ type: StoreType) {
    // A link must not be replaced by a file.
    path = StoreLocation(url: url).path
    name = url.lastPathComponent
    format = type == .xml ? .xml : .binary
  }

  private var directory: String { URL(fileURLWithPath: path).deletingLastPathComponent().path }

  /// The contents of the file, or nil if there is none.
  ///
  /// - Throws: ``ObjectGraphError``, also if its directory is not there.
  mutating func load() throws -> StoreContents? {
    seen = nil
    guard let bytes = try read() else { return nil }
    seen = Checksum.of(bytes)
    return try StorePropertyList.contents(of: bytes, format, file: name)
  }

  /// Replaces the file, or makes it.
  ///
  /// - Throws: ``ObjectGraphError/diskFull(file:_:)``, ``ObjectGraphError/readOnly(file:_:)``,
  ///   ``ObjectGraphError/busy(file:_:)``, ``ObjectGraphError/store(file:_:)``. The old file is there then as before.
  ///   Only if the directory cannot be flushed in the end, it is the new one.
  mutating func save(_ contents: StoreContents, _ synchronous: StoreOptions.Synchronous) throws {
    let bytes = try StorePropertyList(contents).encoded(format)
    let newPath = "\(directory)/.\(URL(fileURLWithPath: path).lastPathComponent).new"
    let file = try openNew(newPath)
    // Closing it gives up the lock, too: last of all.
    defer { close(file) }
    do {
      try checkUnchanged(file)
      try bytes.withUnsafeBytes { try write($0, to: file) }
      if synchronous != .off { try retrying("cannot be flushed") { fsync(file) } }
      try retrying("cannot take the place of the old one") { rename(newPath, path) }
    } catch {
      unlink(newPath)
      throw error
    }
    seen = Checksum.of(bytes)
    guard synchronous == .full || synchronous == .extra else { return }
    let opened = try retrying("its directory cannot be opened") { open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    defer { close(opened) }
    try retrying("is written, but its directory cannot be flushed") { fsync(opened) }
  }

  private func read() throws -> Data? {
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
    do {
      return try FileHandle(fileDescriptor: file, closeOnDealloc: false).readToEnd() ?? Data()
    } catch {
      throw ObjectGraphError.store(file: name, "cannot be read: \(error.localizedDescription)")
    }
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
    // If somebody has deleted it, or it is the first save, nothing is lost by writing it.
    guard let bytes = try read() else { return }
    // Its time and size would not do: two saves within one tick of the clock may leave the same.
    guard Checksum.of(bytes) == seen else {
      throw ObjectGraphError.store(file: name, "somebody else has written it since it was opened here; open it again")
    }
    guard access(path, W_OK) == 0 else { throw error("it is protected") }
    var status = stat()
    guard stat(path, &status) == 0 else { throw error("cannot be examined") }
    try retrying("cannot be given the permissions of the old one") { fchmod(new, status.st_mode & 0o777) }
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
