import Foundation
import StorageContract

/// The error for a file of a run or report that could not be written.
public struct FileWriteError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The path of the file or directory that could not be written.
  public let path: String
  /// The reason why the file could not be written, as an error message of the system.
  public let reason: String

  /// The advice to the user on a file that could not be written, such as `free some space`.
  public let advice: String

  /// The error message for the user.
  public var description: String { "cannot write \(path): \(reason); \(advice)" }

  /// Creates an error for a file or directory that could not be written.
  public init(path: String, reason: String, advice: String = "check that the directory is writable and has free space")
  {
    self.path = path
    self.reason = reason
    self.advice = advice
  }
}

/// A writer that replaces only files of this program. A new file is renamed into place, so readers never see an
/// incomplete file.
package enum AtomicFile {
  /// The number of bytes read from the start of a file, to check whether this program has written the file.
  package static let headLength = 1 << 16

  package static func write(_ text: String, to url: URL, replacing isOwn: (Data) -> Bool) throws {
    try stream(to: url, replacing: isOwn) { try $0.append(text) }
  }

  /// Writes a file in parts, and creates its directory if missing. After an error, an existing file is unchanged.
  ///
  /// - Parameter isOwn: Returns whether this program wrote the existing file, judged by the file's first bytes.
  /// - Throws: `UsageError` if the file may not be replaced; ``FileWriteError`` if writing fails; errors of `body`.
  package static func stream(to url: URL, replacing isOwn: (Data) -> Bool, _ body: (Output) throws -> Void) throws {
    let directory = url.deletingLastPathComponent()
    try OwnedDirectory.make(directory.path)
    removeLeftovers(in: directory.path)
    let isThere = try isReplaceable(url, isOwn)
    let temporary = "\(directory.path)/\(temporaryName())"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      throw FileWriteError(path: url.path, reason: String(cString: strerror(errno)))
    }
    Remains.add(temporary)
    defer { Remains.forget(temporary) }
    let output = Output(handle: FileHandle(fileDescriptor: descriptor, closeOnDealloc: true), path: url.path)
    do {
      try body(output)
      try output.flush()
      try? output.handle.close()
      try publish(temporary, at: url, isThere: isThere)
    } catch {
      unlink(temporary)
      throw error
    }
  }

  @discardableResult
  package static func isReplaceable(_ url: URL, _ isOwn: (Data) -> Bool) throws -> Bool {
    guard let status = OwnedDirectory.lstat(url.path) else { return false }
    guard status.st_mode.isRegularFile else {
      let isLink = status.st_mode & S_IFMT == S_IFLNK
      let kind = status.st_mode.isDirectory ? "a directory" : isLink ? "a link" : "not a regular file"
      throw UsageError("\(url.path) is \(kind), so it is not replaced; move it away, or give another name")
    }
    guard isOwn(head(of: url)) else {
      throw UsageError(
        "\(url.path) exists and was not written by storage-bench; move it away, or give another name or directory")
    }
    return true
  }

  package static func remove(_ url: URL, where isOwn: (Data) -> Bool) {
    guard (try? isReplaceable(url, isOwn)) == true else { return }
    unlink(url.path)
  }

  package static func head(of url: URL) -> Data {
    let handle = try? FileHandle(forReadingFrom: url)
    return (try? handle?.read(upToCount: headLength)) ?? Data()
  }

  /// Opens a file for reading and appending. A missing file is created, and a link is not followed.
  ///
  /// - Throws: `UsageError` if the path exists and is not a regular file; ``FileWriteError`` if it cannot be opened.
  package static func openForAppending(_ path: String) throws -> Int32 {
    let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      let error = errno
      if error == ELOOP {
        throw UsageError("\(path) is a link, which is not followed; replace it with the file that it links to")
      }
      // open() fails with EISDIR for a directory, and with ENXIO for a socket.
      if error == EISDIR || error == ENXIO { throw irregular(path) }
      let reason = String(cString: strerror(error))
      throw error == EACCES
        ? FileWriteError(path: path, reason: reason, advice: "check its permissions and its directory's")
        : FileWriteError(path: path, reason: reason)
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode.isRegularFile else {
      close(descriptor)
      throw irregular(path)
    }
    return descriptor
  }

  private static func irregular(_ path: String) -> UsageError {
    UsageError("\(path) is not a regular file; put the file that `run` has written in its place, or make a new run")
  }

  private static func publish(_ temporary: String, at url: URL, isThere: Bool) throws {
    if !isThere {
      // A file that another program has created in the meantime is not replaced.
      if link(temporary, url.path) == 0 {
        unlink(temporary)
        return
      }
      guard errno != EEXIST else {
        throw UsageError(
          "\(url.path) was created by another program in the meantime; move it away, or give another name")
      }
      // Some file systems do not support hard links.
    }
    guard rename(temporary, url.path) == 0 else {
      throw FileWriteError(path: url.path, reason: String(cString: strerror(errno)))
    }
  }

  private static let prefix = ".storage-bench-"
  /// The end of the names of temporary files. The names of temporary directories lack it.
  package static let suffix = ".tmp"

  /// Returns a new name for a temporary file of this process or, with an empty `suffix`, for a temporary directory.
  package static func temporaryName(suffix: String = suffix) -> String {
    let number = PathNumber.text(UInt32.random(in: 0 ... .max), digits: 8, radix: 16)
    return "\(prefix)\(PathNumber.process)-\(number)\(suffix)"
  }

  /// Returns the process id in the name of a temporary file or, with an empty `suffix`, of a temporary directory. Nil
  /// for another name.
  package static func writer(of name: String, suffix: String = suffix) -> Int32? {
    guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return nil }
    let parts = name.dropFirst(prefix.count).dropLast(suffix.count)
      .split(separator: "-", omittingEmptySubsequences: false)
    return parts.count == 2 && parts[1].count == 8 && parts[1].allSatisfy(\.isHexDigit) ? Int32(parts[0]) : nil
  }

  package static func removeLeftovers(in directory: String) {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? [] {
      guard let process = writer(of: name), kill(process, 0) != 0, errno == ESRCH,
        OwnedDirectory.lstat("\(directory)/\(name)")?.st_mode.isRegularFile == true
      else { continue }
      unlink("\(directory)/\(name)")
    }
  }

  package final class Output {
    fileprivate let handle: FileHandle
    fileprivate let path: String
    private var buffer: [UInt8] = []

    fileprivate init(handle: FileHandle, path: String) {
      self.handle = handle
      self.path = path
      buffer.reserveCapacity(1 << 17)
    }

    package func append(_ bytes: Data) throws {
      try flush()
      try bytes.withUnsafeBytes { try write($0.bindMemory(to: UInt8.self)) }
    }

    package func append(_ text: String) throws {
      if text.utf8.count >= 1 << 16 {
        // Large texts, such as a page of tens of megabytes, are written without copying.
        try flush()
        var text = text
        try text.withUTF8 { try write($0) }
      } else {
        buffer.append(contentsOf: text.utf8)
        if buffer.count >= 1 << 16 { try flush() }
      }
    }

    fileprivate func flush() throws {
      try buffer.withUnsafeBufferPointer { try write($0) }
      buffer.removeAll(keepingCapacity: true)
    }

    private func write(_ bytes: UnsafeBufferPointer<UInt8>) throws {
      do {
        try handle.write(contentsOf: bytes)
      } catch {
        throw FileWriteError(path: path, reason: AtomicFile.reason(of: error))
      }
    }
  }

  package static func contents(_ path: String) throws -> Data {
    try reading(path) { try Data(contentsOf: URL(fileURLWithPath: path)) }
  }

  /// Runs `body`, which reads a file or a directory. An error of `body` becomes a `UsageError` that names the path.
  static func reading<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch {
      throw UsageError("cannot read \(path): \(reason(of: error))")
    }
  }

  /// Returns the system's short message for an error or, without one, Foundation's longer message.
  package static func reason(of error: any Error) -> String {
    var inner: NSError? = error as NSError
    while let current = inner {
      if current.domain == NSPOSIXErrorDomain { return String(cString: strerror(Int32(current.code))) }
      inner = current.userInfo[NSUnderlyingErrorKey] as? NSError
    }
    return "\((error as NSError).localizedDescription)"
  }
}
