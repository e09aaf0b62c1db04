import Foundation
import StorageContract

/// The results of fault tests (tests with injected failures) that can be shown with a run. They are from `safety.json`
/// in the run's directory and in sibling directories.
public struct SafetyRecords: Sendable {
  /// The reports of fault tests, the newest first.
  public let reports: [SafetyReport]

  /// Creates records from reports of fault tests (tests with injected failures), in any order. An empty array means
  /// that nothing was tested.
  public init(_ reports: [SafetyReport] = []) {
    self.reports = reports.sorted { $0.created > $1.created }
  }

  /// Finds the fault test reports for a run. If the report of a sibling directory is unreadable, it is ignored.
  ///
  /// - Throws: `UsageError` if the run's own report cannot be read, is damaged, or has another schema version.
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

  /// Returns the fault test results for a backend with given settings. If several reports have results for a kind of
  /// fault (an injected failure), the newest report counts. The array is empty if no report has results.
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
