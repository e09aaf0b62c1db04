import StorageRunFiles
import Foundation
import StorageContract
import StorageReport

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
    var limit: LaunchLimit
  }

  private let lock = NSLock()
  private var past: [Launch] = []
  private var running: [TrialRequest.Task] = []
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

  /// The timed launches' cells by name, in order.
  var timed: [String] { launches.filter { $0.task == .timed }.map(\.cell.name) }

  func launch(_ request: TrialRequest, limit: LaunchLimit) async throws -> LaunchOutcome {
    lock.withLock {
      past.append(
        Launch(
          task: request.task, cell: request.cell, beside: running, directory: request.directory,
          isSlow: request.isSlow, limit: limit))
      running.append(request.task)
    }
    defer {
      lock.withLock {
        if let place = running.firstIndex(of: request.task) { running.remove(at: place) }
      }
    }
    try await Task.sleep(nanoseconds: duration)
    return try answer(request)
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
