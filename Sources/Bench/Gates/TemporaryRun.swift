import Foundation
import StorageContract
import StorageReport
import StorageRunFiles
import StorageTrial

/// A run that nobody asked to keep: its directory goes when it has been read.
struct TemporaryRun {
  let catalog: Catalog
  /// The directory that is made.
  let parent: String
  /// The same, where it lies in memory.
  private let memory: MemoryDirectory?
  let observer: any RunObserver

  /// A directory of this process's own below a parent.
  ///
  /// - Parameters:
  ///   - scratch: What `--scratch` says; where it says nothing, stores are made in memory if they fit there: calls to
  ///     sync count as they do on a disk, and take no time.
  ///   - bytes: What the run will take, roughly.
  init(catalog: Catalog, scratch: String?, bytes: Int, observer: any RunObserver) throws {
    self.catalog = catalog
    self.observer = observer
    if let scratch { try OutputDirectory.check(scratch, flag: "--scratch") }
    let memory = scratch == nil ? MemoryDirectory() : nil
    self.memory = memory?.holds(bytes) == true ? memory : nil
    if self.memory == nil { memory?.close() }
    let parent = scratch ?? FileManager.default.temporaryDirectory.path
    self.parent =
      self.memory?.path ?? URL(fileURLWithPath: "\(parent)/storage-bench-\(getpid())").standardizedFileURL.path
  }

  /// Runs the plan and hands its model to the body, then removes everything.
  ///
  /// - Throws: ``ExitStatus/Failure`` if it is interrupted, and what the body throws.
  func run<Result>(_ plan: Plan, _ body: (ReportModel) throws -> Result) async throws -> Result {
    let created = try OutputDirectory.create(parent)
    defer {
      try? FileManager.default.removeItem(atPath: created ?? parent)
      memory?.close()
    }
    let directory = RunDirectory(path: "\(parent)/run")
    try OutputDirectory.create(directory.url.path)
    let scratch = try Scratch("\(parent)/scratch", isOwn: true)
    var plan = plan
    plan.scratch = scratch.path
    try directory.begin(plan, MachineProbe(catalog: catalog, scratch: scratch.path).environment())
    let runner = Runner(
      plan: plan, catalog: catalog, directory: directory, scratch: scratch,
      launcher: ProcessLauncher(executable: ProcessInfo.executable), observer: observer)
    do {
      _ = try await Interruption.cancelling { try await runner.run() }
    } catch is CancellationError {
      scratch.close(keepingFixtures: false)
      throw ExitStatus.Failure(ExitStatus.interrupted, "interrupted; nothing was compared")
    } catch {
      scratch.close(keepingFixtures: false)
      throw error
    }
    scratch.close(keepingFixtures: false)
    return try body(try ReportModel(reading: directory))
  }
}
