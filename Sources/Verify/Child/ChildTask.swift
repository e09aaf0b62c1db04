/// A task that a child process runs instead of the program's main. The parent process sends the task as JSON. The child
/// finds the task's type by name, so the type must not be private.
protocol ChildTask: Codable, SendableMetatype {
  /// Runs the task in the child process, before the program's main and while there is only one thread. A process that
  /// ends without a call of ``ChildProcess/answer(_:)`` counts as crashed.
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
  /// The file system on which the parent process has created the directories of the child process. No private file
  /// system is mounted for the task.
  case any
  /// A private file system in memory, of this size in bytes. If the machine cannot mount it, the task runs as with
  /// ``any``.
  case inMemoryIfPossible(UInt64)
  /// A private file system in memory, of this size in bytes. If the machine cannot mount it, the task does not run.
  case own(UInt64)
}
