/// A comparison operator of a rule such as `A p50 <= 5 x B`.
public enum RuleComparator: String, CaseIterable, Sendable {
  /// The operator of a rule that holds if the left side is less than the right side.
  case less = "<"
  /// The operator of a rule that holds if the left side is at most the right side.
  case atMost = "<="
  /// The operator of a rule that holds if both sides are equal. Counts must be equal except for rounding errors.
  case equal = "=="
  /// The operator of a rule that holds if the left side is at least the right side.
  case atLeast = ">="
  /// The operator of a rule that holds if the left side is greater than the right side.
  case more = ">"

  /// Judges a rule on two counts per operation, the left and the right side of the rule. Counts are the same in every
  /// measurement, so the only tolerance is for rounding errors. Such errors occur because a count per operation is a
  /// quotient.
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

  /// Judges a rule on a measured time, or on a ratio of two times, by the confidence interval of its median. The rule
  /// is broken if the whole interval violates it. The rule cannot be judged if the interval contains the limit `bound`
  /// and its relative half-width exceeds ``PairedStage/widestUsable``. Otherwise, the rule holds.
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
