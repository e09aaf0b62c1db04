/// A zipfian distribution whose popular items are scattered over all items: YCSB's `zipfian`
/// (`ScrambledZipfianGenerator`).
///
/// A rank is drawn from ten thousand million with the constant 0.99. The item is the rank's FNV hash modulo the number
/// of items. So the most popular item has 1/26.47 of all requests, regardless of the number of items, and the
/// probability of an item is the sum of those of the ranks that hash to it.
///
/// If the number of items changed, other items would become popular. As in YCSB, this draws from the items at the start
/// and as many as are expected to be added, and draws again if the item does not exist yet. Items added beyond that
/// number are never drawn.
public struct ScrambledZipfian: ItemGenerator {
  /// YCSB's `ITEM_COUNT`.
  public static let rankCount = 10_000_000_000
  /// The sum of 1 / k^0.99 over these ranks, as YCSB publishes it: `ZETAN` of
  /// core/src/main/java/site/ycsb/generator/ScrambledZipfianGenerator.java (github.com/brianfrankcooper/YCSB).
  public static let zeta = 26.46902820178302

  private let ranks = Zipfian(count: rankCount, zeta: zeta)
  private let space: Int

  /// Creates a generator for a number of items at the start and an expected number of added items.
  public init(items: Int, room: Int) { space = items + room }

  /// Returns a random item.
  public func item(of there: Int, _ random: inout RandomStream) -> Int {
    while true {
      let item = Self.item(atRank: ranks.rank(random.fraction()), of: space)
      if item < there { return item }
    }
  }

  /// Returns the item for a rank.
  static func item(atRank rank: Int, of space: Int) -> Int { Int(HashedRecords.key(rank) % Int64(space)) }
}
