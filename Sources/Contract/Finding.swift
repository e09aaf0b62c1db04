/// A figure that a workload reports in addition to the usual ones of a row, such as lost updates.
///
/// A trial reports each finding once. A row combines the findings of its trials by ``Rule``.
public struct Finding: Sendable, Hashable, Codable {
  /// The rule that combines the findings of a cell's trials.
  public enum Rule: String, Sendable, Codable {
    /// The sum: for events.
    case sum
    /// The maximum: for a worst case.
    case max
    /// The first one: for a property of a store, which is the same in all trials.
    case first
  }

  /// The name in the files, with its unit if it has one: `lost_updates`, `wait_p99_ns`, `index_bytes`.
  public var name: String
  /// The value.
  public var value: Double
  /// The rule that combines several trials.
  public var rule: Rule

  /// Creates a finding.
  ///
  /// - Parameters:
  ///   - name: Of letters, digits and underscores, with the unit at its end: `wait_p99_ns`.
  ///   - value: The value in that unit.
  ///   - rule: The rule that combines it with findings of the same name in other trials.
  public init(_ name: String, _ value: Double, _ rule: Rule = .sum) {
    self.name = name
    self.value = value
    self.rule = rule
  }

  /// Combines the findings of a further trial with those of earlier ones, which keep their order.
  public static func combine(_ further: [Finding], into findings: inout [Finding]) {
    for finding in further {
      guard let place = findings.firstIndex(where: { $0.name == finding.name }) else {
        findings.append(finding)
        continue
      }
      switch finding.rule {
      case .sum: findings[place].value += finding.value
      case .max: findings[place].value = Swift.max(findings[place].value, finding.value)
      case .first: break
      }
    }
  }
}
