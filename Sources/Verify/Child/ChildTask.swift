/// A task for a child process, which runs it in place of its program. The task travels as JSON. The child finds it by
/// the name of its type; see ``ChildLaunch/name(of:)``.
protocol ChildTask: Codable, SendableMetatype {
  /// Runs the task in the child, before main and while there is one thread. A child that ends without an answer by
  /// ``ChildProcess/answer(_:)`` counts as crashed.
  func perform(in child: ChildProcess)
}

/// The request to a child process, passed in the environment variable `CI_CHILD_REQUEST`.
struct ChildRequest: Codable {
  static let variable = "CI_CHILD_REQUEST"

  /// The mangled name of the task's type.
  var type: String
  /// The task, as JSON.
  var task: String
  /// The directory of the task's files; see ``ChildDirectories``.
  var directory: String
  /// The timeout of the process, in seconds.
  var limit: Int
}

/// The file system that a process works on.
enum ChildDisk {
  /// The file system of the directory.
  case any
  /// An in-memory file system of the given size in bytes, private to this process, if the machine allows it. Syncs
  /// cost nothing there.
  case inMemoryIfPossible(UInt64)
  /// The same file system, which the task requires.
  case own(UInt64)
}
