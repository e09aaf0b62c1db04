/// What a process does that was started for it, in place of its program: a conformer knows what, and takes it there and
/// back as JSON. The process finds it by the name of its type, see ``ChildLaunch/name(of:)``.
protocol ChildTask: Codable, SendableMetatype {
  /// Does the task in the new process, before main and while there is one thread. What it does not answer by
  /// ``ChildProcess/answer(_:)`` the process that started it takes for a crash.
  func perform(in child: ChildProcess)
}

/// What a process is asked to do, in the environment variable `CI_CHILD_REQUEST`.
struct ChildRequest: Codable {
  static let variable = "CI_CHILD_REQUEST"

  /// The mangled name of the task's type.
  var type: String
  /// The task, as JSON.
  var task: String
  /// Where everything of the task lies; see ``ChildPlaces``.
  var directory: String
  /// Seconds that the process may take.
  var limit: Int
}

/// The file system that a process works on.
enum ChildDisk {
  /// The directory's.
  case any
  /// One in memory of so many bytes, seen by this process alone, if the machine allows it; syncs cost nothing there.
  case inMemoryIfPossible(UInt64)
  /// The same, without which the task cannot be done.
  case own(UInt64)
}
