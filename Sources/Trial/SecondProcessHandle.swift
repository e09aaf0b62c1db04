import Foundation
import StorageContract
import StorageWorkloads

/// A second process that works on a trial's store: this executable, started again from within the trial.
final class SecondProcessHandle: RunningSecondProcess {
  private let process: SpawnedProcess

  /// Starts the process. Should this one die, it ends, too.
  ///
  /// - Throws: ``StoreError/failed(_:)``.
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
    let data = process.readAll()
    guard let response = try? JSONDecoder().decode(TrialResponse.self, from: data) else {
      let status = process.wait()
      let how = status < 0 ? "was killed by signal \(-status)" : "ended with exit code \(status) and no answer"
      throw StoreError.failed("the other process \(how)")
    }
    if let error = response.error("in the other process") { throw error }
    guard let report = response.partner else { throw StoreError.failed("the other process told nothing") }
    return report
  }
}
