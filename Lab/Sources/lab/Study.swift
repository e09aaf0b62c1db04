import Foundation
import StorageBackends
import StorageContract

/// A study: `lab NAME ARGUMENTS`.
protocol Study {
  static var name: String { get }

  /// Runs the study and prints its result.
  ///
  /// - Returns: The exit code: 0, or 1 if a bound is missed or a promise is broken.
  /// - Throws: `UsageError` for invalid arguments (exit code 64). Any other error is exit code 74.
  static func run(_ arguments: [String]) throws -> Int32
}

extension Study {
  /// Runs this study again in a new process. The positions of stack, heap and libraries favour one side for the
  /// lifetime of a process.
  ///
  /// - Returns: The standard output of that process.
  /// - Throws: An error if the process cannot be started or does not exit with 0.
  static func outputOfOwnProcess(_ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = ownExecutable
    process.arguments = [name] + arguments
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

  /// The path of this executable.
  static var ownExecutable: URL { URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath() }
}

/// All studies. To add one, add its line.
enum Studies {
  static var all: [any Study.Type] {
    [Claims.self, Fidelity.self, GraphCost.self, GateResampling.self, Reproduce.self, PowerCut.self]
  }

  /// Runs the study that the first argument names, and prints an error as one sentence.
  ///
  /// - Returns: The exit code.
  static func run(_ arguments: [String]) -> Int32 {
    let name = arguments.first ?? ""
    do {
      guard let study = all.first(where: { $0.name == name }) else {
        throw UsageError("unknown study '\(name)'; give \(all.map { $0.name }.joined(separator: ", "))")
      }
      return try study.run(Array(arguments.dropFirst()))
    } catch {
      FileHandle.standardError.write(Data("scripts/lab \(name): \(error)\n".utf8))
      return error is UsageError ? 64 : 74
    }
  }
}

/// Returns the backend with an id.
///
/// - Throws: `UsageError` if there is none.
func findBackend(_ id: String) throws -> any StorageBackend.Type {
  guard let backend = Backends.all.first(where: { $0.description.id == id }) else {
    throw UsageError("there is no backend '\(id)'")
  }
  return backend
}
