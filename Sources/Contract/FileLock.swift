import Foundation

/// A lock between processes, made by flock(2) on a file. The kernel releases the lock when the process that holds it
/// dies.
public final class FileLock {
  private let descriptor: Int32
  private let name: String

  /// Opens the lock file, or creates it if it is missing. The file stays empty.
  ///
  /// - Throws: ``StoreError``.
  public init(at path: String) throws {
    name = path.split(separator: "/").last.map(String.init) ?? path
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw StoreError.failed("opening \(name): \(String(cString: strerror(errno)))") }
  }

  deinit { close(descriptor) }

  /// Runs `body` while this process holds an exclusive lock, for which other processes wait until the closure has
  /// ended.
  ///
  /// - Throws: The closure's error; ``StoreError/failed(_:)`` if the lock file cannot be locked.
  public func exclusively<Result>(_ body: () throws -> Result) throws -> Result { try holding(LOCK_EX, body) }

  /// Runs `body` while this process holds a shared lock. Other processes can also get a shared lock, but no exclusive
  /// one.
  ///
  /// - Throws: The same errors as ``exclusively(_:)``.
  public func shared<Result>(_ body: () throws -> Result) throws -> Result { try holding(LOCK_SH, body) }

  private func holding<Result>(_ kind: Int32, _ body: () throws -> Result) throws -> Result {
    while flock(descriptor, kind) != 0 {
      guard errno == EINTR else {
        throw StoreError.failed(
          "\(name) cannot be locked: \(String(cString: strerror(errno))); "
            + "put the store on a file system with file locks")
      }
    }
    defer { _ = flock(descriptor, LOCK_UN) }
    return try body()
  }
}
