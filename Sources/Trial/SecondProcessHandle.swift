import Foundation
import StorageContract
import StorageWorkloads

/// A running second process that works on the same store as the measuring process.
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

  /// Whether the second process has written its report or has closed its output.
  var hasEnded: Bool { process.hasOutput }

  func kill() { process.kill() }

  func bury() { process.wait() }

  /// Waits for the report of the second process and returns it.
  func report() throws -> SecondProcessReport {
    // The process stays a zombie until this object is released. After waitpid, the kernel would add its writes to those
    // of the parent in /proc/PID/io (proc(5)).
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
