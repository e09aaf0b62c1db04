import CStorageInstrument
import Foundation
import StorageContract
import StorageVerify
import StorageWorkloads

/// The handler of a request to a child process, such as to measure a store. The child process prints one answer and
/// ends.
package struct TrialChild {
  private let catalog: Catalog
  private let executable: String

  /// Creates a request handler. `executable` is the path of this program, which some workloads start again.
  package init(catalog: Catalog, executable: String) { (self.catalog, self.executable) = (catalog, executable) }

  /// Handles a JSON request, and writes the answer or error to standard output. Returns whether the answer was written.
  package func run(_ argument: String) -> Bool {
    let answers = AnswerStream()
    var response = TrialResponse()
    do {
      let request = try JSONDecoder().decode(TrialRequest.self, from: Data(argument.utf8))
      if let parent = request.parent {
        ci_end_with_parent(parent)
      } else {
        ci_limit_lifetime(UInt32(max(1, request.lifetime)))
      }
      response = try answer(request, ClockGate(answers: answers))
    } catch {
      // A message may quote a record with arbitrary text, so control characters are escaped.
      response.failure = error.sentence.visible
      response.isFullDisk = error.isFullDisk ? true : nil
    }
    // The suite asks other builds for these properties with an invalid request, so they are always set.
    response.knowsStreams = true
    response.isDebug = DebugBuild.isThisBuild
    return answers.write(response)
  }

  private func answer(_ request: TrialRequest, _ gate: ClockGate) throws -> TrialResponse {
    let backend = try catalog.backend(request.cell.backend.id)
    let workload = try catalog.workload(request.cell.workload)
    let environment = StoreAccess.environment(request, workload)
    if request.task == .launch { return try launch(request, backend, environment) }
    let options = request.cell.backend.options
    let kept = KeptRecords(
      try RecordSources.source(for: request),
      despite: request.dataset == nil ? [] : backend.description.deviations(options))
    let source = kept.records
    if request.task == .partner, let order = request.partner {
      var response = TrialResponse()
      response.partner = try SecondProcess.work(
        order, on: source, seed: request.operationSeed, opening: environment, as: backend)
      return response
    }
    let steps = request.task.isTimed ? nil : try StepCounter(directory: request.directory)
    if request.task == .fixture {
      try build(request, workload.fixture(of: source), backend, environment, steps)
      return TrialResponse()
    }
    let trial = try TrialBody(
      request: request, workload: workload, backend: backend, source: source, executable: executable, steps: steps)
    var response = TrialResponse()
    switch request.task {
    case .timed: response = try trial.timed(request.hasTurn == true ? gate : nil)
    case .cost: response = try trial.cost()
    case .once: response = try trial.once()
    case .verify: response = try trial.verify()
    case .trace: response = try trial.traced()
    case .fixture, .launch, .partner: break
    }
    if let note = kept.note { response.note = [response.note, note].compactMap { $0 }.joined(separator: "; ") }
    return response
  }

  /// Builds the initial store, of which each trial gets a copy. Nothing is synced, so the caller must sync the finished
  /// store, and build the store again after a power cut.
  private func build(
    _ request: TrialRequest, _ fixture: Fixture, _ backend: any StorageBackend.Type, _ environment: StoreEnvironment,
    _ steps: StepCounter?
  ) throws {
    ci_skip_syncs(1)
    guard request.cell.aged > 0 else { return try fixture.write(with: backend, in: environment) }
    let life = AgedStore(
      of: fixture.records[0], times: request.cell.aged, seed: request.seed,
      payload: GeneratedRecords.Payload(rawValue: request.payload) ?? .random)
    try life.apply(in: environment, with: backend) { steps?.step() }
  }

  private func launch(
    _ request: TrialRequest, _ backend: any StorageBackend.Type, _ environment: StoreEnvironment
  ) throws -> TrialResponse {
    let store = try backend.init(opening: environment)
    let records = try (request.goal ?? .first).reach(in: store, keys: request.keys ?? .all)
    let (reached, processorTime) = (ci_now(), ci_cpu_time())
    var response = TrialResponse()
    response.reached = reached
    response.processorTime = processorTime
    var interference = ci_interference()
    response.waited = ci_read_interference(&interference) == 0 ? Int64(interference.waited) : nil
    response.settings = store.settings
    response.readDigest = LaunchReport.digest(of: records)
    try store.close()
    return response
  }
}

enum RecordSources {
  static func source(for request: TrialRequest) throws -> any RecordSource {
    if let dataset = request.dataset { return try Dataset(path: dataset, map: request.datasetMap ?? []) }
    return GeneratedRecords(
      count: request.cell.records, bytes: request.cell.recordBytes,
      payload: GeneratedRecords.Payload(rawValue: request.payload) ?? .random, seed: request.seed)
  }
}
