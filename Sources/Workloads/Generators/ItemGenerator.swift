/// A random generator of items. An item is the number of a record, counted from 0 in the order of insertion.
///
/// To add a distribution, write a file for the generator and add a case to ``ItemDistribution``.
public protocol ItemGenerator {
  /// Returns the number of a random record, from 0 to `there - 1`.
  ///
  /// - Parameters:
  ///   - there: The number of records inserted so far, including initial and deleted records.
  ///   - random: The source of random numbers.
  mutating func item(of there: Int, _ random: inout RandomStream) -> Int
}

/// The probability distribution by which operations choose records, named as in the benchmark YCSB.
public enum ItemDistribution: String, Sendable, CaseIterable {
  /// A zipfian distribution: few records, scattered over the store, get most requests. See ``ScrambledZipfian``.
  case zipfian
  /// A uniform distribution over the records that existed before the first operation: ``UniformItems``.
  case uniform
  /// A zipfian distribution in which the newest records get the most requests: ``LatestItems``.
  case latest

  /// Returns a generator that chooses records by this distribution.
  ///
  /// - Parameters:
  ///   - items: The number of records before the first operation.
  ///   - room: The number of records that operations may add.
  public func generator(items: Int, room: Int) -> any ItemGenerator {
    switch self {
    case .zipfian: ScrambledZipfian(items: items, room: room)
    case .uniform: UniformItems(items: items)
    case .latest: LatestItems(items: items)
    }
  }
}

/// A uniform distribution over the records that exist before the first operation, as in YCSB (`UniformLongGenerator`).
public struct UniformItems: ItemGenerator {
  private let items: Int

  /// Creates a generator that chooses random records. All of the `items` records that exist before the first operation
  /// are equally likely.
  public init(items: Int) { self.items = items }

  /// Returns the number of a random record that existed before the first operation. The parameter `there`, the number
  /// of records inserted so far, has no effect on the result.
  public func item(of there: Int, _ random: inout RandomStream) -> Int { random.below(items) }
}

/// A zipfian distribution whose popular records are scattered over the store: YCSB's `zipfian`
/// (`ScrambledZipfianGenerator`).
///
/// A rank is drawn from 10,000,000,000 ranks with the zipfian constant 0.99. The most popular rank has 1/26.47 of all
/// requests. The record's number is the FNV hash of the rank, modulo the sum of initial records and expected
/// insertions, as in YCSB. If the record does not exist yet, another rank is drawn.
///
/// The modulus does not grow with each insertion, because other records would then become popular. Records beyond the
/// modulus are never chosen.
public struct ScrambledZipfian: ItemGenerator {
  /// The number of ranks from which the distribution draws: YCSB's `ITEM_COUNT`.
  public static let rankCount = 10_000_000_000
  /// The sum of 1 / k^0.99 for all k from 1 to ``rankCount``. The value is that of YCSB: `ZETAN` of
  /// core/src/main/java/site/ycsb/generator/ScrambledZipfianGenerator.java (github.com/brianfrankcooper/YCSB).
  public static let zeta = 26.46902820178302

  private let ranks = Zipfian(count: rankCount, zeta: zeta)
  private let space: Int

  /// Creates a generator that chooses random records. `items` is the number of records before the first operation, and
  /// `room` is the number of records that operations may add.
  public init(items: Int, room: Int) { space = items + room }

  /// Returns the number of a random record, from 0 to `there - 1`. The parameter `there` is the number of records
  /// inserted so far. Popular records are more likely.
  public func item(of there: Int, _ random: inout RandomStream) -> Int {
    while true {
      let item = Self.item(atRank: ranks.rank(random.fraction()), of: space)
      if item < there { return item }
    }
  }

  static func item(atRank rank: Int, of space: Int) -> Int { Int(HashedRecords.key(rank) % Int64(space)) }
}

/// A zipfian distribution (constant 0.99) in which newer records are more popular: YCSB's `latest`
/// (`SkewedLatestGenerator`).
public struct LatestItems: ItemGenerator {
  private let first: Zipfian
  private var ranks: Zipfian

  /// Creates a generator that chooses random records. `items` is the number of records that exist before the first
  /// operation. Newer records are more likely.
  public init(items: Int) {
    first = Zipfian(count: items)
    ranks = first
  }

  /// Returns the number of a random record, from 0 to `there - 1`. The parameter `there` is the number of records
  /// inserted so far. Newer records are more likely.
  public mutating func item(of there: Int, _ random: inout RandomStream) -> Int {
    // Fewer items than in the last call: the stream has restarted.
    if there < ranks.count { ranks = first }
    ranks.grow(to: there)
    return there - 1 - ranks.rank(random.fraction())
  }
}
