/// A histogram of measured values, such as latencies, that stores only buckets with values.
public struct SparseHistogram: Sendable, Equatable {
  /// A value and the number of its occurrences.
  public struct Bucket: Sendable, Equatable {
    /// The measured value that represents this bucket, such as a latency.
    public var value: UInt64
    /// The number of measured values in this bucket.
    public var count: UInt64
  }

  /// The buckets of the histogram, by ascending value, without duplicates.
  public private(set) var buckets: [Bucket] = []
  /// The number of all values in the histogram.
  public private(set) var total: UInt64 = 0

  /// Creates an empty histogram.
  public init() {}

  /// Adds buckets, in ascending order of their values, to this histogram.
  public mutating func merge(_ other: [(value: UInt64, count: UInt64)]) {
    var new: [Bucket] = []
    var mine = 0
    for (value, count) in other where count > 0 {
      while mine < buckets.count, buckets[mine].value < value { mine += 1 }
      if mine < buckets.count, buckets[mine].value == value {
        buckets[mine].count += count
      } else if let last = new.indices.last, new[last].value == value {
        new[last].count += count
      } else {
        new.append(Bucket(value: value, count: count))
      }
      total += count
    }
    // Most values of a trial (a measuring process) occurred in earlier trials, so no capacity is reserved in advance.
    guard !new.isEmpty else { return }
    var merged: [Bucket] = []
    merged.reserveCapacity(buckets.count + new.count)
    mine = 0
    for bucket in new {
      while mine < buckets.count, buckets[mine].value < bucket.value {
        merged.append(buckets[mine])
        mine += 1
      }
      merged.append(bucket)
    }
    merged.append(contentsOf: buckets[mine...])
    buckets = merged
  }

  /// Adds the buckets of another histogram, in ascending order of their values. The counts of `other` are scaled to a
  /// total of `weight`.
  public mutating func merge(_ other: [(value: UInt64, count: UInt64)], weighing weight: UInt64) {
    let all = other.reduce(0.0) { $0 + Double($1.count) }
    guard all > 0 else { return }
    // Running sums are rounded instead of counts, so that the total is exact.
    var (seen, given) = (0.0, UInt64(0))
    merge(
      other.map { value, count in
        seen += Double(count)
        let sum = max(given + (count == 0 ? 0 : 1), UInt64((seen / all * Double(weight)).rounded()))
        defer { given = sum }
        return (value, sum - given)
      })
  }

  /// Returns a percentile of the values, such as the 99th for the share 0.99. Nil if the histogram is empty.
  public func percentile(_ share: Double) -> UInt64? {
    guard let last = buckets.last else { return nil }
    let exact = min(max(share, 0), 1) * Double(total)
    // 0.55 × 100 is a little more than 55 in binary. Subtracting a share of 1e-9 keeps the rank.
    let rank = max(1, UInt64((exact - exact * 1e-9).rounded(.up)))
    var seen: UInt64 = 0
    for bucket in buckets {
      seen += bucket.count
      if seen >= rank { return bucket.value }
    }
    return last.value
  }

  /// Returns the sum of the `number` largest values in the histogram, or of all values if there are fewer.
  public func sum(ofLargest number: Double) -> Double {
    var (left, sum) = (number, 0.0)
    for bucket in buckets.reversed() where left > 0 {
      let taken = min(left, Double(bucket.count))
      sum += taken * Double(bucket.value)
      left -= taken
    }
    return sum
  }

  /// Returns the share of the values in each of `count` bins of equal width on a logarithmic axis.
  ///
  /// - Parameter range: The range of the bins, above 0. Outer values count in the first or the last bin.
  public func shares(inBins count: Int, from range: ClosedRange<Double>) -> [Double] {
    var shares = Array(repeating: 0.0, count: max(1, count))
    guard total > 0, range.lowerBound > 0, range.upperBound > range.lowerBound else { return shares }
    let width = log(range.upperBound / range.lowerBound) / Double(shares.count)
    for bucket in buckets {
      let position = log(max(Double(bucket.value), range.lowerBound) / range.lowerBound) / width
      shares[min(Int(position), shares.count - 1)] += Double(bucket.count) / Double(total)
    }
    return shares
  }
}
