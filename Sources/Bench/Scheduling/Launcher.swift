import Foundation
import StorageContract
import StorageTrial
import StorageVerify

/// What became of a child process.
enum LaunchOutcome: Sendable, Equatable {
  /// It answered.
  case answered(TrialResponse)
  /// It was killed by a signal.
  case killed(signal: Int32)
  /// It ended without an answer.
  case exited(code: Int32, errors: String)
  /// It was ended by its ``LaunchLimit``.
  case exceededLimit
}

/// Starts the processes of trials. Tests put a scripted one in its place.
protocol TrialLauncher: Sendable {
  /// Runs a request in a process of its own.
  ///
  /// - Parameters:
  ///   - request: What the process is to do.
  ///   - limit: When it is killed. Before its turn, only the time in which it prepares its store counts, and on its own.
  ///   - turn: When its clock may start, for a timed one that is not alone; it is told how far the process is.
  /// - Throws: `CancellationError` if the task was cancelled meanwhile; the process is then gone, too.
  func launch(_ request: TrialRequest, limit: LaunchLimit, turn: TrialGate?) async throws -> LaunchOutcome
}

extension TrialLauncher {
  /// The same for a process that waits for nobody.
  func launch(_ request: TrialRequest, limit: LaunchLimit) async throws -> LaunchOutcome {
    try await launch(request, limit: limit, turn: nil)
  }
}

/// Starts this executable again.
struct ProcessLauncher: TrialLauncher {
  let executable: String
  /// The file that the path named at the beginning.
  private let file: String?

  init(executable: String) {
    self.executable = executable
    file = Self.file(executable)
  }

  /// The identity of a file: another file of the same name has another one.
  private static func file(_ path: String) -> String? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return "\(status.st_dev) \(status.st_ino) \(status.st_size) \(status.st_mtim.tv_sec) \(status.st_mtim.tv_nsec)"
  }

  func launch(_ request: TrialRequest, limit: LaunchLimit, turn: TrialGate?) async throws -> LaunchOutcome {
    guard Self.file(executable) == file else {
      turn?.end()
      turn?.giveUp()
      throw ExitStatus.Failure(
        ExitStatus.ioError,
        "\(executable) was replaced while it was running, and figures of two builds do not belong in one run; "
          + "begin again, or resume with the executable of before")
    }
    var request = request
    if turn != nil { request.hasTurn = true }
    switch limit {
    case .duration(let limit):
      // For one that nobody is left to end. Each of those before may take as long as this one.
      request.lifetime = Int(limit / 1_000_000_000) * (turn == nil ? 1 : 1 + Parallelism.trialsAhead) + 10
    case .silence: (request.lifetime, request.parent) = (86_400, getpid())
    }
    // The group of a run that was killed can be removed when nothing runs in it any more.
    if request.group != nil { request.parent = getpid() }
    let arguments = [executable] + (try request.arguments())
    let environment = request.environment
    let directory = request.directory
    return try await withThrowingTaskGroup(of: LaunchOutcome?.self) { group in
      group.addTask {
        // Where it could not even be started, too.
        defer {
          turn?.end()
          turn?.giveUp()
        }
        // A group of its own: Ctrl-C at the terminal reaches the parent alone, which then ends the child in order.
        let process = try SpawnedProcess(
          arguments, environment: .inherited(changing: environment), streams: [0: .pipe, 1: .pipe, 2: .pipe],
          leadsGroup: true)
        turn?.started { $0 ? process.pause() : process.resume() }
        async let begun: Void = Self.begin(turn, process)
        let outcome = try await process.attend { try Self.outcome(of: $0, turn) }
        await begun
        return outcome
      }
      group.addTask {
        if let turn {
          if let limit = limit.preparing, !(await turn.isPrepared(within: limit)) { return nil }
          await turn.hasBegun()
        }
        try? await limit.wait(directory: directory)
        return nil
      }
      return try await withTaskCancellationHandler {
        let first = try await group.next() ?? nil
        // One that is ended before its turn is not to wait for it.
        turn?.giveUp()
        group.cancelAll()
        // The one that is cancelled must be gone before its directory is.
        while (try? await group.next()) != nil {}
        try Task.checkCancellation()
        return first ?? .exceededLimit
      } onCancel: {
        // Nobody is to wait for a turn that does not come.
        turn?.giveUp()
      }
    }
  }

  /// Ends a process's standard input when its turn has begun: the sign for ``ClockGate``.
  private static func begin(_ turn: TrialGate?, _ process: SpawnedProcess) async {
    await turn?.hasBegun()
    process.closeInput()
  }

  /// Reads what a process writes, and waits for its end. The first two lines are empty where it has a turn, see
  /// ``ClockGate``.
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
    // A process that died while it prepared its store announces nothing more: nobody is to wait for it.
    defer { turn?.end() }
    return try process.readAll(limit: 64 << 20) { output in
      let lines = output.prefix { $0 == UInt8(ascii: "\n") }.count
      if lines > 0 { turn?.prepared() }
      if lines > 1 { turn?.clockStopped() }
    }
  }
}

extension ProcessInfo {
  /// The path of the running executable, links resolved.
  static var executable: String {
    SpawnedProcess.ownExecutable ?? CommandLine.arguments[0]
  }
}

extension LaunchOutcome {
  /// Whether the process answered, and without a failure.
  var isSuccess: Bool {
    if case .answered(let response) = self { return response.failure == nil }
    return false
  }

  /// Whether the process failed in a way in which a full disk makes processes fail. SIGBUS is one: it ends a process that
  /// changes a page of a mapped file for which the disk has no room.
  var mayBeFullDisk: Bool {
    switch self {
    case .answered(let response): response.isFullDisk == true
    case .killed(let signal): signal == SIGBUS
    case .exited, .exceededLimit: false
    }
  }

  /// What went wrong, in words; empty for an answer without a failure.
  func sentence(limit: LaunchLimit) -> String {
    switch self {
    case .answered(let response): response.failure ?? ""
    case .killed(let signal): "killed by \(Self.name(of: signal))"
    case .exited(let code, let errors):
      "ended with exit code \(code) and no answer" + (Self.lastLine(errors).map { ": \($0)" } ?? "")
    case .exceededLimit: limit.sentence
    }
  }

  private static func lastLine(_ text: String) -> String? {
    text.split(whereSeparator: \.isNewline).last.map { String($0.prefix(200)) }
  }

  private static func name(of signal: Int32) -> String {
    let names: [Int32: String] = [
      SIGABRT: "SIGABRT", SIGBUS: "SIGBUS", SIGFPE: "SIGFPE", SIGILL: "SIGILL", SIGKILL: "SIGKILL",
      SIGSEGV: "SIGSEGV", SIGTERM: "SIGTERM", SIGTRAP: "SIGTRAP", SIGXFSZ: "SIGXFSZ",
    ]
    return names[signal].map { "signal \(signal) (\($0))" } ?? "signal \(signal)"
  }
}
