/// The share of a comparison's benchmarks that could be judged. With a small share, a CI check does not pass.
public struct Coverage: Sendable, Codable, Equatable {
  /// The minimum percentage of judged benchmarks for a comparison to pass.
  public static let leastPercent = 90

  /// The number of benchmarks that the comparison could judge.
  public var judged: Int
  /// The number of benchmarks (cells) that can be run.
  public var cells: Int
  /// The names of backends and of workloads without any judged benchmark, such as `backend lmdb` or `workload import`.
  public var unjudged: [String]

  /// Counts the judged benchmarks, and finds each backend and each workload without a judged benchmark.
  ///
  /// - Parameter cells: One element for each benchmark. Example of `groups`: `["backend lmdb", "workload import"]`.
  public init(_ cells: [(groups: [String], isJudged: Bool)]) {
    judged = cells.count { $0.isJudged }
    self.cells = cells.count
    let known = Set(cells.filter(\.isJudged).flatMap(\.groups))
    var missing: Set<String> = []
    unjudged = cells.flatMap(\.groups).filter { !known.contains($0) && missing.insert($0).inserted }
  }

  /// Whether enough benchmarks were judged: at least ``leastPercent`` %, with one or more for each backend and for each
  /// workload.
  public var isEnough: Bool { judged > 0 && unjudged.isEmpty && 100 * judged >= Self.leastPercent * cells }
}
