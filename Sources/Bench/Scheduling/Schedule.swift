import StorageContract
import StorageRunFiles
import StorageWorkloads

/// The order of the timed trials: every round runs each cell once, shuffled by the seed, so that a drift of the
/// machine hits all cells alike.
struct Schedule {
  let cells: [PlannedCell]
  let seed: UInt64

  /// The cells that are run, by their place in the plan, in the order of a round, counted from 1.
  func order(round: Int) -> [Int] {
    var random = RandomStream(seed: seed, .order, round)
    let order = cells.indices.filter { cells[$0].refusal == nil }.shuffled(using: &random)
    return round == 1 ? smallerFirst(order) : order
  }

  /// In the first round the sizes of one row come in ascending order, at the places that they have by chance: what
  /// takes too long is known from the smaller ones before it is tried.
  private func smallerFirst(_ order: [Int]) -> [Int] {
    var result = order
    let places = Dictionary(grouping: order.indices) { SizeSeries(cells[order[$0]].cell) }
    for series in places.values {
      let ascending = series.map { order[$0] }.sorted { cells[$0].cell.records < cells[$1].cell.records }
      for (place, cell) in zip(series, ascending) { result[place] = cell }
    }
    return result
  }
}

/// What cells have in common that differ by their number of records only.
struct SizeSeries: Hashable {
  private let cell: Cell

  init(_ cell: Cell) {
    var pattern = cell
    pattern.records = 0
    self.cell = pattern
  }
}

extension Plan {
  /// The seed of a timed round's operations, counted from 1; nil for the plan's own seed, which the first round has, and
  /// with it counts.
  func stream(ofRound round: Int) -> UInt64? {
    guard streamPerRound == true, round > 1 else { return nil }
    var random = RandomStream(seed: seed, .round, round)
    return random.next()
  }
}
