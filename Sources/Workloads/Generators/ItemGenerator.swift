/// A function that chooses a random record, and returns its position in the order of insertion, from 0 to `there - 1`.
/// `there` is the number of records inserted so far, including initial and deleted records.
typealias ItemGenerator = (_ there: Int, _ random: inout RandomStream) -> Int

/// The probability distribution by which operations choose records, named as in the benchmark YCSB.
public enum ItemDistribution: String, Sendable, CaseIterable {
  /// A zipfian distribution: few records, scattered over the store, get most requests. See ``ScrambledZipfian``.
  case zipfian
  /// A uniform distribution over the records that existed before the first operation.
  case uniform
  /// A zipfian distribution in which the newest records get the most requests: YCSB's
  /// `SkewedLatestGenerator`.
  case latest

  /// Returns a generator for a store of `items` records, to which operations may add `room` records.
  func generator(items: Int, room: Int) -> ItemGenerator {
    switch self {
    case .zipfian:
      let (ranks, space) = (Zipfian(count: ScrambledZipfian.rankCount, zeta: ScrambledZipfian.zeta), items + room)
      return { there, random in
        while true {
          let item = ScrambledZipfian.item(atRank: ranks.rank(random.fraction()), of: space)
          if item < there { return item }
        }
      }
    case .uniform: return { _, random in random.below(items) }
    case .latest:
      let first = Zipfian(count: items)
      var ranks = first
      return { there, random in
        // A smaller number than in the last call means that the operations have started again.
        if there < ranks.count { ranks = first }
        ranks.grow(to: there)
        return there - 1 - ranks.rank(random.fraction())
      }
    }
  }
}

/// A zipfian distribution (constant 0.99) whose popular records are scattered over the store: YCSB's
/// `ScrambledZipfianGenerator`.
enum ScrambledZipfian {
  /// The number of popularity ranks: YCSB's `ITEM_COUNT`. A hash maps each rank to a record.
  static let rankCount = 10_000_000_000
  /// The sum of 1 / k^0.99 for k from 1 to ``rankCount``: `ZETAN` of YCSB's ScrambledZipfianGenerator.java.
  static let zeta = 26.46902820178302

  static func item(atRank rank: Int, of space: Int) -> Int { Int(HashedRecords.key(rank) % Int64(space)) }
}
