import CStorageInstrument
import Foundation
import StorageContract
import StorageRunFiles
import StorageVerify
import StorageWorkloads

/// A trial: one process that measures one cell (a combination of backend, workload, record count and settings).
struct TrialBody {
  let request: TrialRequest
  let workload: any Workload
  let backend: any StorageBackend.Type
  let access: StoreAccess
  let steps: StepCounter?
  private let changesStore: Bool
  private let witness: WriteVisibility
  /// The safety level that the backend promises for saves. Nil if there is no level to check.
  private var promisedLevel: Level?

  init(
    request: TrialRequest, workload: any Workload, backend: any StorageBackend.Type, source: any RecordSource,
    executable: String, steps: StepCounter?
  ) throws {
    self.request = request
    self.workload = workload
    self.backend = backend
    self.steps = steps
    // A library that the options name is loaded before anything is counted or timed.
    _ = backend.description.loaded(request.cell.backend.options)
    access = try StoreAccess(
      request: request, backend: backend, workload: workload, source: source, executable: executable)
    changesStore = type(of: workload).description.access(request.cell.workload.options) == .writes
    witness = backend.description.witness(request.cell.backend.options)
    if changesStore, case .level(let level) = backend.promise(request.cell.durability ?? .shipped, options) {
      promisedLevel = level
    }
  }

  private var options: Options { request.cell.backend.options }

  /// Sets the store up, waits at the `gate`, times operations and verifies the store.
  func timed(_ gate: ClockGate?) throws -> TrialResponse {
    let session = try workload.session(access.context(isCounting: false))
    let isCold = request.cell.cache == .cold
    if isCold {
      // The files leave the page cache before the store is opened, since pages mapped by an open store would stay.
      try StoreFiles.sync(request.directory)
      try StoreFiles.drop(request.store)
    }
    let limit = MemoryLimit(request)
    let began = ci_now()
    try session.setUp()
    let opened = ci_now()
    if changesStore, !isCold { try access.useLog() }
    try limit?.opened()
    try StoreFiles.sync(request.directory)
    if let gate {
      try gate.wait()
      // This sync writes back the changes that a previous process and its cleanup have left.
      try StoreFiles.sync(request.directory)
    }
    let files = DirectoryFiles.paths(request.store)
    if !isCold { StoreFiles.warm(files) }
    let resident = StoreFiles.residentShare(files)
    var loop = MeasuringLoop(
      time: SystemTime(), target: request.trialTime, warms: !isCold && !request.isSlow, rate: request.rate,
      slowdown: request.slowdown ?? 0)
    loop.usualTarget = request.usualTrialTime
    loop.pace = type(of: workload).description.pace
    loop.onceLimit = request.onceLimit ?? .max
    if backend.description.kind(options) == .wholeFile {
      loop.warmUpLimit = MeasuringLoop<SystemTime>.slowLimit
    }
    let logs = StoreFiles.logs(files)
    let syncs = changesStore && request.cell.durability != nil
    let meter = InterferenceMeter(session, syncsIn: syncs ? request.directory : nil)
    var (timing, operations) = try loop.run(session)
    timing.interference = meter.interference(session)
    try gate?.announce()
    // The store is temporary, so syncs are skipped: the trial reads the store once more and then removes it.
    ci_defer_syncs(1)
    timing.checkpoints = StoreFiles.checkpoints(from: logs, to: StoreFiles.logs(DirectoryFiles.paths(request.store)))
    timing.resident = resident
    var response = TrialResponse(
      settings: session.settings, streamHash: session.streamHash, timing: timing, operations: operations,
      opening: opened - began, opened: opened)
    if changesStore { try session.finish() }
    response.findings = (session.findings + (limit?.findings ?? [])).nilIfEmpty
    // Every read has been checked. Another process, which counts system calls, verifies a store that was only read.
    let last: Any? = changesStore ? try reopen(session, after: operations, hashes: false).store : session
    // The object is kept until the process ends, because releasing a large store would take too long.
    _ = last.map { Unmanaged.passRetained($0 as AnyObject) }
    return response
  }

