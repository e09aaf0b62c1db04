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
    var response: TrialResponse
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
      response = TrialResponse(failure: error.sentence.visible, isFullDisk: error.isFullDisk ? true : nil)
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
      try request.records(),
      despite: request.dataset == nil ? [] : backend.description.deviations(options))
    let source = kept.records
    if request.task == .partner, let order = request.partner {
      return TrialResponse(
        partner: try SecondProcess.work(
          order, on: source, seed: request.operationSeed, opening: environment, as: backend))
    }
    let steps = request.task.isTimed ? nil : try StepCounter(directory: request.directory)
    if request.task == .fixture {
      let fixture = try workload.fixture(of: source)
      // The caller must sync the finished store, and build it again after a power cut.
      ci_skip_syncs(1)
      if request.cell.aged > 0 {
        let life = AgedStore(
          of: fixture.records[0], times: request.cell.aged, seed: request.seed, payload: request.payloads)
        try life.apply(in: environment, with: backend) { steps?.step() }
      } else {
        try fixture.write(with: backend, in: environment)
      }
      return TrialResponse()
    }
    let trial = try TrialBody(
      request: request, workload: workload, backend: backend, source: source, executable: executable, steps: steps)
    var response =
      switch request.task {
      case .timed: try trial.timed(request.hasTurn == true ? gate : nil)
      case .cost: try trial.cost()
      case .once: try trial.once()
      case .verify: try trial.verify()
      case .trace: try trial.traced()
      case .fixture, .launch, .partner: TrialResponse()
      }
    if let note = kept.note { response.note = [response.note, note].compactMap { $0 }.joined(separator: "; ") }
    return response
  }

  private func launch(
    _ request: TrialRequest, _ backend: any StorageBackend.Type, _ environment: StoreEnvironment
  ) throws -> TrialResponse {
    let store = try backend.init(opening: environment)
    let records = try (request.goal ?? .first).reach(in: store, keys: request.keys ?? .all)
    let (reached, processorTime) = (ci_now(), ci_cpu_time())
    var interference = ci_interference()
    let waited = ci_read_interference(&interference) == 0 ? Int64(interference.waited) : nil
    let response = TrialResponse(
      settings: store.settings, reached: reached, processorTime: processorTime, waited: waited,
      readDigest: StableHash(of: records).value)
    try store.close()
    return response
  }
}

/// The child's side of the start signal for timing. The child writes an empty line when ready, and another when its
/// clock has stopped. The end of the child's input starts the clock.
struct ClockGate {
  let answers: AnswerStream

  /// Waits for the parent process's signal to start the clock. Throws ``StoreError`` if the parent has ended.
  func wait() throws {
    try announce()
    _ = try FileHandle.standardInput.readToEnd()
  }

  func announce() throws {
    guard answers.announceProgress() else {
      throw StoreError.failed("the process that waits for the answer is gone")
    }
  }
}

extension TrialRequest {
  func records() throws -> any RecordSource {
    if let dataset { return try Dataset(path: dataset, map: datasetMap ?? []) }
    return GeneratedRecords(count: cell.records, bytes: cell.recordBytes, payload: payloads, seed: seed)
  }

  fileprivate var payloads: GeneratedRecords.Payload { .init(rawValue: payload) ?? .random }
}
