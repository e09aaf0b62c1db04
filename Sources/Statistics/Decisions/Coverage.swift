/// The share of a comparison's benchmarks (backend with workload) that could be judged. If the share is too small, the
/// comparison does not pass as a CI check.
///
/// One noisy benchmark does not fail the check. A check is useless if it judges few benchmarks, or none of a requested
/// backend or workload.
public struct Coverage: Sendable, Codable, Equatable {
  /// The smallest share of benchmarks that a comparison must judge to pass, in percent.
  public static let leastPercent = 90

  /// The number of benchmarks (backend with workload) that the comparison could judge.
  public var judged: Int
  /// The number of cells, which are the benchmarks (backend with workload) that can be run.
  public var cells: Int
  /// The requested backends and workloads without a judged benchmark, such as `backend lmdb`.
  public var unjudged: [String]

  /// Counts the judged benchmarks and finds the groups, such as `backend lmdb`, without a judged benchmark.
  ///
  /// - Parameter cells: Each benchmark that can be run, with its groups.
  public init(_ cells: [(groups: [String], isJudged: Bool)]) {
    judged = cells.count { $0.isJudged }
    self.cells = cells.count
    let known = Set(cells.filter(\.isJudged).flatMap(\.groups))
    var missing: Set<String> = []
    unjudged = cells.flatMap(\.groups).filter { !known.contains($0) && missing.insert($0).inserted }
  }

  /// Whether the coverage suffices to pass a CI check. The comparison must have a result for at least ``leastPercent``
  /// of the benchmarks, and for at least one benchmark of each backend and of each workload. False without benchmarks.
  public var isEnough: Bool { judged > 0 && unjudged.isEmpty && 100 * judged >= Self.leastPercent * cells }
}
