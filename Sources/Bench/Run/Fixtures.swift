import Foundation
import StorageContract
import StorageTrial
import StorageWorkloads

/// The stores that trials start from: each built once in a run, by a child, and copied for every trial.
actor Fixtures {
  private let scratch: Scratch
  private let memory: MemoryDirectory?
  private let launcher: any TrialLauncher
  private var building: [String: Task<String, any Error>] = [:]

  /// - Parameters:
  ///   - scratch: Where they lie.
  ///   - memory: Where an aged store lives before, if it fits: a disk makes a hundred thousand commits slow even where
  ///     nobody syncs. Nil for ``scratch``.
  init(scratch: Scratch, memory: MemoryDirectory? = nil, launcher: any TrialLauncher) {
    self.scratch = scratch
    self.memory = memory
    self.launcher = launcher
  }

  /// The directory of the fixture of a name for a request's cell, built if it is not there yet.
  ///
  /// - Throws: Why it cannot be built; it is not tried again.
  func path(_ name: String, for request: TrialRequest, limit: LaunchLimit) async throws -> String {
    if let task = building[name] { return try await task.value }
    let builder = Builder(scratch: scratch, memory: memory, launcher: launcher, limit: limit)
    let task = Task { try await builder.build(name, request) }
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

  /// What tells fixtures of one run apart: the backend with its options, what the workload says that it holds, N, the
  /// record size and the age. A cell that saves opens what is shipped as its durability says. One that only reads finds a store
  /// that was made in its settings, as an app would: a launch is not to be the first to turn on a write-ahead log.
  static func name(_ cell: Cell, _ workload: any Workload, readDurability: Durability?) -> String {
    ("\(cell.backend)-\(workload.fixtureName)-\(cell.records)-\(cell.recordBytes)"
      + (cell.aged > 0 ? "-aged\(cell.aged)" : "")
      + (readDurability.map { "-\($0.rawValue)" } ?? ""))
      .replacingOccurrences(of: ":", with: "-")
  }
}

/// Builds one.
private struct Builder {
  let scratch: Scratch
  let memory: MemoryDirectory?
  let launcher: any TrialLauncher
  let limit: LaunchLimit

  /// The store's directory. It is there once the store is complete.
  func build(_ name: String, _ request: TrialRequest) async throws -> String {
    let path = "\(scratch.fixtures)/\(name)-\(request.payload)-seed\(request.seed)"
    // A resumed run finds those that were finished.
    if FileManager.default.fileExists(atPath: path) { return "\(path)/store" }
    let unfinished = try directory(name, in: scratch)
    do {
      try await fill(unfinished, name, request)
      scratch.remove(StepCounter.path(in: unfinished))
      try StoreFiles.sync(unfinished)
      try scratch.makeDirectory(scratch.fixtures)
      try scratch.move(unfinished, to: path)
    } catch {
      scratch.remove(unfinished)
      throw error
    }
    return "\(path)/store"
  }

  /// A directory among those that the next run clears away, should this one be killed.
  private func directory(_ name: String, in place: Scratch) throws -> String {
    let path = "\(place.trials)/\(getpid())-\(name)"
    for part in [TrialRequest.storeName, "tmp"] { try place.makeDirectory("\(path)/\(part)") }
    return path
  }

  /// Fills the store in a directory. What does not succeed in memory, for whatever reason, is tried on the disk.
  private func fill(_ directory: String, _ name: String, _ request: TrialRequest) async throws {
    if let memory, request.cell.aged > 0, memory.holds(PlanEstimate.bytes(request.cell)) {
      let passing = try self.directory(name, in: memory.scratch)
      defer { memory.scratch.remove(passing) }
      do {
        try await launch(passing, request)
        return try StoreFiles.copy("\(passing)/\(TrialRequest.storeName)", to: "\(directory)/\(TrialRequest.storeName)")
      } catch let error as CancellationError {
        throw error
      } catch {
        try StoreFiles.empty("\(directory)/\(TrialRequest.storeName)")
      }
    }
    try await launch(directory, request)
  }

  private func launch(_ directory: String, _ request: TrialRequest) async throws {
    var request = request
    request.task = .fixture
    request.cell.durability = nil
    request.directory = directory
    let outcome = try await launcher.launch(request, limit: limit)
    guard outcome.isSuccess else {
      throw TrialFailure(
        description: "building the store that trials start from: \(outcome.sentence(limit: limit))",
        mayBeFullDisk: outcome.mayBeFullDisk)
    }
  }
}
