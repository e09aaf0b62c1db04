import Foundation
import StorageContract

/// The fault tests that a run's page can show: its own `safety.json`, and those of the directories beside it.
public struct SafetyRecords: Sendable {
  /// The newest first.
  public let reports: [SafetyReport]

  /// Puts records in order; one without any has been tested nowhere.
  public init(_ reports: [SafetyReport] = []) {
    self.reports = reports.sorted { $0.created > $1.created }
  }

  /// Finds the records of a run. Of the directories beside it only what can be read counts: they are other runs.
  ///
  /// - Throws: `UsageError` if the run's own record cannot be read, is damaged, or has another schema version.
  public init(of run: RunDirectory) throws {
    let directory = run.url.resolvingSymlinksInPath()
    let parent = directory.deletingLastPathComponent()
    let names = (try? FileManager.default.contentsOfDirectory(atPath: parent.path)) ?? []
    let others = names.filter { $0 != directory.lastPathComponent }.compactMap { name in
      // `latest` leads to a directory that is there under its own name.
      let other = parent.appendingPathComponent(name)
      let isLink = (try? FileManager.default.destinationOfSymbolicLink(atPath: other.path)) != nil
      return isLink ? nil : try? RunDirectory(url: other).safety()
    }
    self.init(others + [try run.safety()].compactMap(\.self))
  }

  /// What was found of a backend, tested with the same engine and settings: of each fault what the newest record says
  /// that has it. Empty where none has any.
  public func findings(
    backend: String, durability: Durability, engine: String, settings: String
  ) -> [SafetyReport.FaultResult] {
    var found: [SafetyReport.FaultResult] = []
    for report in reports {
      let known = Set(found.map(\.fault))
      found += report.findings.filter {
        $0.backend == backend && $0.durability == durability && $0.engine == engine && $0.settings == settings
          && !known.contains($0.fault)
      }
    }
    return found
  }
}
