import Foundation
import StorageContract
import StorageReport
import StorageRunFiles
import StorageTrial

/// A benchmark run whose directory is deleted after its results have been read.
struct TemporaryRun {
  let catalog: Catalog
  private let directory: OwnedDirectory
  private let isTimed: Bool
  let observer: any RunObserver

  /// Creates a temporary directory for the results and stores of a run, in the directory `scratch`. If `scratch` is
  /// nil, the directory is created in ``disk``. Only a run that measures no times uses memory instead, if its stores
  /// are small enough for the memory.
  init(catalog: Catalog, scratch: String?, plan: Plan, observer: any RunObserver) throws {
    self.catalog = catalog
    self.observer = observer
    isTimed = plan.rounds > 0
    let isInMemory = scratch == nil && !isTimed
    let memory = isInMemory ? MemoryDirectory.owned(holding: PlanEstimate.bytes(plan)) : nil
    directory = try memory ?? .temporary(in: scratch ?? Self.disk)
  }

  /// The directory on a disk for a temporary run without the option `--scratch`: the system's directory for temporary
  /// files.
  static var disk: String { FileManager.default.temporaryDirectory.path }

  /// Runs the plan, passes the results to `body`, and removes the temporary directory.
  ///
  /// - Throws: ``ExitStatus/Failure`` if the run is interrupted, and the errors of `body`.
  func run<Result>(_ plan: Plan, _ body: (ReportModel) throws -> Result) async throws -> Result {
    defer { directory.removeAll() }
    let run = RunDirectory(path: "\(directory.path)/run")
    try directory.makeDirectory(run.url.path)
    let session = try RunSession.open(plan, at: run, stores: "\(directory.path)/scratch", catalog: catalog)
    // Calls can be counted in memory; only timed trials need the disk.
    let memory = isTimed ? MemoryDirectory.forCosts(of: session.plan, scratch: session.scratch) : nil
    defer { memory?.close() }
    do {
      _ = try await session.run(catalog: catalog, observer: observer, memory: memory)
    } catch is CancellationError {
      throw ExitStatus.Failure(ExitStatus.interrupted, "interrupted; nothing was compared")
    }
    return try body(try ReportModel(reading: run))
  }
}
