import CStorageInstrument
import Foundation
import StorageContract

/// Runs the task of a child process and ends the process. CStorageInstrument calls this function before the program's
/// main.
@_cdecl("ci_main_of_child")
func mainOfChild(_ request: UnsafePointer<CChar>) { ChildProcess.run(String(cString: request)) }

/// The child process in which this code runs. A test starts each child process for one task, and continues if the child
/// crashes or hangs.
struct ChildProcess {
  /// The exit code of a child process that exceeded its timeout and ended itself.
  private static let hangStatus: Int32 = 113
  static let hang = SpawnedProcess.Ending.exited(code: hangStatus)
  /// The exit code of a child process that cannot read its request, for example because the program lacks the requested
  /// type.
  static let requestStatus: Int32 = 64

  let directories: ChildDirectories
  private let limit: Int
  private let answers: AnswerStream

  fileprivate static func run(_ text: String) -> Never {
    let answers = AnswerStream()
    do {
      let request = try JSONDecoder().decode(ChildRequest.self, from: Data(text.utf8))
      guard let type = _typeByName(request.type) as? any ChildTask.Type else {
        throw UsageError(
          "the child process has no type \(request.type), its task; do not rebuild the program during a test")
      }
      let task = try JSONDecoder().decode(type, from: Data(request.task.utf8))
      let child = ChildProcess(
        directories: ChildDirectories(directory: request.directory), limit: request.limit, answers: answers)
      do {
        try task.perform(in: child)
      } catch {
        child.answer(ChildObstacle(obstacle: "\(error)"))
      }
      _exit(0)
    } catch {
      let reason =
        error as? UsageError
        ?? UsageError(
          "the child process cannot read its task; do not rebuild the program during a test, "
            + "and unset \(ChildRequest.variable)")
      FileHandle.standardError.write(Data("\(reason)\n".utf8))
      _exit(requestStatus)
    }
  }

  func answer(_ answer: some Encodable) { answers.write(answer) }

  /// Redirects this child process's output to files, mounts `disk` and starts the timeout. Must be called before other
  /// threads start. Throws ``ChildObstacle`` if a required disk cannot be mounted.
  func confine(to disk: ChildDisk) throws {
    redirect()
    try mount(disk)
    chdir(directories.current)
    limitTime()
  }

  /// Redirects the output and starts the timeout, for a task that forks. Starts no thread and mounts nothing.
  func confineBeforeForks() {
    redirect()
    chdir(directories.current)
    ci_limit_lifetime(UInt32(limit))
  }

  private func redirect() {
    for (path, descriptor) in [(directories.output, Int32(1)), (directories.errors, 2)] {
      let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
      if file >= 0 {
        dup2(file, descriptor)
        close(file)
      }
    }
  }

  private func mount(_ disk: ChildDisk) throws {
    guard disk.bytes > 0 else { return }
    let error = ci_mount_private(directories.root, disk.bytes)
    if error == 0 {
      try directories.make()
    } else if disk.isNeeded {
      throw ChildObstacle(
        obstacle: "a test file system cannot be mounted here: \(String(cString: strerror(error)))")
    }
  }

  /// Ends this process after its timeout. The time in which this process waits for a free processor is not counted.
  private func limitTime() {
    let limit = Double(limit)
    Thread.detachNewThread {
      var ticks = 0
      while Double(ticks) / 10 - Double(ci_time_waited()) / 1e9 < limit {
        ci_sleep(100_000_000)
        ticks += 1
      }
      _exit(Self.hangStatus)
    }
  }
}
