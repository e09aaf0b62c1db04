import StorageContract

/// The keys of one collection of records, from which a scan reads a range in ascending order.
struct KeyOrder {
  /// The keys without duplicates, sorted only before a scan or a removal, because sorting at each insertion would be
  /// slower.
  private var keys: [Int64] = []
  private var isSorted = true

  var count: Int { keys.count }

  mutating func reserveCapacity(_ count: Int) { keys.reserveCapacity(count) }

  /// Adds a key, which must not be in the collection yet.
  mutating func insert(_ key: Int64) {
    if isSorted, let last = keys.last, last > key { isSorted = false }
    keys.append(key)
  }

  mutating func remove(_ key: Int64) {
    sort()
    keys.remove(at: keys.partitioningIndex { $0 >= key })
  }

  mutating func keys(in range: ClosedRange<Int64>) -> ArraySlice<Int64> {
    sort()
    let start = keys.partitioningIndex { $0 >= range.lowerBound }
    return keys[start..<keys.partitioningIndex { $0 > range.upperBound }]
  }

  private mutating func sort() {
    guard !isSorted else { return }
    keys.sort()
    isSorted = true
  }
}