  /// Runs a cost trial, which counts the system calls and other costs of a fixed number of operations.
  func cost() throws -> TrialResponse {
    let operations = workload.countedOperations(
      records: request.cell.records, kind: backend.description.kind(options))
    let session = try workload.session(access.context(isCounting: true))
    // Statements are counted only after the first reading of the counter, so it is read before the store is opened.
    _ = backend.description.statements?()
    // Dispatch starts its threads before system calls are counted.
    let group = DispatchGroup()
    DispatchQueue.global().async(group: group) {}
    group.wait()
    ci_count_streams(request.directory)
    var limit = MemoryLimit(request)
    try session.setUp()
    try limit?.opened()
    // As in a timed trial, the store's files are read into memory, as far as the memory limit allows.
    if limit != nil, request.cell.cache != .cold { StoreFiles.warm(DirectoryFiles.paths(request.store)) }
    try session.prepare(0..<operations)
    steps?.step()
    if changesStore, request.deviceCounter != nil { try access.useLog() }
    let deviceBytesBefore = try deviceBytes()
    let statementsBefore = backend.description.statements?()
    var meter = try CostMeter(root: request.directory)
    limit?.begin()
    for operation in 0..<operations {
      try session.perform(operation)
      ci_acknowledge(session.endsInSave(operation) ? 1 : 0)
      meter.sampleMemory()
      steps?.step()
    }
    limit?.end(operations)
    meter.acknowledged()
    let deviceBytesAfter = try deviceBytes()
    let statements = backend.description.statements?()
    let settings = session.settings
    try session.verify(0..<operations)
    let remembered = session.settings
    try session.finish()
    var cost = meter.settled(mapped: backend.description.mapped(options), witness: witness)
    try confirmLevel()
    cost.countedOperations = operations
    if let deviceBytesBefore, let deviceBytesAfter { cost.deviceBytes = deviceBytesAfter - deviceBytesBefore }
    if let statements, let statementsBefore, statements > statementsBefore {
      cost.statements = statements - statementsBefore
    }
    cost.bytesChanged = changesStore ? session.bytesChanged(by: operations) : nil
    let sizes = StoreFiles.sizes(request.store)
    cost.fileBytes = sizes.length
    cost.fileBytesAllocated = sizes.allocated
    cost.inodes = sizes.inodes
    return TrialResponse(
      note: levelNote, settings: settings.isEmpty ? remembered : settings, streamHash: session.streamHash, cost: cost,
      findings: (session.findings + (limit?.findings ?? [])).nilIfEmpty, operations: operations)
  }

  /// Flushes pending writes. Returns the bytes written so far to the store's block device, such as a loop device; nil
  /// if other processes may write to it.
  private func deviceBytes() throws -> Int? {
    guard let counter = request.deviceCounter else { return nil }
    try StoreFiles.sync(request.directory)
    // The seventh number, in sectors of 512 bytes (Documentation/block/stat.rst).
    guard let text = try? String(contentsOfFile: counter, encoding: .utf8),
      let sectors = text.split(whereSeparator: \.isWhitespace).dropFirst(6).first.flatMap({ Int($0) })
    else { throw StoreError.failed("cannot read \(counter)") }
    return sectors * 512
  }

  /// Throws ``StoreError`` if the calls contradict the promised safety level, for example by a missing sync.
  private func confirmLevel() throws {
    guard let level = promisedLevel, witness == .calls else { return }
    if let refutation = ci_saves.counted.refutation(of: level) { throw StoreError.failed(refutation) }
  }

  /// The reason why the promised safety level was not checked, for reports; nil if it was, or needs no check.
  private var levelNote: String? {
    guard let level = promisedLevel, level >= .intact, let obstacle = witness.obstacle else { return nil }
    return "\(level.rawValue) is promised and not confirmed: \(obstacle)"
  }

  /// Runs a fixed number of operations, and verifies the store. Throws if the system calls cannot give the promised
  /// safety level.
  func once() throws -> TrialResponse {
    let operations = workload.digestedOperations(records: request.cell.records)
    ci_begin(request.directory)
    let (session, totals) = try run(operations)
    ci_end()
    try confirmLevel()
    var cost = Cost(countedOperations: operations)
    cost.digest = totals?.digest.text
    return TrialResponse(
      note: levelNote, settings: session.settings, streamHash: session.streamHash, cost: cost,
      findings: session.findings.nilIfEmpty, operations: operations)
  }

  /// The maximum number of traced operations. The first may make extra calls, for example to create a file. The third
  /// is assumed to be typical of all later operations.
  private static let tracedOperations = 3

