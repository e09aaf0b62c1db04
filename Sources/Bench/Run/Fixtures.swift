import Foundation
import StorageContract
import StorageWorkloads

/// The stores that trials start from: each built once in a run, by a child, and copied for every trial.
actor Fixtures {
  private let scratch: Scratch
  private let launcher: any TrialLauncher
  private var building: [String: Task<String, any Error>] = [:]

  init(scratch: Scratch, launcher: any TrialLauncher) {
    self.scratch = scratch
    self.launcher = launcher
  }

  /// The directory of the fixture of a name for a request's cell, built if it is not there yet.
  ///
  /// - Throws: ``StoreError`` telling why it cannot be built; it is not tried again.
  func path(_ name: String, for request: TrialRequest, limit: LaunchLimit) async throws -> String {
    if let task = building[name] { return try await task.value }
    let (scratch, launcher) = (scratch, launcher)
    let task = Task { try await Self.build(name, request, scratch, launcher, limit) }
    building[name] = task
    do {
      return try await withTaskCancellationHandler {
        try await task.value
      } onCancel: {
        task.cancel()
      }
    } catch let error as CancellationError {
      building[name] = nil
      throw error
    }
  }

  /// What tells fixtures of one run apart: the backend with its options, what the workload says that it holds, N and
  /// the record size. A cell that saves opens what is shipped as its durability says. One that only reads finds a store
  /// that was made in its settings, as an app would: a launch is not to be the first to turn on a write-ahead log.
  static func name(_ cell: Cell, _ workload: any Workload, readDurability: Durability?) -> String {
    ("\(cell.backend)-\(workload.fixtureName)-\(cell.records)-\(cell.recordBytes)"
      + (readDurability.map { "-\($0.rawValue)" } ?? ""))
      .replacingOccurrences(of: ":", with: "-")
  }

  private static func build(
    _ name: String, _ request: TrialRequest, _ scratch: Scratch, _ launcher: any TrialLauncher, _ limit: LaunchLimit
  ) async throws -> String {
    let path = "\(scratch.fixtures)/\(name)"
    // A resumed run finds those that were finished.
    if FileManager.default.fileExists(atPath: path) { return "\(path)/store" }
    let unfinished = "\(path).\(getpid())"
    for part in ["store", "tmp"] {
      try FileManager.default.createDirectory(atPath: "\(unfinished)/\(part)", withIntermediateDirectories: true)
    }
    var request = request
    request.task = .fixture
    request.cell.durability = nil
    request.directory = unfinished
    let outcome = try await launcher.launch(request, limit: limit)
    guard case .answered(let response) = outcome, response.failure == nil else {
      scratch.remove(unfinished)
      throw StoreError.failed("building the store that trials start from: \(outcome.sentence(limit: limit))")
    }
    scratch.remove(StepCounter.path(in: unfinished))
    try StoreFiles.sync(unfinished)
    try FileManager.default.moveItem(atPath: unfinished, toPath: path)
    return "\(path)/store"
  }
}
