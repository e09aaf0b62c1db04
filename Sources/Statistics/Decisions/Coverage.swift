/// The share of the requested cells that a gate could judge, and whether the share is enough for the gate to pass.
///
/// A single noisy cell should not fail a pipeline. A gate that judges few cells, or no cell of a group that was
/// requested by name, is useless.
public struct Coverage: Sendable, Codable, Equatable {
  /// The smallest share of cells that a gate must judge to pass, in percent.
  public static let leastPercent = 90

  /// The number of cells that the gate could judge.
  public var judged: Int
  /// The number of cells that can be run.
  public var cells: Int
  /// The requested groups without a judged cell, in the order of the cells: `backend lmdb`, `workload save-one`.
  public var unjudged: [String]

  /// Counts the judged cells and finds the groups without a judged cell.
  ///
  /// - Parameter cells: Each cell that can be run, with its groups.
  public init(_ cells: [(groups: [String], isJudged: Bool)]) {
    judged = cells.count { $0.isJudged }
    self.cells = cells.count
    let known = Set(cells.filter(\.isJudged).flatMap(\.groups))
    var missing: Set<String> = []
    unjudged = cells.flatMap(\.groups).filter { !known.contains($0) && missing.insert($0).inserted }
  }

  /// Whether at least ``leastPercent`` of the cells were judged, including some of every group. Without cells the value
  /// is false.
  public var isEnough: Bool { judged > 0 && unjudged.isEmpty && 100 * judged >= Self.leastPercent * cells }
}
