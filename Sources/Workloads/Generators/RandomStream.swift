/// A stream of random numbers that depend only on a seed. Each operation draws from a separate stream, so that one
/// operation can be repeated alone.
///
/// The algorithm is SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
public struct RandomStream: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Starts a stream of random numbers from a seed.
  public init(seed: UInt64) { state = seed }

  /// Starts a stream of random numbers for a purpose and an index, such as `RandomStream(seed: 1, .change, 17)` for
  /// operation 17.
  public init(seed: UInt64, _ purpose: Purpose, _ index: Int) {
    state = Self.mix(seed &+ Self.mix(purpose.rawValue &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(bitPattern: Int64(index))))
  }

  /// The purpose of a stream of random numbers. Streams with different purposes are unrelated.
  public enum Purpose: UInt64, Sendable {
    /// Random numbers for the values of a generated record, such as the record's name and payload.
    case record = 1
    /// The purpose of random numbers that determine which record an operation uses.
    case key
    /// The purpose of random numbers that determine the new content of a saved record.
    case change
    /// Random numbers for an order, such as the order in which records are deleted.
    case order
    /// The purpose of random numbers that determine the kind of an operation, such as a read or an update.
    case kind
    /// The purpose of random numbers that determine a length, such as the number of records that a scan reads.
    case length
    /// The purpose of random numbers that determine the changes by which a store is aged before it is measured
    /// (option `--aged`).
    case life
    /// Random numbers for the temporary payloads that a record has while its store is aged. The option `--aged` changes
    /// a new store at random until the store resembles a store in long use.
    case formerValue
    /// The purpose of random numbers that determine the seed of one round. A round measures all benchmarks once, and
    /// rounds are repeated.
    case round
  }

  /// Returns the next 64 random bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return Self.mix(state)
  }

  /// Returns a random number from 0 to `bound - 1`. The bias is negligible for bounds below 2^32.
  public mutating func below(_ bound: Int) -> Int {
    Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(bound)).high)
  }

  /// Returns a random number from 0 up to, but not including, 1.
  public mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }

  private static func mix(_ value: UInt64) -> UInt64 {
    var z = value
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
