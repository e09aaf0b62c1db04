import CStorageInstrument
import Foundation
import StorageContract

/// A process that is started from within a trial: posix_spawn and nothing around it, since the time from exec on is what
/// a launch workload measures.
final class SpawnedProcess {
  /// Its number.
  let identifier: Int32
  private let output: Int32
  private var status: Int32?

  /// Starts a program, given by its path as the first argument, in this process's environment.
  ///
  /// - Throws: ``StoreError/failed(_:)``.
  init(_ arguments: [String]) throws {
    var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
    pointers.append(nil)
    defer { pointers.forEach { free($0) } }
    var output: Int32 = -1
    identifier = ci_spawn(pointers, nil, &output)
    guard identifier > 0 else {
      throw StoreError.failed("cannot start a process: \(String(cString: strerror(-identifier)))")
    }
    self.output = output
  }

  deinit { close(output) }

  /// Whether it has written something, or closed its end.
  var hasOutput: Bool {
    var descriptor = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
    return poll(&descriptor, 1, 0) > 0
  }

  /// What it writes to standard output until it closes its end.
  func readAll() -> Data { FileHandle(fileDescriptor: output, closeOnDealloc: false).readDataToEndOfFile() }

  /// Sends it SIGKILL unless it is gone.
  func kill() { if status == nil { _ = Foundation.kill(identifier, SIGKILL) } }

  /// Waits for its end, once.
  ///
  /// - Returns: The exit code, or minus the signal.
  @discardableResult
  func wait() -> Int32 {
    if let status { return status }
    let ended = ci_wait(identifier)
    status = ended
    return ended
  }
}
