/// A few items again and again, scattered over all: YCSB's `zipfian` (`ScrambledZipfianGenerator`).
///
/// A rank is drawn from ten thousand million with the constant 0.99, and its FNV hash, modulo the number of items,
/// is the item. So the most popular item has 1/26.47 of all requests, however many items there are, and each item is
/// as likely as all ranks together that hash to it.
///
/// The number of items must not change, or other items would become the popular ones: as YCSB does, this draws from
/// those that are there and from as many as are expected to be added, and draws again where an item is not there
/// yet. Those that are added beyond that are never drawn.
public struct ScrambledZipfian: ItemGenerator {
  /// YCSB's `ITEM_COUNT`.
  public static let rankCount = 10_000_000_000
  /// The sum of 1 / k^0.99 over these ranks, as YCSB publishes it: `ZETAN` of
  /// core/src/main/java/site/ycsb/generator/ScrambledZipfianGenerator.java (github.com/brianfrankcooper/YCSB).
  public static let zeta = 26.46902820178302

  private let ranks = Zipfian(count: rankCount, zeta: zeta)
  private let space: Int

  /// Draws from so many items, and from as many more as are expected to be added.
  public init(items: Int, room: Int) { space = items + room }

  /// One of the items.
  public func item(of there: Int, _ random: inout RandomStream) -> Int {
    while true {
      let item = Self.item(atRank: ranks.rank(random.fraction()), of: space)
      if item < there { return item }
    }
  }

  /// Returns the item that a rank stands for.
  static func item(atRank rank: Int, of space: Int) -> Int { Int(HashedRecords.key(rank) % Int64(space)) }
}
