import Foundation
import StorageContract
import StorageTrial
import StorageVerify
import StorageWorkloads

/// The initial stores (fixtures) of a run. Each is built once by a child process, and every measuring process gets a
/// copy.
actor Fixtures {
  private let scratch: Scratch
  private let memory: MemoryDirectory?
  private let launcher: any TrialLauncher
  private var building: [String: Task<String, any Error>] = [:]

  /// Creates an empty collection of initial stores. Aged stores, which need many changes, are built in `memory` if they
  /// fit, because a disk is slower.
  init(scratch: Scratch, memory: MemoryDirectory? = nil, launcher: any TrialLauncher) {
    self.scratch = scratch
    self.memory = memory
    self.launcher = launcher
  }

  /// Returns the directory of the initial store with the given name. The first call builds the store.
  ///
  /// - Throws: The error of building the store. A failed build is not tried again.
  func path(_ name: String, for request: TrialRequest) async throws -> String {
    if let task = building[name] { return try await task.value }
    let task = Task { try await build(name, request) }
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

  /// Returns the name of a benchmark's initial store. Benchmarks that can start with equal stores get the same name.
  ///
  /// - Parameter readDurability: The durability for opening a store that is only read; nil for the default.
  static func name(_ cell: Cell, _ workload: any Workload, readDurability: Durability?) -> String {
    ("\(cell.backend)-\(workload.fixtureName)-\(cell.records)-\(cell.recordBytes)"
      + (cell.aged > 0 ? "-aged\(cell.aged)" : "")
      + (readDurability.map { "-\($0.rawValue)" } ?? ""))
      .replacingOccurrences(of: ":", with: "-").replacingOccurrences(of: "/", with: "%")
  }

  private nonisolated func build(_ name: String, _ request: TrialRequest) async throws -> String {
    let path = "\(scratch.fixtures)/\(name)-\(request.payload)-seed\(request.seed)"
    // A resumed run finds the initial stores that were finished before its interruption.
    if FileManager.default.fileExists(atPath: path) { return "\(path)/store" }
    // If this process is killed, the next run removes the directory.
    let unfinished = try scratch.makeTrialDirectory("\(getpid())-\(name)")
    do {
      try await fill(unfinished, name, request)
      scratch.directory.remove(StepCounter.path(in: unfinished))
      try StoreFiles.sync(unfinished)
      try scratch.directory.makeDirectory(scratch.fixtures)
      try scratch.directory.move(unfinished, to: path)
    } catch {
      scratch.directory.remove(unfinished)
      throw error
    }
    return "\(path)/store"
  }

  /// Fills an initial store, and ages it if required. An aged store is built in memory, if possible, and then copied.
  private nonisolated func fill(_ directory: String, _ name: String, _ request: TrialRequest) async throws {
    if let memory, request.cell.aged > 0, memory.holds(PlanEstimate.bytes(request.cell)) {
      let passing = try memory.scratch.makeTrialDirectory("\(getpid())-\(name)")
      let store = "\(directory)/\(TrialRequest.storeName)"
      defer { memory.scratch.directory.remove(passing) }
      do {
        try await launch(passing, request)
        return try DirectoryFiles.copy("\(passing)/\(TrialRequest.storeName)", to: store)
      } catch let error as CancellationError {
        throw error
      } catch {
        try DirectoryFiles.empty(store)
      }
    }
    try await launch(directory, request)
  }

  private nonisolated func launch(_ directory: String, _ request: TrialRequest) async throws {
    var request = request
    request.task = .fixture
    request.cell.durability = nil
    request.directory = directory
    let limit = LaunchLimit.usualSilence
    let outcome = try await launcher.launch(request, limit: limit, turn: nil)
    guard outcome.isSuccess else {
      throw TrialFailure(
        description: "building the store that trials start from: \(outcome.sentence(limit: limit))",
        mayBeFullDisk: outcome.mayBeFullDisk)
    }
  }
}
