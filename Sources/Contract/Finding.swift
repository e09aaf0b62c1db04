/// A figure that a workload reports in addition to the usual ones of a row in a report, such as lost updates.
///
/// A trial reports each finding once. A row combines the findings of its trials by ``Rule``.
public struct Finding: Sendable, Hashable, Codable {
  /// The rule that combines the findings of the trials of one benchmark cell.
  public enum Rule: String, Sendable, Codable {
    /// The sum of the trials' values, used for numbers of events.
    case sum
    /// The maximum of the trials' values, used for a worst case.
    case max
    /// The value of the first trial, used for a property of a store, which is the same in all trials.
    case first
  }

  /// The finding's name in the files, with its unit if it has one: `lost_updates`, `wait_p99_ns`, `index_bytes`.
  public var name: String
  /// The finding's value in the unit of its name.
  public var value: Double
  /// The rule that combines the values of several trials.
  public var rule: Rule

  /// Creates a finding of a trial.
  ///
  /// - Parameters:
  ///   - name: A name of letters, digits and underscores, with the unit at its end: `wait_p99_ns`.
  ///   - value: The value in that unit.
  ///   - rule: The rule that combines the value with findings of the same name in other trials.
  public init(_ name: String, _ value: Double, _ rule: Rule = .sum) {
    self.name = name
    self.value = value
    self.rule = rule
  }

  /// Combines the findings of a further trial, such as lost updates, with those of earlier trials in their order.
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
