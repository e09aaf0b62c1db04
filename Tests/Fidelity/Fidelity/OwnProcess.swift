import Foundation
import StorageContract

/// This program once more, in a process of its own: where stack, heap and libraries happen to lie favours one side for
/// as long as a process lives.
enum OwnProcess {
  /// What it prints.
  ///
  /// - Throws: Where it cannot be started, or does not end with 0.
  static func output(_ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw StoreError.failed("a process of its own, started with \(arguments.joined(separator: " ")), has failed")
    }
    return text
  }
}
