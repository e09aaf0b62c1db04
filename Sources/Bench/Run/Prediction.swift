import StorageContract
import StorageStatistics

/// Predicts from the smaller sizes of a row how long an operation takes at a larger one.
struct Prediction {
  private var seen: [SizeSeries: [Int: Double]] = [:]

  /// Notes an operation's median time, in nanoseconds.
  mutating func note(_ cell: Cell, nanoseconds: Double) {
    guard nanoseconds > 0 else { return }
    seen[SizeSeries(cell), default: [:]][cell.records] = nanoseconds
  }

  /// Nanoseconds of an operation, by a power law through the two largest sizes seen; nil below two sizes.
  func nanoseconds(_ cell: Cell) -> Double? {
    let sizes = (seen[SizeSeries(cell)] ?? [:]).filter { $0.key < cell.records }.sorted { $0.key < $1.key }.suffix(2)
    guard sizes.count == 2,
      let fit = PowerFit(sizes.map { (x: Double($0.key), y: $0.value) })
    else { return nil }
    return fit.predict(Double(cell.records))
  }
}
