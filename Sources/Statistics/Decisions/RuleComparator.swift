/// How the two sides of a rule are compared.
public enum RuleComparator: String, CaseIterable, Sendable {
  /// The left side lies below the right one.
  case less = "<"
  /// The left side does not exceed the right one.
  case atMost = "<="
  /// Both are the same; of counts exactly.
  case equal = "=="
  /// The left side does not lie below the right one.
  case atLeast = ">="
  /// The left side exceeds the right one.
  case more = ">"

  /// Decides on two counts per operation, which repeat exactly: quotients of whole numbers, of which nothing but the
  /// rounding of the quotient itself is forgiven.
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

  /// Decides on a figure that scatters, from the interval of its median: the rule is broken only if the whole interval
  /// breaks it, and not judged where an interval holds the bound and much more.
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
