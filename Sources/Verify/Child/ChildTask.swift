/// A task that a child process runs instead of main. The child finds the type by its name, so the type must not be
/// private.
protocol ChildTask: Codable, SendableMetatype {
  /// Runs the task before main, on the only thread. A process that ends without ``ChildProcess/answer(_:)`` counts as
  /// crashed.
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
  /// The file system of the child's directories. No private file system is mounted.
  case any
  /// A private file system in memory, of this size in bytes. If mounting fails, the task runs as with ``any``.
  case inMemoryIfPossible(UInt64)
  /// A private file system in memory, of this size in bytes. If mounting fails, the task does not run.
  case own(UInt64)
}
