import Foundation
import StorageContract
import StorageRunFiles
import StorageTrial
import StorageWorkloads

/// A benchmark run in progress: its directory, the directory of its stores, and the launcher of its measuring
/// processes.
struct RunSession: Sendable {
  var plan: Plan
  let directory: RunDirectory
  let scratch: Scratch
  var catalog = Catalog.current
  var launcher: any TrialLauncher = ProcessLauncher(executable: ProcessInfo.executable)

  /// Begins a run in the reserved directory `directory`, and reserves the directory `stores` for its stores.
  ///
  /// - Throws: `UsageError` if another process uses `stores`; errors of writing the files. No files then remain.
  static func open(_ plan: Plan, at directory: RunDirectory, stores: String) throws -> RunSession {
    let scratch = try Scratch(stores, run: try identity(plan, directory), device: plan.device)
    return try attempt {
      try open(plan, at: directory, sharing: scratch)
    } undo: {
      scratch.close(keepingFixtures: false)
    }
  }

  static func open(_ plan: Plan, at directory: RunDirectory, sharing scratch: Scratch) throws -> RunSession {
    var plan = plan
    plan.scratch = scratch.claimedPath
    try attempt {
      try directory.begin(plan, MachineProbe(scratch: scratch.path).environment(plan))
    } undo: {
      directory.withdraw()
    }
    return RunSession(plan: plan, directory: directory, scratch: scratch)
  }

  static func resume(_ directory: RunDirectory) throws -> RunSession {
    let plan = try directory.plan()
    if let path = plan.dataset, !FileManager.default.isReadableFile(atPath: path) {
      throw UsageError("\(path), the data set of the run, cannot be read; put it back, or begin a new run")
    }
    if let path = plan.dataset, try Dataset(path: path, map: plan.datasetMap ?? []).hash != plan.datasetHash {
      throw UsageError("\(path) has changed since the run began; begin a new run")
    }
    _ = try plan.cells.map { try Catalog.current.workload($0.cell.workload) }
    let scratch = try Scratch(
      Scratch.directory(PlanBuilder.scratch(of: plan), out: directory.url.path), run: try identity(plan, directory),
      device: plan.device)
    try attempt {
      try RunCompatibility.require(
        plan, path: ShownFiles.path(directory.url), begun: try directory.environment(),
        here: MachineProbe(scratch: plan.device == nil ? plan.scratch : scratch.path)
          .environment(plan))
    } undo: {
      scratch.close(keepingFixtures: true)
    }
    return RunSession(plan: plan, directory: directory, scratch: scratch)
  }

  /// Makes the missing measurements of the run. Returns false if a measurement has failed.
  ///
  /// - Throws: If a signal interrupts the run, `CancellationError`, or with `consequence` the failure of
  ///   ``Interruption/cancelling(_:_:)``; the errors of ``Runner/run()``.
  func run(
    observer: @escaping RunObserver, memory: MemoryDirectory? = nil, sampler: MachineSampler? = nil,
    interruption consequence: String? = nil
  ) async throws -> Bool {
    let runner = Runner(session: self, observer: observer, memory: memory, sampler: sampler)
    return try await Interruption.cancelling(consequence) { try await runner.run() }
  }

  /// Returns a hash of the plan and the executable. A resumed run reuses initial stores only if the hash is the same.
  private static func identity(_ plan: Plan, _ directory: RunDirectory) throws -> String {
    var plan = plan
    plan.scratch = ""
    var hash = StableHash()
    hash.add(try JSONEncoder.compact.text(plan))
    if let version = ProcessInfo.version(of: ProcessInfo.executable) { hash.add(version) }
    return hash.text
  }
}
