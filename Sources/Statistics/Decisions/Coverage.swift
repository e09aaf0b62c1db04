/// The share of a comparison's benchmarks that could be judged. With a small share, a CI check does not pass.
public struct Coverage: Sendable, Codable, Equatable {
  /// The minimum percentage of judged benchmarks for a comparison to pass.
  public static let leastPercent = 90

  /// The number of benchmarks that the comparison could judge.
  public var judged: Int
  /// The number of benchmarks (cells) that can be run.
  public var cells: Int
  /// The requested backends and workloads of which no benchmark could be judged, such as `backend lmdb`.
  public var unjudged: [String]

  /// Counts the benchmarks that could be judged, and finds backends and workloads without such a benchmark.
  ///
  /// - Parameter cells: The benchmarks that can be run. Groups name the backend and the workload: `backend lmdb`.
  public init(_ cells: [(groups: [String], isJudged: Bool)]) {
    judged = cells.count { $0.isJudged }
    self.cells = cells.count
    let known = Set(cells.filter(\.isJudged).flatMap(\.groups))
    var missing: Set<String> = []
    unjudged = cells.flatMap(\.groups).filter { !known.contains($0) && missing.insert($0).inserted }
  }

  /// Whether enough benchmarks were judged to pass: ``leastPercent`` %, and one of each backend and workload.
  public var isEnough: Bool { judged > 0 && unjudged.isEmpty && 100 * judged >= Self.leastPercent * cells }
}
