/// A figure that a workload reports besides times, writes and syncs, such as lost updates. A ``Rule`` combines repeated
/// values.
public struct Finding: Sendable, Hashable, Codable {
  /// The rule by which a report combines the values of one figure from repeated measurements.
  public enum Rule: String, Sendable, Codable {
    /// The rule that adds the values of all repeated measurements, for a number of events such as lost updates.
    case sum
    /// The rule that takes the maximum of all repeated measurements, for a worst case such as the longest wait.
    case max
    /// The rule that takes the value of the first measurement, for a property that is the same in all repeated
    /// measurements.
    case first
  }

  /// The name of the figure in the result files, such as `lost_updates`. Any unit is at the end of the name:
  /// `index_bytes`.
  public var name: String
  /// The value of the figure, in the unit at the end of its name: nanoseconds for `wait_p99_ns`.
  public var value: Double
  /// The rule by which a report combines this figure's numbers from repeated measurements, for example as their sum.
  public var rule: Rule

  /// Creates a figure that one measurement reports.
  ///
  /// - Parameters:
  ///   - name: A name of letters, digits and underscores, with the unit at its end: `wait_p99_ns`.
  ///   - rule: The rule that combines the values of repeated measurements.
  public init(_ name: String, _ value: Double, _ rule: Rule = .sum) {
    self.name = name
    self.value = value
    self.rule = rule
  }

  /// Combines further findings with those of earlier measurements: values of one name by ``rule``. New names are
  /// appended.
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
