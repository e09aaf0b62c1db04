import Foundation
import StorageContract
import StorageReport
import StorageRunFiles
import StorageTrial
import StorageWorkloads

/// A run that is being made: its directory with plan and environment, the place of its stores, and how its trials are started.
///
/// Every command that makes a run begins it here, whether it is kept (`run`, `paired`, `noise`) or not (`check`), and
/// `run --resume` goes on here.
struct RunSession: Sendable {
  /// With the place of the stores.
  let plan: Plan
  let directory: RunDirectory
  let scratch: Scratch
  var launcher: any TrialLauncher = ProcessLauncher(executable: ProcessInfo.executable)

  /// Begins a run.
  ///
  /// - Parameters:
  ///   - directory: Of the run; this process has claimed it.
  ///   - stores: The directory of the stores, absolute, which is claimed.
  /// - Throws: `UsageError` if somebody else has that directory; what writing the files throws. Nothing is left behind.
  static func open(
    _ plan: Plan, at directory: RunDirectory, stores: String, catalog: Catalog = .current
  ) throws -> RunSession {
    let scratch = try Scratch(stores, run: try identity(plan, directory))
    do {
      return try open(plan, at: directory, scratch, catalog)
    } catch {
      scratch.close(keepingFixtures: false)
      throw error
    }
  }

  /// Begins a run whose stores lie where those of another run lie.
  static func open(
    _ plan: Plan, at directory: RunDirectory, sharing scratch: Scratch, catalog: Catalog = .current
  ) throws -> RunSession {
    try open(plan, at: directory, scratch, catalog)
  }

  private static func open(
    _ plan: Plan, at directory: RunDirectory, _ scratch: Scratch, _ catalog: Catalog
  ) throws -> RunSession {
    var plan = plan
    plan.scratch = scratch.path
    do {
      try directory.begin(plan, MachineProbe(catalog: catalog, scratch: scratch.path).environment())
    } catch {
      directory.withdraw()
      throw error
    }
    return RunSession(plan: plan, directory: directory, scratch: scratch)
  }

  /// Goes on with a run that was interrupted.
  ///
  /// - Parameter directory: Of the run; this process has claimed it.
  /// - Throws: `UsageError` if the data set, the build or the machine is another one.
  static func resume(_ directory: RunDirectory, catalog: Catalog = .current) throws -> RunSession {
    let plan = try directory.plan()
    if let path = plan.dataset, try Dataset(path: path, map: plan.datasetMap ?? []).hash != plan.datasetHash {
      throw UsageError("\(path) has changed since the run began; begin a new run")
    }
    _ = try plan.cells.map { try catalog.workload($0.cell.workload) }
    let scratch = try Scratch(place(plan, of: directory), run: try identity(plan, directory))
    do {
      try RunCompatibility.require(
        plan, path: ShownFiles.path(directory.url), begun: try directory.environment(),
        here: MachineProbe(catalog: catalog, scratch: plan.scratch).environment())
    } catch {
      scratch.close(keepingFixtures: true)
      throw error
    }
    return RunSession(plan: plan, directory: directory, scratch: scratch)
  }

  /// Runs what the journal does not have yet, and stops at a signal.
  ///
  /// - Returns: Whether every cell that was run is ok.
  /// - Throws: `CancellationError` when interrupted; what ``Runner/run()`` throws.
  func run(
    catalog: Catalog = .current, observer: any RunObserver, memory: MemoryDirectory? = nil,
    sampler: (any MachineSampling)? = nil
  ) async throws -> Bool {
    let runner = Runner(
      plan: plan, catalog: catalog, directory: directory, scratch: scratch, launcher: launcher, observer: observer,
      memory: memory, sampler: sampler)
    return try await Interruption.cancelling { try await runner.run() }
  }

  /// The place of the stores of a resumed run. A run that was moved has them in its new directory.
  private static func place(_ plan: Plan, of directory: RunDirectory) throws -> String {
    let name = URL(fileURLWithPath: plan.scratch).lastPathComponent
    return name == OwnedDirectory.storesName ? plan.scratch : try Scratch.place(nil, out: directory.url.path)
  }

  /// A hash by which a run knows its own stores again: of the plan with its data set, and of the build.
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
