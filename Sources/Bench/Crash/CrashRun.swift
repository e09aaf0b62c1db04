import Foundation
import StorageContract
import StorageRunFiles
import StorageVerify

struct CrashRun: Sendable {
  struct Subject: Sendable {
    var spec: Spec
    var durability: Durability
    /// The crash tests of the backend ``spec`` at this ``durability``, one for each sequence of saves.
    var tests: [CrashTest]
  }

  let subjects: [Subject]
  let directory: String

  /// Runs the crash tests of all ``subjects`` at the same time. A subject is a backend with a durability.
  ///
  /// - Parameter progress: Called after one or more cases (tries of a fault), possibly on several threads at once.
  /// - Returns: The results in the order of ``subjects``, and a sentence about each subject that was not tested.
  /// - Throws: `UsageError` for invalid options; `FileWriteError` for a full disk; `CancellationError`.
  func results(progress: @escaping @Sendable (CrashProgress) -> Void) async throws -> (
    results: [CrashResult], untested: [String]
  ) {
    let outcomes = await withTaskGroup(of: (Int, Result<[CrashResult], any Error>).self) { group in
      for (index, subject) in subjects.enumerated() {
        group.addTask { (index, Result { try results(subject, progress) }) }
      }
      return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
    }
    try Task.checkCancellation()
    var (all, untested): ([CrashResult], [String]) = ([], [])
    for (subject, outcome) in zip(subjects, outcomes) {
      switch outcome {
      case .success(let results): all += results
      case .failure(let error as UsageError): throw error
      case .failure(let error) where error.isFullDisk:
        throw FileWriteError(path: directory, reason: error.sentence, advice: "free some space")
      case .failure(let error):
        untested.append("\(subject.spec), \(subject.durability.rawValue), was not tested: \(error.sentence)")
      }
    }
    return (all, untested)
  }

  private func results(_ subject: Subject, _ progress: (CrashProgress) -> Void) throws -> [CrashResult] {
    var all: [CrashResult] = []
    for test in subject.tests {
      let results = try test.results(progress: progress)
      if all.isEmpty { all = results } else { for index in all.indices { all[index].add(results[index]) } }
    }
    return all
  }
}

extension SafetyReport.FaultResult {
  static func all(_ result: CrashResult) -> [Self] {
    var results = result.variants.map { Self(result, $0) }
    if results.isEmpty { results = [Self(result, nil)] }
    results[0].note = ([result.notApplicable].compactMap(\.self) + result.notes).joined(separator: " ")
    results[0].seconds = result.seconds
    return results
  }

  private init(_ result: CrashResult, _ variant: CrashResult.Variant?) {
    let tally = result[variant?.name ?? ""]
    let spec = result.options.isEmpty ? result.backend : "\(result.backend):\(result.options)"
    self.init(
      backend: spec, durability: result.durability, level: result.level, engine: result.engineVersion,
      settings: result.settings, fault: result.fault, variant: variant?.name ?? "", cases: tally.cases,
      kept: tally[.kept], lostWithinPromise: tally[.lostWithin], lostAgainstPromise: tally[.lostAgainst],
      torn: tally[.torn], refused: tally[.refused], unnoticed: tally[.unnoticed], crashed: tally[.crashed],
      broken: tally.broken)
    possible = variant?.possible
    failures = result.stories.filter { $0.variant == variant?.name ?? "" }.map {
      SafetyReport.Failure(
        name: $0.caseName, story: $0.sentences, columns: $0.columns, command: $0.command, replay: $0.replay)
    }
  }
}
