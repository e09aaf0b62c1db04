/// A histogram of measured values, such as latencies. It stores only buckets that occur.
public struct SparseHistogram: Sendable, Equatable {
  /// A bucket of a histogram: a value and the number of its occurrences.
  public struct Bucket: Sendable, Equatable {
    /// The measured value that represents this bucket of a histogram, such as a latency.
    public var value: UInt64
    /// The number of measured values in this bucket of a histogram.
    public var count: UInt64
  }

  /// The buckets of the histogram, by ascending value, without duplicates.
  public private(set) var buckets: [Bucket] = []
  /// The number of all values in the histogram.
  public private(set) var total: UInt64 = 0

  /// Creates an empty histogram.
  public init() {}

  /// Adds the values of other buckets to this histogram. `other` must contain the buckets in ascending order of their
  /// values.
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
    // Most values of a trial (a measuring process) occurred in an earlier trial. A summary has thousands of histograms,
    // so no capacity is reserved in advance.
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

  /// Adds other buckets to this histogram, with counts scaled so that their sum is `weight`. `other` must be in
  /// ascending order of the values. With equal weights, a process with more measurements has no more influence than
  /// other processes.
  public mutating func merge(_ other: [(value: UInt64, count: UInt64)], weighing weight: UInt64) {
    let all = other.reduce(0.0) { $0 + Double($1.count) }
    guard all > 0 else { return }
    // Running sums are rounded instead of counts, so that nothing is lost. Otherwise a percentile at an exact tie
    // could move by a bucket.
    var (seen, given) = (0.0, UInt64(0))
    merge(
      other.map { value, count in
        seen += Double(count)
        let sum = max(given + (count == 0 ? 0 : 1), UInt64((seen / all * Double(weight)).rounded()))
        defer { given = sum }
        return (value, sum - given)
      })
  }

  /// Returns a percentile of the values in the histogram. A share of 0.99 gives the 99th percentile: the smallest value
  /// in the histogram for which at least 99 % of all values are equal or smaller. Nil if the histogram is empty.
  public func percentile(_ share: Double) -> UInt64? {
    guard let last = buckets.last else { return nil }
    let exact = min(max(share, 0), 1) * Double(total)
    // 0.99 × 100 is a little more than 99 in binary, and each merged process is rounded by one half. The reserve of
    // 1e-9 keeps the rank. One operation in a million weighs a thousand times the reserve.
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

  /// Returns the share of the measured values in each bin of a logarithmic axis. All bins have the same width on this
  /// axis.
  ///
  /// - Parameter range: The range of the bins, above 0. The first bin also has all smaller values, and the last bin all
  ///   larger values.
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
