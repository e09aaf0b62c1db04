/// A generator of random positions of records in the order of insertion, from 0. A new generator needs a case in
/// ``ItemDistribution``.
public protocol ItemGenerator {
  /// Chooses a random record, and returns its position in the order of insertion, from 0 to `there - 1`.
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

  /// Creates a generator that chooses among the `items` records that exist before the first operation.
  public init(items: Int) { self.items = items }

  /// Chooses one of the initial records at random, and returns its position in the order of insertion, from 0.
  ///
  /// - Parameter there: The number of records inserted so far, which is not used here.
  public func item(of there: Int, _ random: inout RandomStream) -> Int { random.below(items) }
}

/// A zipfian distribution (constant 0.99) whose popular records are scattered over the store: YCSB's
/// `ScrambledZipfianGenerator`.
public struct ScrambledZipfian: ItemGenerator {
  /// The number of popularity ranks: YCSB's `ITEM_COUNT`. A hash maps each rank to a record.
  public static let rankCount = 10_000_000_000
  /// The sum of 1 / k^0.99 for k from 1 to ``rankCount``: `ZETAN` of YCSB's ScrambledZipfianGenerator.java.
  public static let zeta = 26.46902820178302

  private let ranks = Zipfian(count: rankCount, zeta: zeta)
  private let space: Int

  /// Creates a generator for `items` initial records and up to `room` insertions. Records inserted after these are
  /// never chosen.
  public init(items: Int, room: Int) { space = items + room }

  /// Chooses one of the inserted records at random, and returns its position in the order of insertion, from 0.
  ///
  /// - Parameter there: The number of records inserted so far, including initial and deleted records.
  public func item(of there: Int, _ random: inout RandomStream) -> Int {
    while true {
      let item = Self.item(atRank: ranks.rank(random.fraction()), of: space)
      if item < there { return item }
    }
  }

  static func item(atRank rank: Int, of space: Int) -> Int { Int(HashedRecords.key(rank) % Int64(space)) }
}

/// A zipfian distribution (constant 0.99) in which newer records are more popular: YCSB's `SkewedLatestGenerator`.
public struct LatestItems: ItemGenerator {
  private let first: Zipfian
  private var ranks: Zipfian

  /// Creates a generator for a store that has `items` records before the first operation.
  public init(items: Int) {
    first = Zipfian(count: items)
    ranks = first
  }

  /// Chooses a random record, more often a newer one, and returns its position in the order of insertion, from 0.
  ///
  /// - Parameter there: The number of records inserted so far, including initial and deleted records.
  public mutating func item(of there: Int, _ random: inout RandomStream) -> Int {
    // A smaller number than in the last call means that the operations have started again.
    if there < ranks.count { ranks = first }
    ranks.grow(to: there)
    return there - 1 - ranks.rank(random.fraction())
  }
}
