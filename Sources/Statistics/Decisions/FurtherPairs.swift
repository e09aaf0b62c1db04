/// The budget of further paired measurements for the noisy cells of a comparison.
///
/// A cell whose interval is too wide to be judged gets twice as many pairs again. A suspect whose interval is too wide
/// gets as many for its second series. All further pairs together may be as many as the pairs of the first stage. A
/// comparison then takes at most four times as long, and hardly longer if few cells are noisy.
public struct FurtherPairs: Sendable {
  /// The factor by which the series of a noisy cell is lengthened.
  public static let lengthening = 3

  /// The number of pairs left in the budget.
  public private(set) var left: Int

  /// - Parameter pairs: The number of pairs of all cells in the first stage, which is the whole budget.
  public init(firstStage pairs: Int) { left = pairs }

  /// Returns the number of further pairs to measure in the first series of a cell.
  ///
  /// - Parameters:
  ///   - first: The result of the series so far.
  ///   - pairs: The number of pairs in the series.
  /// - Returns: 0 if the series is not noisy, is a suspect anyway, or the budget is used up.
  public mutating func further(_ first: PairedStage, of pairs: Int) -> Int {
    first.scatters && !PairedVerdict.isSuspect(first) ? take(pairs) : 0
  }

  /// Returns the number of pairs for the second series of a suspect: as many as in the first series, and more if the
  /// first is noisy.
  ///
  /// - Parameters:
  ///   - first: The result of the first series.
  ///   - pairs: The number of pairs in the first series.
  ///   - isLengthened: Whether the first series got further pairs. The series then has enough of them.
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
