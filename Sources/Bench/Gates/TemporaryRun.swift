import Foundation
import StorageContract
import StorageReport
import StorageRunFiles
import StorageTrial

/// A run that is not kept: its directory is removed when it has been read.
struct TemporaryRun {
  let catalog: Catalog
  private let directory: OwnedDirectory
  let observer: any RunObserver

  /// Creates a directory for this process.
  ///
  /// - Parameters:
  ///   - scratch: The value of `--scratch`. Without one, stores are made in memory if they fit there: syncs count there
  ///     as on a disk, and take no time.
  ///   - bytes: The approximate size of the run.
  init(catalog: Catalog, scratch: String?, bytes: Int, observer: any RunObserver) throws {
    self.catalog = catalog
    self.observer = observer
    let memory = scratch == nil ? MemoryDirectory.owned(holding: bytes) : nil
    directory = try memory ?? .temporary(in: scratch ?? FileManager.default.temporaryDirectory.path)
  }

  /// Runs the plan, passes its model to the body, and removes everything.
  ///
  /// - Throws: ``ExitStatus/Failure`` if it is interrupted, and the body's errors.
  func run<Result>(_ plan: Plan, _ body: (ReportModel) throws -> Result) async throws -> Result {
    defer { directory.removeAll() }
    let run = RunDirectory(path: "\(directory.path)/run")
    try directory.makeDirectory(run.url.path)
    let session = try RunSession.open(plan, at: run, stores: "\(directory.path)/scratch", catalog: catalog)
    do {
      _ = try await session.run(catalog: catalog, observer: observer)
    } catch is CancellationError {
      throw ExitStatus.Failure(ExitStatus.interrupted, "interrupted; nothing was compared")
    }
    return try body(try ReportModel(reading: run))
  }
}
