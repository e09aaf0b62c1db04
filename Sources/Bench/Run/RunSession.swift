import Foundation
import StorageContract
import StorageReport
import StorageRunFiles
import StorageTrial
import StorageWorkloads

/// A run in progress: its directory, the directory of its stores, and the launcher of its measuring processes.
///
/// Every command that makes a run begins a session, whether the run is kept (`run`, `paired`, `noise`) or not
/// (`check`). `run --resume` continues a session.
struct RunSession: Sendable {
  let plan: Plan
  let directory: RunDirectory
  let scratch: Scratch
  var launcher: any TrialLauncher = ProcessLauncher(executable: ProcessInfo.executable)

  /// Begins a run with its own directory for stores.
  ///
  /// - Parameters:
  ///   - directory: The directory of the run, which this process has claimed.
  ///   - stores: The absolute path of the directory for stores, which this function claims.
  /// - Throws: `UsageError` if another process has claimed the directory for stores, and errors of writing the files.
  ///   After an error no files remain.
  static func open(
    _ plan: Plan, at directory: RunDirectory, stores: String, catalog: Catalog = .current
  ) throws -> RunSession {
    let scratch = try Scratch(stores, run: try identity(plan, directory), device: plan.device)
    do {
      return try open(plan, at: directory, scratch, catalog)
    } catch {
      scratch.close(keepingFixtures: false)
      throw error
    }
  }

  static func open(
    _ plan: Plan, at directory: RunDirectory, sharing scratch: Scratch, catalog: Catalog = .current
  ) throws -> RunSession {
    try open(plan, at: directory, scratch, catalog)
  }

  private static func open(
    _ plan: Plan, at directory: RunDirectory, _ scratch: Scratch, _ catalog: Catalog
  ) throws -> RunSession {
    var plan = plan
    plan.scratch = scratch.claimedPath
    do {
      try directory.begin(plan, MachineProbe(catalog: catalog, scratch: scratch.path).environment(plan))
    } catch {
      directory.withdraw()
      throw error
    }
    return RunSession(plan: plan, directory: directory, scratch: scratch)
  }

  static func resume(_ directory: RunDirectory, catalog: Catalog = .current) throws -> RunSession {
    let plan = try directory.plan()
    if let path = plan.dataset, !FileManager.default.isReadableFile(atPath: path) {
      throw UsageError("\(path), the data set of the run, cannot be read; put it back, or begin a new run")
    }
    if let path = plan.dataset, try Dataset(path: path, map: plan.datasetMap ?? []).hash != plan.datasetHash {
      throw UsageError("\(path) has changed since the run began; begin a new run")
    }
    _ = try plan.cells.map { try catalog.workload($0.cell.workload) }
    let scratch = try Scratch(
      scratchDirectory(plan, of: directory), run: try identity(plan, directory), device: plan.device)
    do {
      try RunCompatibility.require(
        plan, path: ShownFiles.path(directory.url), begun: try directory.environment(),
        here: MachineProbe(catalog: catalog, scratch: plan.device == nil ? plan.scratch : scratch.path)
          .environment(plan))
    } catch {
      scratch.close(keepingFixtures: true)
      throw error
    }
    return RunSession(plan: plan, directory: directory, scratch: scratch)
  }

  /// Runs the measurements that the run still lacks, and stops at a signal.
  ///
  /// - Returns: Whether no measurement of the run has failed.
  /// - Throws: `CancellationError` if the run is interrupted; the errors of ``Runner/run()``.
  func run(
    catalog: Catalog = .current, observer: any RunObserver, memory: MemoryDirectory? = nil,
    sampler: (any MachineSampling)? = nil
  ) async throws -> Bool {
    let runner = Runner(
      plan: plan, catalog: catalog, directory: directory, scratch: scratch, launcher: launcher, observer: observer,
      memory: memory, sampler: sampler)
    return try await Interruption.cancelling { try await runner.run() }
  }

  /// Returns the directory for the stores of a resumed run: the one that the user chose, or else one inside the run's
  /// directory, which may have been moved.
  private static func scratchDirectory(_ plan: Plan, of directory: RunDirectory) throws -> String {
    let name = URL(fileURLWithPath: plan.scratch).lastPathComponent
    return name == OwnedDirectory.storesName ? plan.scratch : try Scratch.directory(nil, out: directory.url.path)
  }

  /// Returns a hash of the plan, its data set and the build. A resumed run uses existing initial stores only if the
  /// hash is the same.
  private static func identity(_ plan: Plan, _ directory: RunDirectory) throws -> String {
    var plan = plan
    plan.scratch = ""
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    var hash = StableHash()
    hash.add(String(decoding: try encoder.encode(plan), as: UTF8.self))
    var status = stat()
    if stat(ProcessInfo.executable, &status) == 0 {
      hash.add("\(status.st_size) \(status.st_mtim.tv_sec) \(status.st_mtim.tv_nsec) \(status.st_ino)")
    }
    return hash.text
  }
}
