/// The keys of one collection of records, from which a scan reads a range in ascending order.
struct KeyOrder {
  /// The keys of the collection, without duplicates. They are sorted only before a scan or a removal, because sorting
  /// at each insertion would take longer.
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
    keys.remove(at: position(of: key))
  }

  mutating func keys(in range: ClosedRange<Int64>) -> ArraySlice<Int64> {
    sort()
    let start = position(of: range.lowerBound)
    let end = range.upperBound == .max ? keys.count : position(of: range.upperBound + 1)
    return keys[start..<end]
  }

  private mutating func sort() {
    guard !isSorted else { return }
    keys.sort()
    isSorted = true
  }

  private func position(of key: Int64) -> Int {
    var (low, high) = (0, keys.count)
    while low < high {
      let middle = (low + high) / 2
      if keys[middle] < key { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
