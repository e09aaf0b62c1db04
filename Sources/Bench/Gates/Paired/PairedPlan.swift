import StorageContract
import StorageReport
import StorageRunFiles
import StorageStatistics
import StorageWorkloads

/// What `paired` does: which cells, how many pairs of each, and in which order.
struct PairedPlan: Sendable {
  /// The base's plan; its cells stand at the places of the head's.
  var base: Plan
  /// The head's plan. Cells bear its names.
  var head: Plan
  /// Pairs of a stage that the user wants, or nil: 12, and 20 where a cell syncs.
  var rounds: Int?
  /// How many cells are compared with themselves.
  var controls = 3
  /// Whether suspects are measured again; a study of noise has no use for it.
  var confirms = true

  /// Pairs where a cell does not sync in every operation, and where it does: a sync scatters more.
  static let usualRounds = (others: 12, syncing: 20)

  /// The places of the cells that can be run on both sides.
  var runnable: [Int] {
    head.cells.indices.filter { head.cells[$0].refusal == nil && base.cells[$0].refusal == nil }
  }

  /// Pairs of a stage for a cell.
  func rounds(syncs: Bool) -> Int { rounds ?? (syncs ? Self.usualRounds.syncing : Self.usualRounds.others) }

  /// The series of the first stage: each cell, and the control.
  ///
  /// - Parameter syncing: The places of the cells that sync in every operation.
  func firstSeries(syncing: Set<Int>) -> [PairedSeries] {
    var random = RandomStream(seed: head.seed, .order, Self.drawing)
    let control = runnable.shuffled(using: &random).prefix(controls)
    return (runnable.map { PairedSeries.Subject.cell($0) } + control.map { .control($0) }).enumerated().map {
      place, subject in series(subject, syncing, place)
    }
  }

  /// The series of the second stage.
  func secondSeries(_ suspects: [PairedSeries.Subject], syncing: Set<Int>) -> [PairedSeries] {
    suspects.enumerated().map { series($1, syncing, 1_000_000 + $0) }
  }

  private func series(_ subject: PairedSeries.Subject, _ syncing: Set<Int>, _ place: Int) -> PairedSeries {
    var random = RandomStream(seed: head.seed, .order, Self.drawing + 1 + place)
    let index: Int
    switch subject {
    case .cell(let place), .control(let place): index = place
    }
    return PairedSeries(
      subject, order: BalancedOrder.draw(rounds(syncs: syncing.contains(index)), using: &random))
  }

  /// The order of a round, from 0, of a stage, 1 or 2.
  func order(_ count: Int, round: Int, stage: Int) -> [Int] {
    var random = RandomStream(seed: head.seed, .order, -(stage * 100_000 + round) - 1)
    return Array(0..<count).shuffled(using: &random)
  }

  /// Streams of the order from here on are for who goes first; a run's rounds take the first ones.
  private static let drawing = 10_000_000

  /// The number of pairs that fits into a budget, even and from 8 to 20.
  ///
  /// - Parameter budget: Nanoseconds for the first stage.
  func rounds(within budget: Int64) -> Int {
    let cells = runnable.map { head.cells[$0] }
    let sides = Estimate.roundSeconds(cells, trialTime: head.trialTime) * 2
    let control = cells.isEmpty ? 0 : sides * Double(min(controls, cells.count)) / Double(cells.count)
    let rounds = Double(budget) / 1e9 / max(0.001, sides + control + 0.06)
    return max(8, min(20, Int(rounds) / 2 * 2))
  }
}
