import CStorageInstrument
import Foundation
import StorageContract
import StorageVerify
import StorageWorkloads

final class StoreAccess {
  private let request: TrialRequest
  private let backend: any StorageBackend.Type
  private let fixture: Fixture
  private let startsEmpty: Bool
  private let environment: StoreEnvironment
  private let executable: String
  /// The open store of a backend that keeps records only in memory. Closing the store would lose its content. Nil for
  /// other backends.
  private var kept: (any StorageBackend)?
  private(set) var keptShared: Provided<any SharedStore>?

  init(
    request: TrialRequest, backend: any StorageBackend.Type, workload: any Workload, source: any RecordSource,
    executable: String
  ) throws {
    self.request = request
    self.backend = backend
    fixture = try workload.fixture(of: source)
    startsEmpty = type(of: workload).description.startsEmpty
    environment = Self.environment(request, workload)
    self.executable = executable
  }

  /// Whether closing the store loses its content, as with a store in memory.
  var isVolatile: Bool { backend.description.kind(request.cell.backend.options) == .memory }

  func open() throws -> any StorageBackend {
    if let kept { return kept }
    let store = try backend.init(opening: environment)
    if isVolatile {
      if !startsEmpty { try fixture.fill(store) }
      kept = store
    }
    return store
  }

  func openShared() throws -> Provided<any SharedStore> {
    if let keptShared { return keptShared }
    let store = try Capability.concurrent(opening: environment, as: backend)
    if isVolatile {
      if !startsEmpty { try store.value.write { store in try fixture.changes.forEach(store.apply) } }
      keptShared = store
    }
    return store
  }

  /// Fills the store's write-ahead log once, if there is one, so that timed saves overwrite the log, as in an app in
  /// use.
  func useLog() throws { try (backend as? any WriteAheadLogged.Type)?.useLog(of: environment) }

  func close(_ store: any StorageBackend) throws {
    if kept == nil { try store.close() }
  }

  func reset(to fixture: String?) throws {
    try kept?.close()
    try keptShared?.value.close()
    (kept, keptShared) = (nil, nil)
    try DirectoryFiles.empty(request.store)
    if let fixture { try DirectoryFiles.copy(fixture, to: request.store) }
  }

  static func environment(_ request: TrialRequest, _ workload: any Workload) -> StoreEnvironment {
    StoreEnvironment(
      directory: request.store, options: request.cell.backend.options,
      durability: request.durability, collections: workload.collections,
      // Delayed writes would make counts vary.
      hasTimers: request.task.isTimed || request.task == .partner)
  }

  func context(isCounting: Bool) -> SessionContext {
    var context = SessionContext(
      fixture: fixture, seed: request.operationSeed, recordBytes: request.cell.recordBytes, isCounting: isCounting,
      isVerifiable: backend.description.isVerifiable, keepsRecords: request.cell.memory == nil,
      threads: request.cell.threads, backend: backend, environment: environment,
      open: { try self.open() },
      close: { try self.close($0) },
      openShared: { try self.openShared() },
      reset: { [request] in try self.reset(to: request.fixture) },
      launch: { try self.launch($0, keys: $1) },
      startPartner: { [request, executable] in try SecondProcessHandle($0, beside: request, executable) })
    context.closeShared = { store in if self.keptShared == nil { try store.close() } }
    context.between = { [request] body in
      if isCounting { return try body() }
      ci_defer_syncs(1)
      do {
        defer { ci_defer_syncs(0) }
        try body()
      }
      // Deferred writes are synced here, so that the next operation's sync does not pay for them.
      try StoreFiles.sync(request.store)
    }
    context.cool = { [request] in
      guard request.cell.cache == .cold else { return }
      try StoreFiles.sync(request.store)
      do {
        try StoreFiles.drop(request.store)
      } catch  where isCounting {
        // The error is ignored, because counts of system calls do not depend on the cache.
      }
    }
    context.acknowledged = isCounting ? { ci_acknowledge($0 ? 1 : 0) } : nil
    return context
  }

  private func launch(_ goal: LaunchGoal, keys: ClosedRange<Int64>) throws -> LaunchReport {
    var launched = request
    launched.task = .launch
    launched.goal = goal
    launched.keys = keys
    let arguments = [executable] + (try launched.arguments())
    let start = ci_now()
    let process = try SpawnedProcess(arguments)
    let output = try process.readAll().output
    let ending = process.wait()
    guard ending == .exited(code: 0), let response = SpawnedProcess.answer(TrialResponse.self, in: output) else {
      let how =
        switch ending {
        case .exited(code: 0): "ended without an answer"
        case .exited(let code): "ended with exit code \(code)"
        case .killed(let signal): "was killed by signal \(signal)"
        }
      throw StoreError.failed("the launched process \(how)")
    }
    if let error = response.error("in the launched process") { throw error }
    guard let reached = response.reached, let digest = response.readDigest else {
      throw StoreError.failed("the launched process reported no time")
    }
    return LaunchReport(
      duration: reached - start, processorTime: response.processorTime, waited: response.waited, digest: digest,
      settings: response.settings ?? "")
  }
}

/// A running second process that works on the same store as the measuring process.
final class SecondProcessHandle: RunningSecondProcess {
  private let process: SpawnedProcess

  init(_ order: SecondProcessOrder, beside trial: TrialRequest, _ executable: String) throws {
    var request = trial
    (request.task, request.partner, request.parent) = (.partner, order, getpid())
    process = try SpawnedProcess([executable] + (try request.arguments()))
  }

  deinit {
    kill()
    bury()
  }

  /// Whether the second process has written its report or has closed its output.
  var hasEnded: Bool { process.hasOutput }

  func kill() { process.kill() }

  func bury() { process.wait() }

  func report() throws -> SharingTally {
    // The process stays a zombie until this object is released. After waitpid, the kernel would add its writes to those
    // of the parent in /proc/PID/io (proc(5)).
    guard let response = SpawnedProcess.answer(TrialResponse.self, in: try process.readAll().output) else {
      let how =
        switch process.wait() {
        case .exited(let code): "ended with exit code \(code) and no answer"
        case .killed(let signal): "was killed by signal \(signal)"
        }
      throw StoreError.failed("the other process \(how)")
    }
    if let error = response.error("in the other process") { throw error }
    guard let report = response.partner else { throw StoreError.failed("the second process ended without a result") }
    return report
  }
}
