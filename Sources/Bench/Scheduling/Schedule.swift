import StorageContract
import StorageRunFiles
import StorageWorkloads

/// The order in which a run times its benchmarks. Every round times each benchmark once. The seed determines the random
/// order of a round, so that a drift of the machine's speed affects all benchmarks alike.
struct Schedule {
  let cells: [PlannedCell]
  let seed: UInt64

  func order(round: Int) -> [Int] {
    var random = RandomStream(seed: seed, .order, round)
    let order = cells.indices.filter { cells[$0].refusal == nil }.shuffled(using: &random)
    return round == 1 ? smallerFirst(order) : order
  }

  /// Sorts the benchmarks that differ only in their number of records from small to large. They exchange positions only
  /// with each other. In the first round, smaller numbers show whether a larger one would take too long.
  private func smallerFirst(_ order: [Int]) -> [Int] {
    var result = order
    let indices = Dictionary(grouping: order.indices) { SizeSeries(cells[order[$0]].cell) }
    for series in indices.values {
      let ascending = series.map { order[$0] }.sorted { cells[$0].cell.records < cells[$1].cell.records }
      for (index, cell) in zip(series, ascending) { result[index] = cell }
    }
    return result
  }
}

/// The key of a series of benchmarks that differ only in their size, which is the number of records.
struct SizeSeries: Hashable {
  private let cell: Cell

  init(_ cell: Cell) {
    var pattern = cell
    pattern.records = 0
    self.cell = pattern
  }
}

extension Plan {
  /// Returns the seed of the operations in a timed round (repetition), counted from 1. Nil means the plan's own seed,
  /// which the first round always uses.
  func stream(ofRound round: Int) -> UInt64? {
    guard streamPerRound == true, round > 1 else { return nil }
    var random = RandomStream(seed: seed, .round, round)
    return random.next()
  }
}
