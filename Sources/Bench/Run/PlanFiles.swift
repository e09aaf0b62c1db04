import Foundation
import StorageReport

/// The files that a run begins with.
enum PlanFiles {
  /// Writes `environment.json`, `plan.json` and an empty journal. The plan comes last: where it is, there is a run.
  static func write(_ plan: Plan, _ environment: MachineEnvironment, to directory: RunDirectory) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    do {
      try encoder.encode(environment).write(to: directory.environmentURL, options: .atomic)
      try Data().write(to: directory.trialsURL)
      try encoder.encode(plan).write(to: directory.planURL, options: .atomic)
    } catch {
      throw ExitStatus.Failure(
        ExitStatus.ioError, "cannot write to \(directory.url.path): \(error.localizedDescription); free some space")
    }
  }
}

/// `results/latest`, a link to the newest run.
enum LatestLink {
  /// Points the link beside a run's directory to it. A directory of that name is left alone.
  static func point(to directory: RunDirectory) {
    let link = directory.url.deletingLastPathComponent().appendingPathComponent("latest").path
    let isLink = (try? FileManager.default.destinationOfSymbolicLink(atPath: link)) != nil
    if isLink { try? FileManager.default.removeItem(atPath: link) }
    try? FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: directory.url.lastPathComponent)
  }
}
