/// How much of what was asked for could be judged, and whether that is enough for a gate to pass.
///
/// One cell that scatters is no reason for a red pipeline; a gate that judges little, or nothing of what somebody asked
/// for by name, is no gate.
public struct Coverage: Sendable, Codable, Equatable {
  /// The least share of the cells that has to be judged, in per cent.
  public static let leastPercent = 90

  /// Cells that were judged.
  public var judged: Int
  /// All cells that can be run.
  public var cells: Int
  /// The groups that were asked for and of which no cell was judged, in the order of the cells: `backend lmdb`,
  /// `workload save-one`.
  public var unjudged: [String]

  /// Counts.
  ///
  /// - Parameter cells: Each cell that can be run, with the groups that it stands for.
  public init(_ cells: [(groups: [String], isJudged: Bool)]) {
    judged = cells.count { $0.isJudged }
    self.cells = cells.count
    let known = Set(cells.filter(\.isJudged).flatMap(\.groups))
    var missing: Set<String> = []
    unjudged = cells.flatMap(\.groups).filter { !known.contains($0) && missing.insert($0).inserted }
  }

  /// Whether at least ``leastPercent`` of the cells were judged, and some of every group; never where there is none.
  public var isEnough: Bool { judged > 0 && unjudged.isEmpty && 100 * judged >= Self.leastPercent * cells }
}
