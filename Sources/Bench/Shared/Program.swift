import Foundation

/// The program that the user started: `storage-bench`, or another program with additional backends.
enum Program {
  static let name: String = {
    let name = URL(fileURLWithPath: CommandLine.arguments.first ?? "").lastPathComponent
    return name.isEmpty || name == "/" ? "storage-bench" : name
  }()

  /// Returns the arguments of this process without the name of the command.
  static func arguments(of command: String?) -> [String] {
    let arguments = CommandLine.arguments.dropFirst()
    return Array(arguments.first == command ? arguments.dropFirst() : arguments)
  }

  static var command: [String] { [name] + CommandLine.arguments.dropFirst() }
}
