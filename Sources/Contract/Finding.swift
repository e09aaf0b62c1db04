/// Something that a workload found out or counted beyond what every row has, such as updates that were lost.
///
/// A trial tells each once; a row combines those of its trials by ``Rule``.
public struct Finding: Sendable, Hashable, Codable {
  /// How the findings of a cell's trials make the row's.
  public enum Rule: String, Sendable, Codable {
    /// They add up: events.
    case sum
    /// The largest stands: a worst case.
    case max
    /// The first stands: the property of a store, which all trials find alike.
    case first
  }

  /// The name in the files, with its unit where it has one: `lost_updates`, `wait_p99_ns`, `index_bytes`.
  public var name: String
  /// The value.
  public var value: Double
  /// See ``Rule``.
  public var rule: Rule

  /// Creates a finding.
  ///
  /// - Parameters:
  ///   - name: Of letters, digits and underscores, with the unit at its end: `wait_p99_ns`.
  ///   - value: In that unit.
  ///   - rule: What becomes of it where several trials have one of the name.
  public init(_ name: String, _ value: Double, _ rule: Rule = .sum) {
    self.name = name
    self.value = value
    self.rule = rule
  }

  /// Takes the findings of a further trial into those of the ones before, which keep their order.
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
