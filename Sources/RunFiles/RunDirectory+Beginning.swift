import Foundation

extension RunDirectory {
  /// Writes the files that a run begins with: `environment.json`, an empty journal and, last, `plan.json`. Where the
  /// plan is, there is a run.
  ///
  /// - Throws: ``FileWriteError`` naming the directory.
  public func begin(_ plan: Plan, _ environment: MachineEnvironment) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    do {
      try encoder.encode(environment).write(to: environmentURL, options: .atomic)
      try Data().write(to: trialsURL)
      try encoder.encode(plan).write(to: planURL, options: .atomic)
    } catch {
      throw FileWriteError(path: url.path, reason: error.localizedDescription, advice: "free some space")
    }
  }
}
