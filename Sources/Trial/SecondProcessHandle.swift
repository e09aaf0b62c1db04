import Foundation
import StorageContract
import StorageWorkloads

/// A second process that works on a trial's store: this executable, started again from within the trial.
final class SecondProcessHandle: RunningSecondProcess {
  private let process: SpawnedProcess

  /// Starts the process. Should this one die, it ends, too.
  ///
  /// - Throws: `SpawnedProcess.StartError`.
  init(_ order: SecondProcessOrder, beside trial: TrialRequest, _ executable: String) throws {
    var request = trial
    (request.task, request.partner, request.parent) = (.partner, order, getpid())
    process = try SpawnedProcess([executable] + (try request.arguments()))
  }

  deinit {
    kill()
    bury()
  }

  /// It writes its answer, and closes its end, when all is done.
  var hasEnded: Bool { process.hasOutput }

  func kill() { process.kill() }

  func bury() { process.wait() }

  /// The process stays to be waited for until this is let go of: what it has written would else be counted as this one's
  /// by the kernel (proc(5), /proc/PID/io), on which the counters are checked.
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
    guard let report = response.partner else { throw StoreError.failed("the other process told nothing") }
    return report
  }
}
