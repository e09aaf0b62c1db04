import CInstrument
import Contract
import Foundation
import Workloads

/// A trial's way to its store's files.
struct StoreAccess {
  let request: TrialRequest
  let backend: any StorageBackend.Type
  let executable: String

  /// How the backend is to open the trial's store.
  static func environment(_ request: TrialRequest) -> StoreEnvironment {
    StoreEnvironment(
      directory: request.store, options: request.cell.backend.options,
      durability: request.cell.durability ?? .shipped)
  }

  /// What a session gets to work with.
  func context(source: any RecordSource, isCounting: Bool) -> SessionContext {
    SessionContext(
      source: source, seed: request.seed, recordBytes: request.cell.recordBytes, isCounting: isCounting,
      isVerifiable: backend.description.isVerifiable,
      open: { try backend.init(opening: Self.environment(request)) },
      clear: { try StoreFiles.empty(request.store) },
      cool: {
        guard request.cell.cache == .cold else { return }
        try StoreFiles.sync(request.store)
        try StoreFiles.drop(request.store)
      },
      launch: { try launch($0, keys: $1) })
  }

  private func launch(_ goal: LaunchGoal, keys: ClosedRange<Int64>) throws -> LaunchReport {
    var launched = request
    launched.task = .launch
    launched.goal = goal
    launched.keys = keys
    let arguments = [executable] + (try launched.arguments())
    let start = ci_now()
    let (status, output) = try ChildProcess.run(arguments)
    guard status == 0, let response = try? JSONDecoder().decode(TrialResponse.self, from: output) else {
      throw StoreError.failed("the launched process ended with status \(status)")
    }
    if let failure = response.failure { throw StoreError.failed("in the launched process: \(failure)") }
    guard let reached = response.reached, let digest = response.readDigest else {
      throw StoreError.failed("the launched process told no time")
    }
    return LaunchReport(duration: reached - start, digest: digest)
  }
}
