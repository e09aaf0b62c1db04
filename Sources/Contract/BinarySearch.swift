extension RandomAccessCollection where Index == Int {
  /// Returns the index of the first element that meets a condition, or `endIndex` if none does. All later elements must
  /// meet the condition, too.
  @inlinable
  package func partitioningIndex(_ holds: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = low + (high - low) / 2
      if holds(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
