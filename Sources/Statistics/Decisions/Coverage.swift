/// The share of a comparison's cells (backend with workload) that could be judged. If the share is too small, the
/// comparison does not pass as a CI check.
///
/// One noisy cell does not fail the check. A check that judges few cells, or no cell of a requested backend or
/// workload, is useless.
public struct Coverage: Sendable, Codable, Equatable {
  /// The smallest share of cells (benchmarks) that a comparison must judge to pass, in percent.
  public static let leastPercent = 90

  /// The number of cells (benchmarks) that the comparison could judge.
  public var judged: Int
  /// The number of cells (benchmarks) that can be run.
  public var cells: Int
  /// The requested backends and workloads without a judged cell, in the order of the cells, such as `backend lmdb`.
  public var unjudged: [String]

  /// Counts the judged cells (benchmarks) and finds the groups, such as `backend lmdb`, without a judged cell.
  ///
  /// - Parameter cells: Each cell that can be run, with its groups.
  public init(_ cells: [(groups: [String], isJudged: Bool)]) {
    judged = cells.count { $0.isJudged }
    self.cells = cells.count
    let known = Set(cells.filter(\.isJudged).flatMap(\.groups))
    var missing: Set<String> = []
    unjudged = cells.flatMap(\.groups).filter { !known.contains($0) && missing.insert($0).inserted }
  }

  /// Whether at least ``leastPercent`` of the cells were judged, including some of every backend and workload. Without
  /// cells the value is false.
  public var isEnough: Bool { judged > 0 && unjudged.isEmpty && 100 * judged >= Self.leastPercent * cells }
}
