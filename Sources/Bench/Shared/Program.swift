import Foundation

/// The program that the user started: `storage-bench`, or another program with its own backends.
enum Program {
  /// The name of the program, for messages and printed commands, without the path.
  static let name: String = {
    let name = URL(fileURLWithPath: CommandLine.arguments.first ?? "").lastPathComponent
    return name.isEmpty || name == "/" ? "storage-bench" : name
  }()

  /// Returns the arguments of this process's command.
  ///
  /// - Parameter command: The name of the command. It may be missing, because `run` is the default.
  static func arguments(of command: String?) -> [String] {
    let arguments = CommandLine.arguments.dropFirst()
    return Array(arguments.first == command ? arguments.dropFirst() : arguments)
  }

  static var command: [String] { [name] + CommandLine.arguments.dropFirst() }
}
