/// A generator that chooses a random item for an operation. Items are records, numbered from 0 in order of insertion.
///
/// To add a distribution, write a file for the generator and add a case to ``ItemDistribution``.
public protocol ItemGenerator {
  /// Returns the number of a random item (record), less than `there`.
  ///
  /// - Parameters:
  ///   - there: The number of items that exist now, including items that operations added.
  ///   - random: The source of random numbers.
  mutating func item(of there: Int, _ random: inout RandomStream) -> Int
}

/// The probability distributions of the items that operations use, under YCSB's names.
public enum ItemDistribution: String, Sendable, CaseIterable {
  /// A zipfian distribution whose popular items are scattered over all items: ``ScrambledZipfian``.
  case zipfian
  /// A uniform distribution over the items that existed before the first operation: ``UniformItems``.
  case uniform
  /// A zipfian distribution in which the newest items are the most popular: ``LatestItems``.
  case latest

  /// Returns a generator of items with the distribution.
  ///
  /// - Parameters:
  ///   - items: The number of items before the first operation.
  ///   - room: The expected number of items that operations add.
  public func generator(items: Int, room: Int) -> any ItemGenerator {
    switch self {
    case .zipfian: ScrambledZipfian(items: items, room: room)
    case .uniform: UniformItems(items: items)
    case .latest: LatestItems(items: items)
    }
  }
}

/// A uniform distribution over the items that exist before the first operation, as in YCSB (`UniformLongGenerator`).
public struct UniformItems: ItemGenerator {
  private let items: Int

  /// Creates a generator for `items` items, which exist before the first operation.
  public init(items: Int) { self.items = items }

  /// Returns the number of a random item (record). All items from before the first operation are equally likely, so
  /// `there`, the number of items now, has no effect.
  public func item(of there: Int, _ random: inout RandomStream) -> Int { random.below(items) }
}

/// A zipfian distribution with popular items scattered over all items: YCSB's `zipfian` (`ScrambledZipfianGenerator`).
///
/// A rank is drawn from 10,000,000,000 ranks with the zipfian constant 0.99. The item is the rank's FNV hash modulo a
/// number of items. The probability of an item is the sum over the ranks that hash to it. The most popular rank alone
/// has 1/26.47 of all requests, for any number of items.
///
/// As in YCSB, the modulus is the number of items before the first operation plus the expected insertions. The modulus
/// stays fixed, because another modulus would make other items popular. If the drawn item does not exist yet, another
/// rank is drawn. Items beyond the modulus never occur.
public struct ScrambledZipfian: ItemGenerator {
  /// The number of ranks of the distribution, YCSB's `ITEM_COUNT`.
  public static let rankCount = 10_000_000_000
  /// The sum of 1 / k^0.99 over all ranks, as YCSB publishes it: `ZETAN` of
  /// core/src/main/java/site/ycsb/generator/ScrambledZipfianGenerator.java (github.com/brianfrankcooper/YCSB).
  public static let zeta = 26.46902820178302

  private let ranks = Zipfian(count: rankCount, zeta: zeta)
  private let space: Int

  /// Creates a generator for `items` items before the first operation and `room` items that operations may add.
  public init(items: Int, room: Int) { space = items + room }

  /// Returns the number of a random item (record) below `there`, the number of items now. Popular items are returned
  /// more often.
  public func item(of there: Int, _ random: inout RandomStream) -> Int {
    while true {
      let item = Self.item(atRank: ranks.rank(random.fraction()), of: space)
      if item < there { return item }
    }
  }

  static func item(atRank rank: Int, of space: Int) -> Int { Int(HashedRecords.key(rank) % Int64(space)) }
}

/// A distribution in which newer items are more popular: YCSB's `latest` (`SkewedLatestGenerator`).
///
/// The distance from the newest item to the chosen one is zipfian (constant 0.99). The newest item is the most popular.
public struct LatestItems: ItemGenerator {
  private let first: Zipfian
  private var ranks: Zipfian

  /// Creates a generator for `items` items, which exist before the first operation.
  public init(items: Int) {
    first = Zipfian(count: items)
    ranks = first
  }

  /// Returns the number of a random item (record) below `there`, the number of items now. Newer items are returned more
  /// often.
  public mutating func item(of there: Int, _ random: inout RandomStream) -> Int {
    // Fewer items than in the last call: the stream has restarted.
    if there < ranks.count { ranks = first }
    ranks.grow(to: there)
    return there - 1 - ranks.rank(random.fraction())
  }
}
