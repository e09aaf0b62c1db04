import CStorageInstrument
import Foundation
import StorageContract

/// Starts a process from within a trial and waits for it: posix_spawn and nothing around it, since the time from
/// exec on is what a launch workload measures.
enum ChildProcess {
  /// Runs a program, given by its path as the first argument, in this process's environment.
  ///
  /// - Returns: The wait status, 0 for success, and what the program wrote to standard output.
  static func run(_ arguments: [String]) throws -> (status: Int32, output: Data) {
    var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
    pointers.append(nil)
    defer { pointers.forEach { free($0) } }
    var output: Int32 = -1
    let process = ci_spawn(pointers, nil, &output)
    guard process > 0 else {
      throw StoreError.failed("cannot start a process: \(String(cString: strerror(Int32(-process))))")
    }
    let handle = FileHandle(fileDescriptor: output, closeOnDealloc: true)
    let data = handle.readDataToEndOfFile()
    return (ci_wait(process), data)
  }
}
