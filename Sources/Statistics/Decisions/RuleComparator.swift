/// A comparison operator of a rule such as `A p50 <= 5 x B`.
public enum RuleComparator: String, CaseIterable, Sendable {
  /// The operator `<`. The rule holds if the left side is less than the right side.
  case less = "<"
  /// The operator `<=`. The rule holds if the left side is at most the right side.
  case atMost = "<="
  /// The operator `==`. The rule holds if both sides are equal.
  case equal = "=="
  /// The operator `>=`. The rule holds if the left side is at least the right side.
  case atLeast = ">="
  /// The operator `>`. The rule holds if the left side is greater than the right side.
  case more = ">"

  /// Judges a rule on exact counts, such as `A syncs <= 2 x B`. `left` and `right` are the sides of the operator.
  public func verdict(_ left: Double, _ right: Double) -> ChangeVerdict {
    let isEqual = abs(left - right) <= 1e-12 * max(abs(left), abs(right))
    let holds =
      switch self {
      case .less: left < right && !isEqual
      case .atMost: left < right || isEqual
      case .equal: isEqual
      case .atLeast: left > right || isEqual
      case .more: left > right && !isEqual
      }
    return holds ? .holds : .broken
  }

  /// Judges a rule on times, such as `A p50 <= 5 x B`. `interval` is the confidence interval of the ratio A / B, and
  /// `bound` is 5.
  ///
  /// - Returns: `unmeasurable` if the interval contains the bound and is too wide; otherwise `holds` or `broken`.
  public func verdict(_ interval: MedianInterval, _ bound: Double) -> ChangeVerdict {
    let isBroken =
      switch self {
      case .less, .atMost: interval.low > bound
      case .equal: interval.low > bound || interval.high < bound
      case .atLeast, .more: interval.high < bound
      }
    let isOpen =
      interval.low < bound && bound < interval.high
      && (interval.relativeHalfWidth ?? .infinity) > PairedStage.widestUsable
    return isBroken ? .broken : isOpen ? .unmeasurable : .holds
  }
}
