/// The latencies of a trial in chronological order, in at most 64 segments of successive operations.
public struct LatencySeries: Sendable, Equatable {
  /// The number of successive operations per segment of the latency series. The last segment may have fewer.
  public private(set) var length = 1
  /// The total time of each segment of successive operations, in nanoseconds.
  public private(set) var sums: [Int64] = []
  /// The time of the slowest operation in each segment, in nanoseconds. An operation in a batch counts with the mean
  /// time of its batch.
  public private(set) var slowest: [Int64] = []
  /// The number of operations in the last segment of the latency series, which may be incomplete.
  public private(set) var last = 1

  /// The maximum number of segments of a latency series.
  public static let most = 64
  private static let fewest = 8

  /// Creates a series of latencies without operations.
  public init() {
    sums.reserveCapacity(Self.most)
    slowest.reserveCapacity(Self.most)
  }

  /// Adds a measured duration in nanoseconds to the series. `operations` is the number of operations that were timed
  /// together.
  @inline(__always)
  public mutating func add(_ duration: Int64, operations: Int = 1) {
    if last >= length || sums.isEmpty {
      if sums.count == Self.most { merge() }
      if last >= length || sums.isEmpty {
        sums.append(0)
        slowest.append(0)
        last = 0
      }
    }
    let index = sums.count - 1
    sums[index] += duration
    slowest[index] = max(slowest[index], duration / Int64(operations))
    last += operations
    if last > length { length = last }
  }

  @inline(never)
  private mutating func merge() {
    for index in 0..<Self.most / 2 {
      sums[index] = sums[2 * index] + sums[2 * index + 1]
      slowest[index] = max(slowest[2 * index], slowest[2 * index + 1])
    }
    sums.removeLast(Self.most / 2)
    slowest.removeLast(Self.most / 2)
    length *= 2
    last = length
  }

  /// The mean time of an operation in each segment of the series, in nanoseconds.
  public var means: [Double] {
    sums.enumerated().map { Double($1) / Double($0 == sums.count - 1 ? last : length) }
  }

  /// The mean latency of the second half of the operations, divided by that of the first half. Nil for fewer than eight
  /// complete segments.
  public var halves: Double? {
    let full = last == length ? sums.count : sums.count - 1
    guard full >= Self.fewest else { return nil }
    let first = sums[..<(full / 2)].reduce(0, +)
    let second = sums[(full - full / 2)..<full].reduce(0, +)
    return first > 0 && second > 0 ? Double(second) / Double(first) : nil
  }

  /// The latency series as text: the numbers ``length`` and ``last``, then the total time and the slowest time of each
  /// segment.
  public var text: String { "\(length);\(last);" + zip(sums, slowest).map { "\($0):\($1)" }.joined(separator: ",") }

  /// Creates a latency series from its text. The result is nil if the text is invalid.
  public init?(text: String) {
    let parts = text.split(separator: ";", omittingEmptySubsequences: false)
    guard parts.count == 3, let length = Int(parts[0]), let last = Int(parts[1]), length >= 1,
      (1...length).contains(last)
    else { return nil }
    let stretches = parts[2].split(separator: ",", omittingEmptySubsequences: false).map { stretch in
      stretch.split(separator: ":", omittingEmptySubsequences: false).compactMap { Int64($0) }
    }
    guard (1...Self.most).contains(stretches.count),
      stretches.allSatisfy({ $0.count == 2 && $0.allSatisfy(FileNumbers.nanoseconds.contains) })
    else { return nil }
    (self.length, self.last) = (length, last)
    (sums, slowest) = (stretches.map { $0[0] }, stretches.map { $0[1] })
  }
}
