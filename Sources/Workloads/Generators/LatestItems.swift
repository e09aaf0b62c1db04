/// The newer an item, the more popular: YCSB's `latest` (`SkewedLatestGenerator`).
///
/// The distance from the newest item is zipfian with the constant 0.99 over all items that there are by then, so that
/// every item that is added becomes the most popular one.
public struct LatestItems: ItemGenerator {
  private let first: Zipfian
  private var ranks: Zipfian

  /// Draws from so many items in the beginning.
  public init(items: Int) {
    first = Zipfian(count: items)
    ranks = first
  }

  /// One of the items.
  public mutating func item(of there: Int, _ random: inout RandomStream) -> Int {
    // Fewer than last time: the stream is made again from its beginning.
    if there < ranks.count { ranks = first }
    ranks.grow(to: there)
    return there - 1 - ranks.rank(random.fraction())
  }
}
