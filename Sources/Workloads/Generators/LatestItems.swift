/// A distribution in which newer items are more popular: YCSB's `latest` (`SkewedLatestGenerator`).
///
/// The distance from the newest item is zipfian with the constant 0.99 over all current items, so every added item
/// becomes the most popular one.
public struct LatestItems: ItemGenerator {
  private let first: Zipfian
  private var ranks: Zipfian

  /// Creates a generator for a number of items at the start.
  public init(items: Int) {
    first = Zipfian(count: items)
    ranks = first
  }

  /// Returns a random item.
  public mutating func item(of there: Int, _ random: inout RandomStream) -> Int {
    // Fewer items than in the last call: the stream has restarted.
    if there < ranks.count { ranks = first }
    ranks.grow(to: there)
    return there - 1 - ranks.rank(random.fraction())
  }
}
