/// The coverage of a comparison: the share of its benchmarks that could be judged. With a small share, the comparison
/// does not pass as a CI check.
public struct Coverage: Sendable, Codable, Equatable {
  /// The minimum percentage of the benchmarks that must be judged, so that a comparison passes.
  public static let leastPercent = 90

  /// The number of benchmarks that the comparison could judge.
  public var judged: Int
  /// The number of benchmarks (cells) that can be run.
  public var cells: Int
  /// The requested backends and workloads of which no benchmark could be judged, such as `backend lmdb`.
  public var unjudged: [String]

  /// Counts the benchmarks that could be judged, and finds the backends and workloads of which no benchmark could be
  /// judged.
  ///
  /// - Parameter cells: Each benchmark that can be run. Its groups are its backend and its workload, such as `backend
  ///   lmdb`.
  public init(_ cells: [(groups: [String], isJudged: Bool)]) {
    judged = cells.count { $0.isJudged }
    self.cells = cells.count
    let known = Set(cells.filter(\.isJudged).flatMap(\.groups))
    var missing: Set<String> = []
    unjudged = cells.flatMap(\.groups).filter { !known.contains($0) && missing.insert($0).inserted }
  }

  /// Whether enough benchmarks could be judged to pass a CI check: ``leastPercent`` % of all, and at least one of each
  /// backend and of each workload. False without benchmarks.
  public var isEnough: Bool { judged > 0 && unjudged.isEmpty && 100 * judged >= Self.leastPercent * cells }
}
