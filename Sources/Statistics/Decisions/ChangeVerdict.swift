/// What a comparison says of one cell, or of one rule: the word that every output of a gate goes by.
public enum ChangeVerdict: String, Sendable, Codable, CaseIterable {
  // In the order of `worse(_:)`: what says more against the head comes first.

  /// It crashed, ran over its limit, or returned something wrong.
  case failed
  /// It takes longer; confirmed by a second series.
  case slower
  /// It writes, syncs or allocates more.
  case more
  /// It does not keep to a rule.
  case broken
  /// It cannot be said on this machine, or with these engines.
  case unmeasurable
  /// It takes less time; confirmed by a second series.
  case faster
  /// It writes, syncs or allocates less.
  case fewer
  /// Nothing worth speaking of has changed.
  case same
  /// It keeps to a rule.
  case holds
  /// It cannot be run, before as now.
  case notAvailable = "n/a"

  /// Decides on a count that was taken on both sides.
  ///
  /// - Parameters:
  ///   - base: The total before.
  ///   - head: The total now.
  ///   - tolerance: The share by which it may differ, 0.01 for 1 %; with 0 any difference counts.
  public init(count base: Int, _ head: Int, tolerance: Double) {
    // A count that need not be exact may come out one or two off, however small it is.
    let slack = tolerance > 0 ? max(Double(base) * tolerance, 2) : 0
    if Double(head) > Double(base) + slack {
      self = .more
    } else if Double(head) < Double(base) - slack {
      self = .fewer
    } else {
      self = .same
    }
  }

  /// Takes over what two series of pairs have decided.
  public init(_ time: PairedStage.Verdict) {
    switch time {
    case .slower: self = .slower
    case .faster: self = .faster
    case .same: self = .same
    case .unmeasurable: self = .unmeasurable
    }
  }

  /// The worse of two: the one that says more against the head, else the one that says more.
  public func worse(_ other: ChangeVerdict) -> ChangeVerdict {
    let order = Self.allCases
    return (order.firstIndex(of: self) ?? 0) <= (order.firstIndex(of: other) ?? 0) ? self : other
  }

  /// What a gate makes of it.
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

/// What a gate makes of a verdict, and of all verdicts together.
public enum GateResult: Sendable {
  /// A cell could not be run to its end.
  case failure
  /// A cell got worse, or a rule is broken.
  case regression
  /// It could not be judged.
  case notJudged
  /// A cell got better.
  case improvement
  /// Nothing has changed, or a rule holds.
  case fine

  /// The result of a whole comparison: a failure before a regression, a regression before what could not be judged.
  /// Improvements are fine. Where nothing was compared, nothing is fine.
  ///
  /// - Parameters:
  ///   - verdicts: One of each cell or rule.
  ///   - coverage: How much could be judged, where some of it may be missing; nil where everything has to be judged.
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
