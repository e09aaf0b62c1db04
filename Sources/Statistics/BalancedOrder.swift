/// Which side of each pair goes first.
public enum BalancedOrder {
  /// A shuffled list in which both values come equally often, give or take one: whoever runs first in a pair may have
  /// an advantage, and neither side is to have it more often.
  public static func draw(_ count: Int, using random: inout some RandomNumberGenerator) -> [Bool] {
    (0..<count).map { $0.isMultiple(of: 2) }.shuffled(using: &random)
  }
}
