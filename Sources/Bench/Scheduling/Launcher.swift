import Foundation
import StorageContract
import StorageTrial

enum LaunchOutcome: Sendable, Equatable {
  case answered(TrialResponse)
  case killed(signal: Int32)
  /// The process ended without an answer. `errors` is its output on standard error.
  case exited(code: Int32, errors: String)
  case exceededLimit
}

protocol TrialLauncher: Sendable {
  /// Runs a request in a new process.
  ///
  /// - Parameters:
  ///   - limit: The limit after which the process is killed. With a gate, the time counts from the gate's opening;
  ///     before that, ``LaunchLimit/preparing`` applies.
  ///   - turn: The gate at which the process waits before timing; nil to start at once.
  /// - Throws: `CancellationError` if the task was cancelled; the process has then ended.
  func launch(_ request: TrialRequest, limit: LaunchLimit, turn: TrialGate?) async throws -> LaunchOutcome
}

/// A launcher that starts this executable again for each measuring process.
struct ProcessLauncher: TrialLauncher {
  let executable: String
  private let file: String?

  init(executable: String) {
    self.executable = executable
    file = ProcessInfo.version(of: executable)
  }

  func launch(_ request: TrialRequest, limit: LaunchLimit, turn: TrialGate?) async throws -> LaunchOutcome {
    guard ProcessInfo.version(of: executable) == file else {
      turn?.end()
      turn?.giveUp()
      throw ExitStatus.Failure(
        ExitStatus.ioError,
        "\(executable) was replaced while it was running, and figures of two builds do not belong in one run; "
          + "begin a new run, or resume with the earlier executable")
    }
    var request = request
    if turn != nil { request.hasTurn = true }
    switch limit {
    case .duration(let limit):
      // The lifetime ends a process whose parent has died. It allows for the processes timed before this one.
      request.lifetime = Int(limit / 1_000_000_000) * (turn == nil ? 1 : 1 + Parallelism.trialsAhead) + 10
    case .silence: (request.lifetime, request.parent) = (86_400, getpid())
    }
    // A control group can be removed only without processes, so the process ends with its parent.
    if request.group != nil { request.parent = getpid() }
    let arguments = [executable] + (try request.arguments())
    let environment = request.environment
    let directory = request.directory
    return try await withThrowingTaskGroup(of: LaunchOutcome?.self) { group in
      group.addTask {
        // Tasks that wait for the gate must also continue if the process could not be started.
        defer {
          turn?.end()
          turn?.giveUp()
        }
        // In a separate process group, Ctrl-C reaches only the parent, which then ends the child in order.
        let process = try SpawnedProcess(
          arguments, environment: environment, streams: [0: .pipe, 1: .pipe, 2: .pipe], leadsGroup: true)
        turn?.started { $0 ? process.pause() : process.resume() }
        async let begun: Void = Self.begin(turn, process)
        let outcome = try await process.attend { try Self.outcome(of: $0, turn) }
        await begun
        return outcome
      }
      group.addTask {
        if let turn {
          if let limit = limit.preparing, !(await turn.isPrepared(within: limit)) { return nil }
          await turn.beginning.hasHappened()
        }
        try? await limit.wait(directory: directory)
        return nil
      }
      return try await withTaskCancellationHandler {
        let first = try await group.next() ?? nil
        // A process that is ended early must not wait for its gate.
        turn?.giveUp()
        group.cancelAll()
        // The cancelled process must have ended before its directory is removed.
        while (try? await group.next()) != nil {}
        try Task.checkCancellation()
        return first ?? .exceededLimit
      } onCancel: {
        // No task may wait for a gate that will not open.
        turn?.giveUp()
      }
    }
  }

  /// Waits until a process may start timing, then closes the standard input of the process as the signal: see
  /// ``ClockGate``.
  private static func begin(_ turn: TrialGate?, _ process: SpawnedProcess) async {
    await turn?.beginning.hasHappened()
    process.closeInput()
  }

  /// Waits for a process, and returns its outcome. With a gate, the process prints an empty line when its store is
  /// prepared, and another when timing has ended.
  private static func outcome(of process: SpawnedProcess, _ turn: TrialGate?) throws -> LaunchOutcome {
    let (output, errors) = try read(process, turn)
    switch process.wait() {
    case .killed(let signal): return .killed(signal: signal)
    case .exited(let code):
      guard code == 0, let response = SpawnedProcess.answer(TrialResponse.self, in: output) else {
        return .exited(code: code, errors: String(decoding: errors, as: UTF8.self))
      }
      return .answered(response)
    }
  }

  private static func read(_ process: SpawnedProcess, _ turn: TrialGate?) throws -> (output: Data, errors: Data) {
    // A process that died while preparing its store reports nothing more, so the tasks that wait for it must continue.
    defer { turn?.end() }
    return try process.readAll(limit: 64 << 20) { output in
      let lines = output.prefix { $0 == UInt8(ascii: "\n") }.count
      if lines > 0 { turn?.preparation.happen() }
      if lines > 1 { turn?.stop.happen() }
    }
  }
}

extension ProcessInfo {
  static var executable: String { SpawnedProcess.ownExecutable ?? CommandLine.arguments[0] }

  /// Returns a text that changes when the program file `path` is replaced; nil for a missing file.
  static func version(of path: String) -> String? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return "\(status.st_size) \(status.st_mtim.tv_sec) \(status.st_mtim.tv_nsec) \(status.st_ino)"
  }
}

extension LaunchOutcome {
  var isSuccess: Bool {
    if case .answered(let response) = self { response.failure == nil } else { false }
  }

  /// Whether a full disk may have caused this failure. Writing to a mapped file on a full disk raises SIGBUS.
  var mayBeFullDisk: Bool {
    switch self {
    case .answered(let response): response.isFullDisk == true
    case .killed(let signal): signal == SIGBUS
    case .exited, .exceededLimit: false
    }
  }

  func sentence(limit: LaunchLimit) -> String {
    switch self {
    case .answered(let response): response.failure ?? ""
    case .killed(let signal): "killed by \(Self.name(of: signal))"
    case .exited(let code, let errors):
      "ended with exit code \(code) and no answer"
        + (errors.split(whereSeparator: \.isNewline).last.map { ": \($0.prefix(200))" } ?? "")
    case .exceededLimit: limit.sentence
    }
  }

  private static func name(of signal: Int32) -> String {
    let names: [Int32: String] = [
      SIGABRT: "SIGABRT", SIGBUS: "SIGBUS", SIGFPE: "SIGFPE", SIGILL: "SIGILL", SIGKILL: "SIGKILL",
      SIGSEGV: "SIGSEGV", SIGTERM: "SIGTERM", SIGTRAP: "SIGTRAP", SIGXFSZ: "SIGXFSZ",
    ]
    return names[signal].map { "signal \(signal) (\($0))" } ?? "signal \(signal)"
  }
}
