/// The verdict on the change from an old to a new build. It is for one benchmark (a backend with a workload) or for one
/// rule, such as `A p50 <= 5 x B`.
public enum ChangeVerdict: String, Sendable, Codable, CaseIterable {
  // The order is that of `worse(_:)`: verdicts more unfavorable to the new build, the head, come first.

  /// The new build crashed, exceeded its time limit, or returned a wrong result.
  case failed
  /// The new build takes longer, confirmed by a second series of measurements.
  case slower
  /// The new build writes, syncs or allocates more than the old build.
  case more
  /// The new build breaks a rule. For example, the rule `A p50 <= 5 x B` requires that A's median time is at most five
  /// times B's.
  case broken
  /// The difference cannot be judged, because the machine is too noisy or the engines of the two builds differ.
  case unmeasurable
  /// The new build takes less time, confirmed by a second series of measurements.
  case faster
  /// The new build writes, syncs or allocates less than the old build.
  case fewer
  /// The two builds do not differ by a relevant amount.
  case same
  /// The new build keeps a rule. For example, the rule `A p50 <= 5 x B` requires that A's median time is at most five
  /// times B's.
  case holds
  /// Neither the old nor the new build can run this backend with this workload.
  case notAvailable = "n/a"

  /// Compares a count of the old build, the base, with that of the new build, the head.
  ///
  /// - Parameters:
  ///   - base: The count of the old build.
  ///   - head: The count of the new build.
  ///   - tolerance: The allowed relative difference, 0.01 for 1 %. With 0 any difference counts.
  public init(count base: Int, _ head: Int, tolerance: Double) {
    // A count that does not repeat exactly may differ by one or two, however small the count is.
    let slack = tolerance > 0 ? max(Double(base) * tolerance, 2) : 0
    if Double(head) > Double(base) + slack {
      self = .more
    } else if Double(head) < Double(base) - slack {
      self = .fewer
    } else {
      self = .same
    }
  }

  /// Creates the verdict on a change of time, from the verdict on pairs of times of the old and the new build.
  public init(_ time: PairedStage.Verdict) {
    switch time {
    case .slower: self = .slower
    case .faster: self = .faster
    case .same: self = .same
    case .unmeasurable: self = .unmeasurable
    }
  }

  /// Returns the verdict that is less favorable for the new build. It is the verdict that this type declares first.
  public func worse(_ other: ChangeVerdict) -> ChangeVerdict {
    let order = Self.allCases
    return (order.firstIndex(of: self) ?? 0) <= (order.firstIndex(of: other) ?? 0) ? self : other
  }

  /// The result of a CI check (gate) with this verdict. For example, the verdict ``slower`` is a regression.
  public var result: GateResult {
    switch self {
    case .failed: .failure
    case .slower, .more, .broken: .regression
    case .unmeasurable: .notJudged
    case .faster, .fewer: .improvement
    case .same, .holds, .notAvailable: .fine
    }
  }
}

/// The result of a CI check (gate), for one verdict or for all verdicts together.
public enum GateResult: Sendable {
  /// A benchmark (a backend with a workload) could not be run to completion.
  case failure
  /// A benchmark (a backend with a workload) got worse, or a rule is broken.
  case regression
  /// A benchmark (a backend with a workload) or a rule could not be judged.
  case notJudged
  /// A benchmark (a backend with a workload) got better.
  case improvement
  /// A benchmark (a backend with a workload) has not changed or cannot be run by either build, or a rule holds.
  case fine

  /// Creates the result of a whole comparison. A failure takes precedence over a regression, a regression over not
  /// judged, and not judged over fine. Improvements count as fine, and a comparison without verdicts counts as not
  /// judged.
  ///
  /// - Parameters:
  ///   - verdicts: One verdict for each benchmark or rule.
  ///   - coverage: The share of the benchmarks that could be judged. If the share is large enough, benchmarks that
  ///     could not be judged count as fine. Nil if all benchmarks must be judged.
  public init(of verdicts: some Sequence<ChangeVerdict>, coverage: Coverage? = nil) {
    let verdicts = Array(verdicts)
    let results = verdicts.map(\.result)
    if results.contains(.failure) {
      self = .failure
    } else if results.contains(.regression) {
      self = .regression
    } else if verdicts.allSatisfy({ $0 == .notAvailable }) {
      self = .notJudged
    } else if let coverage {
      self = coverage.isEnough ? .fine : .notJudged
    } else {
      self = results.contains(.notJudged) ? .notJudged : .fine
    }
  }
}
