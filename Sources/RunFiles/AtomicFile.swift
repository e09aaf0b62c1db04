import Foundation

/// A file of a run or of a report could not be written. It names the file.
public struct FileWriteError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The file or directory.
  public let path: String
  /// What the system said.
  public let reason: String

  /// What to do about it, or nil where the reason says it.
  public let advice: String?

  /// The sentence for people.
  public var description: String { "cannot write \(path): \(reason)" + (advice.map { "; \($0)" } ?? "") }

  /// Creates an error.
  public init(path: String, reason: String, advice: String? = nil) {
    self.path = path
    self.reason = reason
    self.advice = advice
  }
}

/// Writes files so that a reader finds either the old content or the whole new one.
///
/// The text goes into a temporary file beside the target, which takes the target's name at the end.
package enum AtomicFile {
  /// Writes a file whose text is at hand.
  ///
  /// - Throws: ``FileWriteError``.
  package static func write(_ text: String, to url: URL) throws {
    try stream(to: url) { try $0.append(text) }
  }

  /// Writes a file bit by bit. If the body throws, nothing is left behind.
  ///
  /// - Throws: ``FileWriteError``, and what the body throws.
  package static func stream(to url: URL, _ body: (Output) throws -> Void) throws {
    let directory = url.deletingLastPathComponent()
    let temporary = directory.appendingPathComponent(
      ".\(url.lastPathComponent).\(ProcessInfo.processInfo.processIdentifier).tmp")
    do {
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    } catch {
      throw FileWriteError(path: directory.path, reason: reason(of: error))
    }
    removeLeftovers(of: url.lastPathComponent, in: directory)
    let descriptor = open(temporary.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      throw FileWriteError(path: url.path, reason: String(cString: strerror(errno)))
    }
    let output = Output(handle: FileHandle(fileDescriptor: descriptor, closeOnDealloc: true), path: url.path)
    do {
      try body(output)
      try output.flush()
      try? output.handle.close()
      guard rename(temporary.path, url.path) == 0 else {
        throw FileWriteError(path: url.path, reason: String(cString: strerror(errno)))
      }
    } catch {
      unlink(temporary.path)
      throw error
    }
  }

  /// Removes what processes have left beside a file that were killed while they wrote it.
  private static func removeLeftovers(of name: String, in directory: URL) {
    let (prefix, suffix) = (".\(name).", ".tmp")
    for other in (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
    where other.hasPrefix(prefix) && other.hasSuffix(suffix) {
      guard let process = Int32(other.dropFirst(prefix.count).dropLast(suffix.count)), kill(process, 0) != 0,
        errno == ESRCH
      else { continue }
      unlink(directory.appendingPathComponent(other).path)
    }
  }

  /// Where a streamed file's text goes.
  package final class Output {
    fileprivate let handle: FileHandle
    fileprivate let path: String
    private var buffer: [UInt8] = []

    fileprivate init(handle: FileHandle, path: String) {
      self.handle = handle
      self.path = path
      buffer.reserveCapacity(1 << 17)
    }

    /// Adds text.
    package func append(_ text: String) throws {
      if text.utf8.count >= 1 << 16 {
        // A page of tens of megabytes is not copied to be written.
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

  /// The system's own words where there are some: Foundation's are long and name the path again.
  package static func reason(of error: any Error) -> String {
    var inner: NSError? = error as NSError
    while let current = inner {
      if current.domain == NSPOSIXErrorDomain { return String(cString: strerror(Int32(current.code))) }
      inner = current.userInfo[NSUnderlyingErrorKey] as? NSError
    }
    return "\((error as NSError).localizedDescription)"
  }
}
