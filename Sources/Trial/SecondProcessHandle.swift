import Foundation
import StorageContract
import StorageWorkloads

/// The handle of a second process, which a measuring process starts from this executable to work on the same store.
final class SecondProcessHandle: RunningSecondProcess {
  private let process: SpawnedProcess

  init(_ order: SecondProcessOrder, beside trial: TrialRequest, _ executable: String) throws {
    var request = trial
    (request.task, request.partner, request.parent) = (.partner, order, getpid())
    process = try SpawnedProcess([executable] + (try request.arguments()))
  }

  deinit {
    kill()
    bury()
  }

  /// Whether the second process has written its answer or closed its end of the pipe.
  var hasEnded: Bool { process.hasOutput }

  func kill() { process.kill() }

  func bury() { process.wait() }

  /// Returns the report of the second process. The process stays a zombie until this object is released. A parent must
  /// not wait for the process earlier, because the kernel then adds the child's writes to the parent's counts in
  /// /proc/PID/io (proc(5)). The suite verifies its counters by these counts.
  func report() throws -> SecondProcessReport {
    guard let response = SpawnedProcess.answer(TrialResponse.self, in: try process.readAll().output) else {
      let how =
        switch process.wait() {
        case .exited(let code): "ended with exit code \(code) and no answer"
        case .killed(let signal): "was killed by signal \(signal)"
        }
      throw StoreError.failed("the other process \(how)")
    }
    if let error = response.error("in the other process") { throw error }
    guard let report = response.partner else { throw StoreError.failed("the second process ended without a result") }
    return report
  }
}
