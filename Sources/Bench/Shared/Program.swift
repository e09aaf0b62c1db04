import Foundation

/// The program that people started: `storage-bench`, or one of their own with backends of their own.
enum Program {
  /// Its name, as messages and printed commands have it; where the executable lies says nothing.
  static let name: String = {
    let name = URL(fileURLWithPath: CommandLine.arguments.first ?? "").lastPathComponent
    return name.isEmpty || name == "/" ? "storage-bench" : name
  }()

  /// The arguments of this process's command.
  ///
  /// - Parameter command: The command's name. It may be missing: `run` is the default.
  static func arguments(of command: String?) -> [String] {
    let arguments = CommandLine.arguments.dropFirst()
    return Array(arguments.first == command ? arguments.dropFirst() : arguments)
  }

  /// The command line that this process was started with.
  static var command: [String] { [name] + CommandLine.arguments.dropFirst() }
}
