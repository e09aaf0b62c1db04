import StorageRunFiles
import Foundation
import StorageContract
import StorageReport
import StorageTrial

@testable import StorageBench

/// Launches nothing: answers as the test says, and remembers what ran beside what.
final class ScriptedLauncher: TrialLauncher, @unchecked Sendable {
  /// One launch.
  struct Launch {
    var task: TrialRequest.Task
    var cell: Cell
    /// The tasks that were under way when it began, this one not counted.
    var beside: [TrialRequest.Task]
    var directory: String
    var isSlow: Bool
    var trialTime: Int64
    var stream: UInt64?
    var limit: LaunchLimit
    /// What was running when its clock started and when it stopped, this one not counted; those that only wait for
    /// their turn are not running. Nil where it had no turn.
    var besideClock: [TrialRequest.Task]?
  }

  private let lock = NSLock()
  private var past: [Launch] = []
  /// What is running, by its place in ``past``.
  private var running: [Int: TrialRequest.Task] = [:]
  private var preparing: Set<Int> = []
  private var pauses = 0
  /// Called when a clock starts, with the directories of the trials whose clocks have run.
  var clockStarts: @Sendable (TrialRequest, [String]) -> Void = { _, _ in }
  /// Nanoseconds that each part of a launch takes; by default ``duration``.
  var slow: (@Sendable (TrialRequest) -> UInt64)?
  private let answer: @Sendable (TrialRequest) throws -> LaunchOutcome
  /// Nanoseconds that a launch takes.
  private let duration: UInt64

  /// - Parameter answer: What becomes of a request; by default, something ordinary.
  init(
    duration: UInt64 = 0,
    answer: @escaping @Sendable (TrialRequest) throws -> LaunchOutcome = { .answered(.ordinary($0)) }
  ) {
    self.duration = duration
    self.answer = answer
  }

  var launches: [Launch] { lock.withLock { past } }
  /// How often somebody was paused while it prepared its store.
  var pauseCount: Int { lock.withLock { pauses } }

  /// The timed launches' cells by name, in order.
  var timed: [String] { launches.filter { $0.task == .timed }.map(\.cell.name) }

  func launch(_ request: TrialRequest, limit: LaunchLimit, turn: TrialGate?) async throws -> LaunchOutcome {
    let place = lock.withLock {
      past.append(
        Launch(
          task: request.task, cell: request.cell, beside: Array(running.values), directory: request.directory,
          isSlow: request.isSlow, trialTime: request.trialTime, stream: request.stream, limit: limit))
      running[past.count - 1] = request.task
      return past.count - 1
    }
    defer { lock.withLock { running[place] = nil } }
    let duration = slow?(request) ?? duration
    guard let turn else {
      try await Task.sleep(nanoseconds: duration)
      return try answer(request)
    }
    try await prepare(place, turn, request.task, duration)
    turn.prepared()
    await withTaskCancellationHandler {
      await turn.hasBegun()
    } onCancel: {
      turn.begin()
    }
    look(place)
    clockStarts(
      request, launches.filter { $0.besideClock != nil && $0.directory != request.directory }.map(\.directory))
    lock.withLock { running[place] = request.task }
    try await Task.sleep(nanoseconds: duration)
    look(place)
    turn.clockStopped()
    try await Task.sleep(nanoseconds: duration)
    return try answer(request)
  }

  /// Takes its time, but for that in which it is paused.
  private func prepare(_ place: Int, _ turn: TrialGate, _ task: TrialRequest.Task, _ duration: UInt64) async throws {
    lock.withLock { _ = preparing.insert(place) }
    turn.started { [self] isPaused in
      lock.withLock {
        guard preparing.contains(place) else { return }
        if isPaused { pauses += 1 }
        running[place] = isPaused ? nil : task
      }
    }
    for _ in 0..<4 {
      try await Task.sleep(nanoseconds: duration / 4)
      while lock.withLock({ running[place] == nil }) { try await Task.sleep(nanoseconds: 100_000) }
    }
    lock.withLock {
      preparing.remove(place)
      running[place] = nil
    }
  }

  private func look(_ place: Int) {
    lock.withLock {
      let others = running.filter { $0.key != place }.map(\.value)
      past[place].besideClock = (past[place].besideClock ?? []) + others
    }
  }
}

extension TrialResponse {
  /// What a child without troubles answers.
  static func ordinary(_ request: TrialRequest, nanoseconds: Double = 1_000, operations: Int = 10) -> TrialResponse {
    var response = TrialResponse()
    response.operations = operations
    switch request.task {
    case .timed: response.timing = .sample(nanoseconds, operations: operations)
    case .cost: response.cost = Cost(countedOperations: operations)
    case .verify, .once:
      response.cost = Cost(countedOperations: operations)
      response.cost?.digest = "0123456789abcdef"
      response.cost?.storedBytes = 77
    case .fixture, .launch, .partner, .trace: break
    }
    return response
  }
}

/// Keeps events.
final class EventList: RunObserver, @unchecked Sendable {
  private let lock = NSLock()
  private var list: [RunEvent] = []

  var events: [RunEvent] { lock.withLock { list } }

  func see(_ event: RunEvent) { lock.withLock { list.append(event) } }
}
