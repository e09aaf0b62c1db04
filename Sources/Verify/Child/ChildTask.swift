/// A task for a child process, which runs it in place of its program. The task is passed as JSON. The child finds the
/// task by the name of its type; see ``ChildLaunch/name(of:)``.
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
  /// The file system that holds the directories of the process.
  case any
  /// A private in-memory file system of the given size in bytes, if the machine allows it. Syncs cost nothing in it.
  case inMemoryIfPossible(UInt64)
  /// A private in-memory file system of the given size in bytes, without which the task cannot run.
  case own(UInt64)
}
