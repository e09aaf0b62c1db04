import Foundation
import StorageContract
import StorageReport
import StorageRunFiles
import StorageTrial

/// A benchmark run whose directory is removed when the results have been read, such as the run that `check` makes.
struct TemporaryRun {
  let catalog: Catalog
  private let directory: OwnedDirectory
  private let isTimed: Bool
  let observer: any RunObserver

  /// Creates a temporary directory for the run.
  ///
  /// - Parameter scratch: The value of `--scratch`. If it is nil, the stores of an untimed run are in memory if they
  ///   fit, because syncs are counted there as on a disk, but take no time.
  init(catalog: Catalog, scratch: String?, plan: Plan, observer: any RunObserver) throws {
    self.catalog = catalog
    self.observer = observer
    isTimed = plan.rounds > 0
    let isInMemory = scratch == nil && !isTimed
    let memory = isInMemory ? MemoryDirectory.owned(holding: PlanEstimate.bytes(plan)) : nil
    directory = try memory ?? .temporary(in: scratch ?? Self.disk)
  }

  /// The default directory for stores on a disk, used without `--scratch`.
  static var disk: String { FileManager.default.temporaryDirectory.path }

  /// Runs the plan in a temporary directory, passes the run's results to the body, and removes that directory.
  ///
  /// - Throws: ``ExitStatus/Failure`` if the run is interrupted, and the body's errors.
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
