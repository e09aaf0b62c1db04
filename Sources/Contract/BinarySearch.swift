extension RandomAccessCollection where Index == Int {
  /// Returns the first index whose element meets the condition, or `endIndex`. All later elements must meet the
  /// condition, too.
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
