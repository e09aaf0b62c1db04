/// The verdict of a comparison of two builds on one cell or one rule. Every output of a gate uses these words.
public enum ChangeVerdict: String, Sendable, Codable, CaseIterable {
  // The order is that of `worse(_:)`: verdicts more unfavorable to the new build, the head, come first.

  /// The new build crashed, exceeded its time limit, or returned a wrong result.
  case failed
  /// The new build takes longer, confirmed by a second series of measurements.
  case slower
  /// The new build writes, syncs or allocates more than the old build.
  case more
  /// The new build breaks a rule.
  case broken
  /// The difference cannot be measured on this machine, or with these engines.
  case unmeasurable
  /// The new build takes less time, confirmed by a second series of measurements.
  case faster
  /// The new build writes, syncs or allocates less than the old build.
  case fewer
  /// The two builds do not differ by a relevant amount.
  case same
  /// The new build keeps a rule.
  case holds
  /// Neither the old nor the new build can run the cell.
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

  /// Creates a verdict from the verdict of the two series of paired measurements.
  public init(_ time: PairedStage.Verdict) {
    switch time {
    case .slower: self = .slower
    case .faster: self = .faster
    case .same: self = .same
    case .unmeasurable: self = .unmeasurable
    }
  }

  /// Returns the worse of two verdicts: the less favorable to the new build, otherwise the one that reports more.
  public func worse(_ other: ChangeVerdict) -> ChangeVerdict {
    let order = Self.allCases
    return (order.firstIndex(of: self) ?? 0) <= (order.firstIndex(of: other) ?? 0) ? self : other
  }

  /// The consequence of the verdict for a gate.
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

/// The result of a regression gate for one verdict or for all verdicts together.
public enum GateResult: Sendable {
  /// A cell could not be run to completion.
  case failure
  /// A cell got worse, or a rule is broken.
  case regression
  /// A cell or rule could not be judged.
  case notJudged
  /// A cell got better.
  case improvement
  /// Nothing has changed, or a rule holds.
  case fine

  /// Creates the result of a whole comparison. A failure takes precedence over a regression, and a regression over an
  /// unjudged cell. Improvements count as fine. A comparison without cells is not fine.
  ///
  /// - Parameters:
  ///   - verdicts: One verdict for each cell or rule.
  ///   - coverage: The judged share of the cells, if some verdicts may be missing; nil if every cell must be judged.
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
