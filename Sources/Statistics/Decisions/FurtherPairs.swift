/// The budget of further pairs of measurements, for cells (backend with workload) whose times scatter too much to be
/// judged.
///
/// If a cell's times scatter, its number of pairs is tripled. A cell that seems to have changed (a suspect) gets the
/// further pairs in the second series, which must confirm the change. The budget for further pairs is the number of
/// pairs in the first stage. A comparison takes at most four times as long, and hardly longer if few cells scatter.
public struct FurtherPairs: Sendable {
  /// The factor by which the number of pairs is increased if their times scatter.
  public static let lengthening = 3

  /// The number of pairs left in the budget.
  public private(set) var left: Int

  /// - Parameter pairs: The number of pairs of all benchmarks in the first stage of the comparison, which is the whole
  ///   budget.
  public init(firstStage pairs: Int) { left = pairs }

  /// Takes from the budget the further pairs of a benchmark's first series, and returns their number.
  ///
  /// - Parameters:
  ///   - first: The result of the series so far.
  ///   - pairs: The number of pairs in the series.
  /// - Returns: 0 if the times do not scatter, the cell is a suspect anyway, or the budget is used up.
  public mutating func further(_ first: PairedStage, of pairs: Int) -> Int {
    first.scatters && !PairedVerdict.isSuspect(first) ? take(pairs) : 0
  }

  /// Returns the number of pairs that confirm a suspect: as many as in the first series, and more if its times scatter.
  ///
  /// - Parameters:
  ///   - first: The result of the first series.
  ///   - pairs: The number of pairs in the first series.
  ///   - isLengthened: Whether the first series got further pairs. The number of its pairs is then sufficient.
  public mutating func confirming(_ first: PairedStage, of pairs: Int, isLengthened: Bool) -> Int {
    first.scatters && !isLengthened ? pairs + take(pairs) : pairs
  }

  private mutating func take(_ pairs: Int) -> Int {
    let further = pairs * (Self.lengthening - 1)
    guard further <= left else { return 0 }
    left -= further
    return further
  }
}