  func traced() throws -> TrialResponse {
    let session = try workload.session(access.context(isCounting: true))
    // The copied store is written back here, so that the first sync of an operation does not pay for the copy.
    try StoreFiles.sync(request.directory)
    StoreFiles.warm(DirectoryFiles.paths(request.store))
    let watch = try CallWatch(request.directory, log: request.log, logsReads: true)
    // The start and end of each operation, in nanoseconds of CLOCK_MONOTONIC, as for the logged system calls.
    var spans: [ClosedRange<Int64>] = []
    // Only connections that are opened after the first call are recorded.
    let texts = request.recordsSQL == true ? backend.description.statementTexts : nil
    _ = texts?()
    var statements: [[String]] = []
    try session.setUp()
    for operation in 0..<min(Self.tracedOperations, session.limit ?? .max) {
      try session.prepare(operation..<operation + 1)
      _ = texts?()
      let before = WriteTally()
      let began = ci_now()
      try session.perform(operation)
      spans.append(began...ci_now())
      if let gap = WriteTally().gap(since: before) {
        throw StoreError.failed(
          "the log of calls is incomplete (\(gap)): the calls of this backend cannot be observed")
      }
      if let texts { statements.append(texts()) }
      try session.verify(operation..<operation + 1)
      steps?.step()
    }
    _ = watch.end()
    let response = TrialResponse(
      settings: session.settings, operations: spans.count, spans: spans, statements: statements)
    try session.finish()
    _ = try check(session, after: spans.count)
    return response
  }

  /// Verifies a store that another process has left as files. The response contains a hash of the content.
  func verify() throws -> TrialResponse {
    let operations = request.operations ?? 0
    let digested = workload.digestedOperations(records: request.cell.records)
    var layout: StoreLayout?
    // A workload that only reads leaves the same content after any number of operations.
    let isDigest = operations == digested || !changesStore
    // A volatile store has ended with its process, so its operations are repeated here.
    let totals =
      access.isVolatile
      ? try run(operations).totals
      : try check(workload.session(access.context(isCounting: true)), after: operations, hashes: isDigest) { store in
        layout = try (store as? any Inspecting)?.layout()
      }
    var cost = Cost(countedOperations: operations)
    cost.storedBytes = totals?.storedBytes
    if isDigest {
      cost.digest = totals?.digest.text
    } else if backend.description.isVerifiable {
      try access.reset(to: request.fixture)
      cost.digest = try run(digested).totals?.digest.text
    }
    return TrialResponse(cost: cost, findings: layout?.findings.nilIfEmpty)
  }

  private func run(_ operations: Int) throws -> (session: any WorkloadSession, totals: Expectation.Totals?) {
    let session = try workload.session(access.context(isCounting: true))
    try session.setUp()
    for operation in 0..<operations {
      try session.prepare(operation..<operation + 1)
      ci_acknowledge(0)
      try session.perform(operation)
      ci_acknowledge(session.endsInSave(operation) ? 1 : 0)
      try session.verify(operation..<operation + 1)
      steps?.step()
    }
    try session.finish()
    return (session, try check(session, after: operations))
  }

  private func check(
    _ session: any WorkloadSession, after operations: Int, hashes: Bool = true,
    _ inspect: (any StorageBackend) throws -> Void = { _ in }
  ) throws -> Expectation.Totals? {
    let (totals, store) = try reopen(session, after: operations, hashes: hashes)
    if let store {
      try inspect(store)
      try access.close(store)
    }
    return totals
  }

  /// Opens the store again, and verifies its content. Returns the verified totals, and the store if the caller must
  /// close it. Returns nil for both if the backend is not verifiable.
  ///
  /// - Parameter hashes: Whether the hash in the totals includes the records.
  private func reopen(
    _ session: any WorkloadSession, after operations: Int, hashes: Bool
  ) throws -> (totals: Expectation.Totals?, store: (any StorageBackend)?) {
    guard backend.description.isVerifiable else { return (nil, nil) }
    // The memory limit applies to measurements, not to verification.
    try MemoryLimit.leave(request)
    if let shared = access.keptShared {
      return (try shared.value.read { try session.expectation(after: operations).check($0, hashes: hashes) }, nil)
    }
    let store = try access.open()
    do {
      return (try session.expectation(after: operations).check(store, hashes: hashes), store)
    } catch {
      try? access.close(store)
      throw error
    }
  }
}

extension [Finding] {
  fileprivate var nilIfEmpty: [Finding]? { isEmpty ? nil : self }
}
