import Foundation
import StorageReport
import StorageRunFiles

/// A benchmark run whose directory is deleted after its results have been read.
enum TemporaryRun {
  /// The default directory for stores that need a disk: the system's directory for temporary files.
  static var disk: String { FileManager.default.temporaryDirectory.path }

  /// Runs the plan in a temporary directory, passes the results to `body`, and removes the directory.
  ///
  /// - Parameter scratch: The parent of the temporary directory; nil to choose memory or ``disk`` to suit the run.
  /// - Throws: ``ExitStatus/Failure`` if the run is interrupted; the errors of `body`.
  static func run<Result>(
    _ plan: Plan, scratch: String?, observer: any RunObserver, _ body: (ReportModel) throws -> Result
  ) async throws -> Result {
    let isTimed = plan.rounds > 0
    let isInMemory = scratch == nil && !isTimed
    let owned = isInMemory ? MemoryDirectory.owned(holding: PlanEstimate.bytes(plan)) : nil
    let directory = try owned ?? .temporary(in: scratch ?? disk)
    defer { directory.removeAll() }
    let run = RunDirectory(path: "\(directory.path)/run")
    try directory.makeDirectory(run.url.path)
    let session = try RunSession.open(plan, at: run, stores: "\(directory.path)/scratch")
    // Calls can be counted in memory; only timed trials need the disk.
    let memory = isTimed ? MemoryDirectory.forCosts(of: session.plan, scratch: session.scratch) : nil
    defer { memory?.close() }
    do {
      _ = try await session.run(observer: observer, memory: memory)
    } catch is CancellationError {
      throw ExitStatus.Failure(ExitStatus.interrupted, "interrupted; nothing was compared or changed")
    }
    return try body(try ReportModel(reading: run))
  }
}
