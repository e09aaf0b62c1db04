/// A task that a child process runs in place of the program's main. The parent passes the task as JSON. The child finds
/// the type of the task by name; see ``ChildLaunch/name(of:)``.
protocol ChildTask: Codable, SendableMetatype {
  /// Runs the task in the child process, before main and while there is only one thread. A child that ends without
  /// calling ``ChildProcess/answer(_:)`` counts as crashed.
  func perform(in child: ChildProcess)
}

/// A request to a child process to run a task, passed in the environment variable `CI_CHILD_REQUEST`.
struct ChildRequest: Codable {
  static let variable = "CI_CHILD_REQUEST"

  /// The mangled name of the task's type.
  var type: String
  /// The task, as JSON.
  var task: String
  /// The directory that contains all directories of the child process; see ``ChildDirectories``.
  var directory: String
  /// The timeout of the child process, in seconds.
  var limit: Int
}

/// The file system on which a child process runs its task.
enum ChildDisk {
  /// The file system that has the child's directories already. Nothing is mounted.
  case any
  /// A private in-memory file system of this size in bytes, where syncs cost nothing. If the machine cannot mount one,
  /// the task runs as with ``any``.
  case inMemoryIfPossible(UInt64)
  /// A private in-memory file system of this size in bytes. If the machine cannot mount one, the task does not run.
  case own(UInt64)
}
