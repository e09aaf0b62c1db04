import StorageRunFiles
import Foundation
import StorageContract

@testable import StorageBench
@testable import StorageTrial

/// A launcher without processes: it returns scripted outcomes, and records which tasks ran at the same time.
final class ScriptedLauncher: TrialLauncher, @unchecked Sendable {
  /// A launch, with the properties of its request.
  @dynamicMemberLookup struct Launch {
    let request: TrialRequest
    /// The other tasks that were running when it began.
    let beside: [TrialRequest.Task]
    let limit: LaunchLimit
    /// The other tasks that were running when its clock started and when it stopped, without those that were paused or
    /// waited for their clock. Nil if it had no gate.
    var besideClock: [TrialRequest.Task]?

    subscript<Value>(dynamicMember path: KeyPath<TrialRequest, Value>) -> Value { request[keyPath: path] }
  }

  private let lock = NSLock()
  private var past: [Launch] = []
  /// The running tasks, by index in ``past``.
  private var running: [Int: TrialRequest.Task] = [:]
  private var preparing: Set<Int> = []
  private var pauses = 0
  /// Called when a clock starts, with the directories of the trials whose clocks have run.
  var clockStarts: @Sendable (TrialRequest, [String]) -> Void = { _, _ in }
  /// Returns the nanoseconds of each part of a launch, in place of ``duration``.
  var slow: (@Sendable (TrialRequest) -> UInt64)?
  private let answer: @Sendable (TrialRequest) throws -> LaunchOutcome
  /// The nanoseconds of each part of a launch.
  private let duration: UInt64

  /// - Parameter answer: Returns the outcome of a request; by default an ordinary one.
  init(
    duration: UInt64 = 0,
    answer: @escaping @Sendable (TrialRequest) throws -> LaunchOutcome = { .answered(.ordinary($0)) }
  ) {
    self.duration = duration
    self.answer = answer
  }

  var launches: [Launch] { lock.withLock { past } }
  /// The number of times that a launch was paused while it prepared its store.
  var pauseCount: Int { lock.withLock { pauses } }

  /// The names of the timed launches' cells, in order.
  var timed: [String] { launches.filter { $0.task == .timed }.map(\.cell.name) }

  func launch(_ request: TrialRequest, limit: LaunchLimit, turn: TrialGate?) async throws -> LaunchOutcome {
    let index = lock.withLock {
      past.append(Launch(request: request, beside: Array(running.values), limit: limit))
      running[past.count - 1] = request.task
      return past.count - 1
    }
    defer { lock.withLock { running[index] = nil } }
    let duration = slow?(request) ?? duration
    guard let turn else {
      try await Task.sleep(nanoseconds: duration)
      return try answer(request)
    }
    try await prepare(index, turn, request.task, duration)
    turn.preparation.happen()
    await withTaskCancellationHandler {
      await turn.beginning.hasHappened()
    } onCancel: {
      turn.beginning.happen()
    }
    look(index)
    clockStarts(
      request, launches.filter { $0.besideClock != nil && $0.directory != request.directory }.map(\.directory))
    lock.withLock { running[index] = request.task }
    try await Task.sleep(nanoseconds: duration)
    look(index)
    turn.stop.happen()
    try await Task.sleep(nanoseconds: duration)
    return try answer(request)
  }

  /// Waits for a duration, not counting the time in which it is paused.
  private func prepare(_ index: Int, _ turn: TrialGate, _ task: TrialRequest.Task, _ duration: UInt64) async throws {
    lock.withLock { _ = preparing.insert(index) }
    turn.started { [self] isPaused in
      lock.withLock {
        guard preparing.contains(index) else { return }
        if isPaused { pauses += 1 }
        running[index] = isPaused ? nil : task
      }
    }
    for _ in 0..<4 {
      try await Task.sleep(nanoseconds: duration / 4)
      while lock.withLock({ running[index] == nil }) { try await Task.sleep(nanoseconds: 100_000) }
    }
    lock.withLock {
      preparing.remove(index)
      running[index] = nil
    }
  }

  private func look(_ index: Int) {
    lock.withLock {
      let others = running.filter { $0.key != index }.map(\.value)
      past[index].besideClock = (past[index].besideClock ?? []) + others
    }
  }
}

extension TrialResponse {
  /// Returns the response of a process without failures.
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

/// A list to which several threads add elements.
final class Recorder<Element: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private var list: [Element] = []

  var entries: [Element] { lock.withLock { list } }

  /// Adds an element, and returns the number of elements.
  func add(_ element: Element) -> Int {
    lock.withLock {
      list.append(element)
      return list.count
    }
  }
}

typealias EventList = Recorder<RunEvent>

extension Recorder<RunEvent> {
  var events: [RunEvent] { entries }

  @Sendable func see(_ event: RunEvent) { _ = add(event) }
}
