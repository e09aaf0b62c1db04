/// A number that a workload reports besides times, writes and syncs, such as the number of lost updates. A ``Rule``
/// combines the numbers of several trials.
public struct Finding: Sendable, Hashable, Codable {
  /// The rule by which a report combines the numbers that several trials have reported under one name.
  public enum Rule: String, Sendable, Codable {
    /// The rule that adds the numbers of all trials, for a number of events such as lost updates.
    case sum
    /// The rule that takes the maximum of the numbers of all trials, for a worst case such as the longest wait.
    case max
    /// The rule that keeps the first trial's number, for a property that has the same value in all trials.
    case first
  }

  /// The name of the number in the result files, such as `lost_updates`. Any unit is at the end of the name:
  /// `index_bytes`.
  public var name: String
  /// The number itself, in the unit at the end of its name: nanoseconds for `wait_p99_ns`.
  public var value: Double
  /// The rule by which a report combines the numbers of several trials, for example as their sum.
  public var rule: Rule

  /// Creates a number that one trial reports.
  ///
  /// - Parameters:
  ///   - name: A name of letters, digits and underscores, with the unit at its end: `wait_p99_ns`.
  ///   - rule: The rule that combines the numbers of several trials.
  public init(_ name: String, _ value: Double, _ rule: Rule = .sum) {
    self.name = name
    self.value = value
    self.rule = rule
  }

  /// Combines the findings of a further trial with those of earlier trials. Findings with the same name are combined by
  /// their ``rule``; others are appended.
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
