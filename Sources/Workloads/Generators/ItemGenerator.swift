/// A generator of the items that operations use. Items are numbered from 0 in the order in which they were stored.
///
/// To add a distribution, write its file and add its line to ``ItemDistribution``.
public protocol ItemGenerator {
  /// Returns the number of a random item.
  ///
  /// - Parameters:
  ///   - there: The current number of items, at least the number at the start.
  ///   - random: The source of random numbers.
  mutating func item(of there: Int, _ random: inout RandomStream) -> Int
}

/// The distributions of requests over items, under YCSB's names.
public enum ItemDistribution: String, Sendable, CaseIterable {
  /// Zipfian with popular items scattered over all items: ``ScrambledZipfian``.
  case zipfian
  /// Uniform over the items at the start: ``UniformItems``.
  case uniform
  /// Zipfian with the newest items most popular: ``LatestItems``.
  case latest

  /// Returns a generator of items with the distribution.
  ///
  /// - Parameters:
  ///   - items: The number of items at the start.
  ///   - room: The expected number of added items.
  public func generator(items: Int, room: Int) -> any ItemGenerator {
    switch self {
    case .zipfian: ScrambledZipfian(items: items, room: room)
    case .uniform: UniformItems(items: items)
    case .latest: LatestItems(items: items)
    }
  }
}

/// A uniform distribution over the items at the start, as in YCSB (`UniformLongGenerator` over the loaded records).
public struct UniformItems: ItemGenerator {
  private let items: Int

  /// Creates a generator for a number of items.
  public init(items: Int) { self.items = items }

  /// Returns the number of a random item.
  public func item(of there: Int, _ random: inout RandomStream) -> Int { random.below(items) }
}

/// A zipfian distribution with popular items scattered over all items: YCSB's `zipfian` (`ScrambledZipfianGenerator`).
///
/// A rank is drawn from 10,000,000,000 ranks with the zipfian constant 0.99. The item is the rank's FNV hash modulo the
/// number of items. So the most popular item has 1/26.47 of all requests, regardless of the number of items, and the
/// probability of an item is the sum of those of the ranks that hash to it.
///
/// Another modulus would make other items popular. As in YCSB, it is the number of items at the start plus the expected
/// insertions, and an item that does not exist yet is drawn again. Items added beyond it are never drawn.
public struct ScrambledZipfian: ItemGenerator {
  /// The number of ranks, YCSB's `ITEM_COUNT`.
  public static let rankCount = 10_000_000_000
  /// The sum of 1 / k^0.99 over all ranks, as YCSB publishes it: `ZETAN` of
  /// core/src/main/java/site/ycsb/generator/ScrambledZipfianGenerator.java (github.com/brianfrankcooper/YCSB).
  public static let zeta = 26.46902820178302

  private let ranks = Zipfian(count: rankCount, zeta: zeta)
  private let space: Int

  /// Creates a generator for a number of items at the start and an expected number of added items.
  public init(items: Int, room: Int) { space = items + room }

  /// Returns the number of a random item.
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
/// The distance from the newest item is zipfian (constant 0.99) over all items, so an added item is the most popular.
public struct LatestItems: ItemGenerator {
  private let first: Zipfian
  private var ranks: Zipfian

  /// Creates a generator for a number of items at the start.
  public init(items: Int) {
    first = Zipfian(count: items)
    ranks = first
  }

  /// Returns the number of a random item.
  public mutating func item(of there: Int, _ random: inout RandomStream) -> Int {
    // Fewer items than in the last call: the stream has restarted.
    if there < ranks.count { ranks = first }
    ranks.grow(to: there)
    return there - 1 - ranks.rank(random.fraction())
  }
}
