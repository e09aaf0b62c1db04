import Foundation
import StorageContract

/// The results of crash tests for a run, from `safety.json` in the run's directory and in the sibling directories.
public struct SafetyRecords: Sendable {
  /// The reports of crash tests, the newest first.
  public let reports: [SafetyReport]

  /// Creates a collection of crash test reports, in any order. An empty array means that nothing was tested.
  public init(_ reports: [SafetyReport] = []) {
    self.reports = reports.sorted { $0.created > $1.created }
  }

  /// Reads the crash test results of a run's directory and its siblings. Unreadable results of siblings are ignored.
  ///
  /// - Throws: `UsageError` if the run's own results cannot be read, are damaged, or have another schema version.
  public init(of run: RunDirectory) throws {
    let directory = run.url.resolvingSymlinksInPath()
    let parent = directory.deletingLastPathComponent()
    let names = (try? FileManager.default.contentsOfDirectory(atPath: parent.path)) ?? []
    let others = names.filter { $0 != directory.lastPathComponent }.compactMap { name in
      // `latest` links to a directory that is listed under its own name.
      let other = parent.appendingPathComponent(name)
      let isLink = (try? FileManager.default.destinationOfSymbolicLink(atPath: other.path)) != nil
      return isLink ? nil : try? RunDirectory(url: other).safety()
    }
    self.init(others + [try run.safety()].compactMap(\.self))
  }

  /// Returns the newest crash test result per fault (simulated failure) for a backend with these settings; empty if
  /// there is none.
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
