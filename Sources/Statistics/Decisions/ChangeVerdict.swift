/// The verdict on a benchmark after a change of the build, or on a rule such as `A p50 <= 5 x B`.
public enum ChangeVerdict: String, Sendable, Codable, CaseIterable {
  // The cases are sorted from bad to good for the new build; `worse(_:)` relies on this order.

  /// The benchmark failed in the new build: it crashed, exceeded its time limit, or returned a wrong result.
  case failed
  /// The new build takes longer than the old build.
  case slower
  /// The new build writes, syncs or allocates more often, or writes more bytes, than the old build.
  case more
  /// A rule such as `A p50 <= 5 x B` is broken: A's median time is more than five times B's.
  case broken
  /// The difference cannot be judged, for example because the machine is too noisy.
  case unmeasurable
  /// The new build takes less time than the old build.
  case faster
  /// The new build writes, syncs or allocates less often, or writes fewer bytes, than the old build.
  case fewer
  /// The two builds do not differ by a relevant amount.
  case same
  /// A rule such as `A p50 <= 5 x B` is kept: A's median time is at most five times B's.
  case holds
  /// The benchmark is not available: one of the builds cannot run this backend with this workload.
  case notAvailable = "n/a"

  /// Creates the verdict on a count, such as syncs, from the old build (base) and the new build (head).
  ///
  /// - Parameter tolerance: The ignored relative difference, such as 0.01. If positive, differences of 1 and 2 are
  ///   ignored, too.
  public init(count base: Int, _ head: Int, tolerance: Double) {
    // A count that does not repeat exactly may differ by one or two, however small the count is.
    let slack = tolerance > 0 ? max(Double(base) * tolerance, 2) : 0
    let (base, head) = (Double(base), Double(head))
    self = head > base + slack ? .more : head < base - slack ? .fewer : .same
  }

  /// Returns the worse of this verdict and `other`: the less favorable one for the new build.
  public func worse(_ other: ChangeVerdict) -> ChangeVerdict {
    Self.allCases.first { $0 == self || $0 == other } ?? self
  }

  /// The result of a CI check that follows from this verdict, such as a regression for ``slower``.
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

/// The result of a check in continuous integration, for one benchmark or for the whole check.
public enum GateResult: Sendable {
  /// The result for a benchmark that failed, for example because of a crash or wrong data.
  case failure
  /// The result for a benchmark that became worse in the new build, or for a broken rule such as `A p50 <= 5ms`.
  case regression
  /// The result for a benchmark or a rule that could not be judged, for example because of a noisy machine.
  case notJudged
  /// The result for a benchmark that became better in the new build.
  case improvement
  /// The result if nothing is wrong: the benchmark is unchanged, the rule is kept, or one of the builds does not
  /// support the benchmark.
  case fine

  /// Creates the result of a whole check. The worst verdict decides, and improvements count as ``fine``. Without any
  /// available benchmark, the result is ``notJudged``.
  ///
  /// - Parameter coverage: The share of benchmarks that could be judged; nil if all must be judged.
  public init(of verdicts: some Sequence<ChangeVerdict>, coverage: Coverage? = nil) {
    let verdicts = Array(verdicts)
    let results = verdicts.map(\.result)
    self =
      if results.contains(.failure) {
        .failure
      } else if results.contains(.regression) {
        .regression
      } else if verdicts.allSatisfy({ $0 == .notAvailable }) {
        .notJudged
      } else {
        coverage?.isEnough ?? !results.contains(.notJudged) ? .fine : .notJudged
      }
  }
}
