/// A task that a child process runs instead of the program's `main` function. The child finds the type by its name, so
/// the type must not be private.
protocol ChildTask: Codable, SendableMetatype {
  /// Runs the task in the child process. A child process that ends without calling ``ChildProcess/answer(_:)`` counts
  /// as crashed.
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
  /// The file system that already contains the directories of the child process. No private file system is mounted.
  case any
  /// A private file system in memory, of this size in bytes. If mounting fails, the child process uses the existing
  /// file system instead.
  case inMemoryIfPossible(UInt64)
  /// A private file system in memory, of this size in bytes. If mounting fails, the child process does not run its
  /// task.
  case own(UInt64)
}
