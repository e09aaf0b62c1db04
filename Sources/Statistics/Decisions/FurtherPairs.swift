/// How many more pairs a comparison measures of cells that scatter, within a budget.
///
/// A cell whose interval is too wide to be judged gets twice as many pairs again, and a suspect whose interval is that
/// wide gets so many for its second series. All of them together may be as many as the first stage had, so that a
/// comparison takes four times as long at most, and hardly longer where few cells scatter.
public struct FurtherPairs: Sendable {
  /// How many times as many pairs a series has that scatters.
  public static let lengthening = 3

  /// Pairs that may still be had.
  public private(set) var left: Int

  /// - Parameter pairs: How many the first stage has, of all cells.
  public init(firstStage pairs: Int) { left = pairs }

  /// How many further pairs a first series gets.
  ///
  /// - Parameters:
  ///   - first: What it says so far.
  ///   - pairs: How many it has.
  /// - Returns: 0 where it does not scatter, or is a suspect anyway, or the budget is used up.
  public mutating func further(_ first: PairedStage, of pairs: Int) -> Int {
    first.scatters && !PairedVerdict.isSuspect(first) ? take(pairs) : 0
  }

  /// How many pairs the second series of a suspect has: as many as the first, and more where that scatters.
  ///
  /// - Parameters:
  ///   - first: What the first series says.
  ///   - pairs: How many it has.
  ///   - isLengthened: Whether it got further pairs: then there are enough of them.
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
