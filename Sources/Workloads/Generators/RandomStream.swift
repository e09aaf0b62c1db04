/// A stream of random numbers that depend only on a seed: SplitMix64 (Steele, Lea and Flood, "Fast splittable
/// pseudorandom number generators", OOPSLA 2014).
///
/// Each operation draws from a separate stream, so that verification can repeat one operation without all earlier ones.
public struct RandomStream: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Starts a stream of random numbers from a seed.
  public init(seed: UInt64) { state = seed }

  /// Starts the stream for a purpose and an index, such as an operation's number: `RandomStream(seed: 1, .change, 17)`.
  public init(seed: UInt64, _ purpose: Purpose, _ index: Int) {
    state = Self.mix(seed &+ Self.mix(purpose.rawValue &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(bitPattern: Int64(index))))
  }

  /// The purpose of random numbers. Two streams with different purposes are unrelated, even if their index is the same.
  public enum Purpose: UInt64, Sendable {
    /// The values of a generated record.
    case record = 1
    /// The key that an operation uses.
    case key
    /// The new content of a saved record.
    case change
    /// The order of operations.
    case order
    /// The kind of an operation, such as a read.
    case kind
    /// The length of a text, a payload or a scanned range.
    case length
    /// The changes that age a store before it is measured (`--aged`).
    case life
    /// The payloads that a record of an aged store has before its last change.
    case formerValue
    /// The seed of all operations of one round, in which a run measures everything once.
    case round
  }

  /// Returns the next 64 random bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return Self.mix(state)
  }

  /// Returns a random number from 0 to `bound - 1`. For bounds below 2^32, the bias of the choice is below 2^-32.
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
