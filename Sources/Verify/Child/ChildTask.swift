/// A task that a child process runs instead of the program's `main` function. The child finds the type by its name, so
/// the type must not be private.
protocol ChildTask: Codable, SendableMetatype {
  /// Runs the task in the child process. A child process that ends without calling ``ChildProcess/answer(_:)`` counts
  /// as crashed. The text of a thrown error becomes ``ChildLaunch/Ending/obstacle``.
  func perform(in child: ChildProcess) throws
}

/// The answer of a child process that could not run its task, for example because a file system cannot be mounted.
struct ChildObstacle: Error, Codable, CustomStringConvertible {
  var obstacle: String

  var description: String { obstacle }
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
struct ChildDisk {
  /// The bytes of a private file system in memory. With 0, none is mounted, and the existing one is used.
  let bytes: UInt64
  /// Whether the child process does not run its task if mounting fails. Otherwise, it uses the existing file system.
  let isNeeded: Bool

  static let any = ChildDisk(bytes: 0, isNeeded: false)

  static func own(_ bytes: UInt64) -> ChildDisk { ChildDisk(bytes: bytes, isNeeded: true) }
}
