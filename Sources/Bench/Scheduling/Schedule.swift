import StorageContract
import StorageRunFiles
import StorageWorkloads

extension Plan {
  /// Returns the random order in which a round times its benchmarks, so that a drift of the machine's speed affects all
  /// benchmarks alike.
  func order(round: Int) -> [Int] {
    var random = RandomStream(seed: seed, .order, round)
    let order = cells.indices.filter { cells[$0].refusal == nil }.shuffled(using: &random)
    return round == 1 ? smallerFirst(order) : order
  }

  /// Returns `order`, changed so that a benchmark comes before the same benchmark with more records.
  private func smallerFirst(_ order: [Int]) -> [Int] {
    var result = order
    let indices = Dictionary(grouping: order.indices) { cells[order[$0]].cell.ofAnySize }
    for series in indices.values {
      let ascending = series.map { order[$0] }.sorted { cells[$0].cell.records < cells[$1].cell.records }
      for (index, cell) in zip(series, ascending) { result[index] = cell }
    }
    return result
  }

  /// Returns a random seed for the operations of a round (counted from 1). Nil means that the plan's seed is used.
  func stream(ofRound round: Int) -> UInt64? {
    guard streamPerRound == true, round > 1 else { return nil }
    var random = RandomStream(seed: seed, .round, round)
    return random.next()
  }
}

extension Cell {
  /// The key of a group of benchmarks that differ only in their number of records.
  var ofAnySize: Cell { with { $0.records = 0 } }
}
