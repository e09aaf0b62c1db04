/// Quantiles of sorted data.
public enum Quantile {
  /// Returns the value below which a share of the data lies, interpolated between neighboring values.
  ///
  /// - Parameters:
  ///   - share: The share, from 0 (the smallest value) to 1 (the largest).
  ///   - sorted: The data, ascending.
  /// - Returns: Nil for empty data.
  public static func value(_ share: Double, of sorted: [Double]) -> Double? {
    guard let last = sorted.last else { return nil }
    let position = min(max(share, 0), 1) * Double(sorted.count - 1)
    let index = Int(position)
    guard index + 1 < sorted.count else { return last }
    let weight = position - Double(index)
    // This form returns exactly the value of equal neighbours.
    return sorted[index] + weight * (sorted[index + 1] - sorted[index])
  }

  /// Returns the median: the middle value, or the mean of the two in the middle.
  ///
  /// - Returns: Nil for empty data.
  public static func median(of sorted: [Double]) -> Double? { value(0.5, of: sorted) }
}

/// Measures of the scatter of values that are robust against outliers.
public enum Spread {
  /// Returns the robust relative spread, 1.4826 × median absolute deviation / |median|: 0.3 is 30 %.
  ///
  /// - Returns: Nil for empty data, or if the median is 0.
  public static func relative(of data: [Double]) -> Double? {
    guard let middle = Quantile.median(of: data.sorted()), middle != 0,
      let deviation = Quantile.median(of: data.map { abs($0 - middle) }.sorted())
    else { return nil }
    return 1.4826 * deviation / abs(middle)
  }
}
