import CStorageInstrument
import Foundation
import StorageContract
import StorageWorkloads

/// A second process that works on a trial's store: this executable, started again from within the trial.
final class SecondProcessHandle: RunningSecondProcess {
  private let process: Int32
  private let output: Int32
  private var isGone = false

  /// Starts the process. Should this one die, it ends, too.
  ///
  /// - Throws: ``StoreError/failed(_:)``.
  init(_ order: SecondProcessOrder, beside trial: TrialRequest, _ executable: String) throws {
    var request = trial
    (request.task, request.partner, request.parent) = (.partner, order, getpid())
    let arguments = [executable] + (try request.arguments())
    var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
    pointers.append(nil)
    defer { pointers.forEach { free($0) } }
    var output: Int32 = -1
    process = ci_spawn(pointers, nil, &output)
    guard process > 0 else {
      throw StoreError.failed("cannot start a second process: \(String(cString: strerror(-process)))")
    }
    self.output = output
  }

  deinit {
    kill()
    bury()
    close(output)
  }

  /// It writes its answer, and closes its end, when all is done.
  var hasEnded: Bool {
    var descriptor = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
    return poll(&descriptor, 1, 0) > 0
  }

  func kill() { if !isGone { _ = Foundation.kill(process, SIGKILL) } }

  func bury() {
    guard !isGone else { return }
    isGone = true
    _ = ci_wait(process)
  }

  /// The process stays to be waited for until this is let go of: what it has written would else be counted as this one's
  /// by the kernel (proc(5), /proc/PID/io), on which the counters are checked.
  func report() throws -> SecondProcessReport {
    let data = FileHandle(fileDescriptor: output, closeOnDealloc: false).readDataToEndOfFile()
    guard let response = try? JSONDecoder().decode(TrialResponse.self, from: data) else {
      let status = isGone ? 0 : ci_wait(process)
      isGone = true
      let how = status < 0 ? "was killed by signal \(-status)" : "ended with exit code \(status) and no answer"
      throw StoreError.failed("the other process \(how)")
    }
    if let error = response.error("in the other process") { throw error }
    guard let report = response.partner else { throw StoreError.failed("the other process told nothing") }
    return report
  }
}
