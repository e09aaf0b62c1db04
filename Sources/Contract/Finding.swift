/// A figure that only some workloads report in addition to times and counts, such as the number of lost updates.
///
/// Each trial (one process that measures) reports a finding once. Reports combine the findings of trials by ``Rule``.
public struct Finding: Sendable, Hashable, Codable {
  /// The rule that combines the values of one finding from several trials. The trials are processes that make the same
  /// measurement.
  public enum Rule: String, Sendable, Codable {
    /// The sum of the values of all trials (measuring processes), for a number of events such as lost updates.
    case sum
    /// The maximum of the values of all trials (measuring processes), for a worst case such as the longest wait.
    case max
    /// The value of the first trial (measuring process), for a property of the store that is the same in all trials.
    case first
  }

  /// The finding's name in the result files, such as `lost_updates`. It ends with the unit, if any, as in
  /// `index_bytes`.
  public var name: String
  /// The finding's value in the unit at the end of ``name``, such as nanoseconds for `wait_p99_ns`.
  public var value: Double
  /// The rule that combines the finding's values from several trials (measuring processes).
  public var rule: Rule

  /// Creates a finding: a figure that a trial (one measuring process) reports in addition to times and counts.
  ///
  /// - Parameters:
  ///   - name: A name of letters, digits and underscores, with the unit at its end: `wait_p99_ns`.
  ///   - value: The value in the unit that the name ends with.
  ///   - rule: The rule that combines this value with the values of the same name from other trials.
  public init(_ name: String, _ value: Double, _ rule: Rule = .sum) {
    self.name = name
    self.value = value
    self.rule = rule
  }

  /// Merges `further`, the findings of one more trial, into the findings of earlier trials. Values of the same name are
  /// combined by the finding's rule, and findings with a new name are appended.
  public static func combine(_ further: [Finding], into findings: inout [Finding]) {
    for finding in further {
      guard let index = findings.firstIndex(where: { $0.name == finding.name }) else {
        findings.append(finding)
        continue
      }
      switch finding.rule {
      case .sum: findings[index].value += finding.value
      case .max: findings[index].value = Swift.max(findings[index].value, finding.value)
      case .first: break
      }
    }
  }
}
