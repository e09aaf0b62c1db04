import StorageContract

/// A stream of random numbers that depend only on a seed. The algorithm is SplitMix64 (Steele, Lea and Flood, OOPSLA
/// 2014).
public struct RandomStream: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Starts a stream of random numbers from a seed.
  public init(seed: UInt64) { state = seed }

  /// Starts a stream of random numbers for a purpose and an index, such as the number of an operation.
  public init(seed: UInt64, _ purpose: Purpose, _ index: Int) {
    let number = purpose.rawValue &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(bitPattern: Int64(index))
    state = SeededRandom.mixed(seed &+ SeededRandom.mixed(number))
  }

  /// The purpose of a stream of random numbers. Streams with different purposes are unrelated.
  public enum Purpose: UInt64, Sendable {
    /// Random numbers for the fields of a generated record.
    case record = 1
    /// Random numbers that choose the record of an operation.
    case key
    /// Random numbers for the new content of a saved record.
    case change
    /// Random numbers that choose an order, such as the order in which records are deleted.
    case order
    /// Random numbers that choose the kind of an operation, such as a read or an update.
    case kind
    /// Random numbers that choose a length, such as the number of records that a scan reads.
    case length
    /// Random numbers for the changes that make a store resemble one in long use (option `--aged`).
    case life
    /// Random numbers for the temporary payloads that the option `--aged` saves before the real payloads.
    case formerValue
    /// A random number that becomes the seed of all operations in a round (one timed trial of each benchmark).
    case round
  }

  /// Returns the next 64 random bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return SeededRandom.mixed(state)
  }

  /// Returns a random number from 0 to `bound - 1`. The bias is negligible for bounds below 2^32.
  public mutating func below(_ bound: Int) -> Int {
    Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(bound)).high)
  }

  /// Returns the first random number, from 0 to `bound - 1`, of the stream for a purpose and an index.
  static func number(below bound: Int, seed: UInt64, _ purpose: Purpose, _ index: Int) -> Int {
    var random = RandomStream(seed: seed, purpose, index)
    return random.below(bound)
  }

  /// Returns a random number from 0 up to, but not including, 1.
  public mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }
}
