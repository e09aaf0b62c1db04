import Foundation
import StorageContract
import StorageTrial
import StorageWorkloads

/// The stores that trials start from. A child process builds each store once in a run. Every trial gets a copy.
actor Fixtures {
  private let scratch: Scratch
  private let memory: MemoryDirectory?
  private let launcher: any TrialLauncher
  private var building: [String: Task<String, any Error>] = [:]

  /// - Parameters:
  ///   - scratch: The directory of the fixtures.
  ///   - memory: The directory in which a store is aged, if it fits: a hundred thousand commits are slow on a disk even
  ///     without syncs. Nil means that stores are aged in ``scratch``.
  init(scratch: Scratch, memory: MemoryDirectory? = nil, launcher: any TrialLauncher) {
    self.scratch = scratch
    self.memory = memory
    self.launcher = launcher
  }

  /// Returns the directory of the fixture with a name, for a request's cell. A missing fixture is built.
  ///
  /// - Throws: The reason why the fixture cannot be built. The build is not tried again.
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

  /// Returns the key of a fixture within a run: the backend with its options, the workload's name for its records, N,
  /// the record size and the age. A cell that saves opens the shipped store with its own durability. A cell that only
  /// reads gets a store that was made with its settings, as in an app: a launch must not be the first to turn on a
  /// write-ahead log.
  static func name(_ cell: Cell, _ workload: any Workload, readDurability: Durability?) -> String {
    ("\(cell.backend)-\(workload.fixtureName)-\(cell.records)-\(cell.recordBytes)"
      + (cell.aged > 0 ? "-aged\(cell.aged)" : "")
      + (readDurability.map { "-\($0.rawValue)" } ?? ""))
      .replacingOccurrences(of: ":", with: "-")
  }
}

private struct Builder {
  let scratch: Scratch
  let memory: MemoryDirectory?
  let launcher: any TrialLauncher
  let limit: LaunchLimit

  /// Builds a fixture and returns its directory, which exists only if the store is complete.
  func build(_ name: String, _ request: TrialRequest) async throws -> String {
    let path = "\(scratch.fixtures)/\(name)-\(request.payload)-seed\(request.seed)"
    // A resumed run finds the fixtures that an earlier part has finished.
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

  /// Creates a directory that the next run removes if this one is killed.
  private func directory(_ name: String, in scratch: Scratch) throws -> String {
    let path = "\(scratch.trials)/\(getpid())-\(name)"
    for part in [TrialRequest.storeName, "tmp"] { try scratch.makeDirectory("\(path)/\(part)") }
    return path
  }

  /// Fills the store in a directory. If that fails in memory, for any reason, the store is filled on the disk.
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
