/// A task that a child process runs instead of the program's main. The parent process passes the task as JSON, and the
/// child finds the task's type by name; see ``ChildLaunch/name(of:)``.
protocol ChildTask: Codable, SendableMetatype {
  /// Runs the task before main, while there is only one thread. A process that ends without calling
  /// ``ChildProcess/answer(_:)`` counts as crashed.
  func perform(in child: ChildProcess)
}

/// A request to a child process to run a task, passed in the environment variable `CI_CHILD_REQUEST`.
struct ChildRequest: Codable {
  static let variable = "CI_CHILD_REQUEST"

  var type: String
  var task: String
  /// The directory that contains all directories of the child process; see ``ChildDirectories``.
  var directory: String
  /// The timeout of the child process, in seconds.
  var limit: Int
}

/// The file system on which a child process runs its task.
enum ChildDisk {
  /// The file system on which the child's directories already are. Nothing is mounted.
  case any
  /// A private in-memory file system of this size in bytes, where syncs cost nothing. If the machine cannot mount one,
  /// the task runs as with ``any``.
  case inMemoryIfPossible(UInt64)
  /// A private in-memory file system of this size in bytes. If the machine cannot mount one, the task does not run.
  case own(UInt64)
}
