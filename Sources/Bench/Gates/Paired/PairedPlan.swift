import StorageContract
import StorageReport
import StorageRunFiles
import StorageStatistics
import StorageWorkloads

/// The plan of `paired`: the cells, the number of pairs of each cell, and the order of the pairs.
struct PairedPlan: Sendable {
  /// The plan of the old build or backend. Its cells have the same indices as those of ``head``.
  var base: Plan
  /// The plan of the new build or backend, whose cells give the comparison their names.
  var head: Plan
  /// The requested number of pairs in a series; nil for 12 pairs, and 20 for a cell that syncs.
  var rounds: Int?
  /// The number of cells that are compared with themselves: one for each ``LoadClass``.
  var controls = LoadClass.allCases.count
  /// Whether cells that seem to have changed are measured again. A study of noise does not need it.
  var confirms = true

  /// The usual numbers of pairs of a cell. Cells that sync in every operation need more, because a sync scatters more.
  static let usualRounds = (others: 12, syncing: 20)

  var runnable: [Int] {
    head.cells.indices.filter { head.cells[$0].refusal == nil && base.cells[$0].refusal == nil }
  }

  func rounds(syncs: Bool) -> Int { rounds ?? (syncs ? Self.usualRounds.syncing : Self.usualRounds.others) }

  /// Returns the series of pairs of the first stage: one for each cell, and those of cells compared with themselves.
  ///
  /// - Parameters:
  ///   - syncing: The indices of the cells that sync in every operation.
  ///   - failed: The indices of the cells that are left out.
  func firstSeries(syncing: Set<Int>, without failed: Set<Int> = []) -> [PairedSeries] {
    let cells = runnable.filter { !failed.contains($0) }
    let subjects = cells.map { PairedSeries.Subject.cell($0) } + control(of: cells, syncing).map { .control($0) }
    return subjects.enumerated().map { position, subject in
      let index = Self.index(subject)
      return PairedSeries(subject, order: drawn(rounds(syncs: syncing.contains(index)), position))
    }
  }

  /// Returns the series of pairs of the second stage, which confirms the first.
  ///
  /// - Parameter suspects: The cells to measure again, with the number of pairs.
  func secondSeries(_ suspects: [(subject: PairedSeries.Subject, pairs: Int)]) -> [PairedSeries] {
    suspects.enumerated().map { PairedSeries($1.subject, order: drawn($1.pairs, 1_000_000 + $0)) }
  }

  /// Returns, for each further pair of a cell, whether the base is measured first.
  func furtherOrder(_ index: Int, pairs: Int) -> [Bool] { drawn(pairs, 2_000_000 + index) }

  /// Returns the cells to compare with themselves: one of each class, and other cells for the classes without one.
  private func control(of cells: [Int], _ syncing: Set<Int>) -> [Int] {
    var random = RandomStream(seed: head.seed, .order, Self.drawing)
    var classes: Set<LoadClass> = []
    let shuffled = cells.shuffled(using: &random)
    let firsts = shuffled.filter { classes.insert(LoadClass(head.cells[$0], syncs: syncing.contains($0))).inserted }
    return Array((firsts + shuffled.filter { !firsts.contains($0) }).prefix(controls))
  }

  private func drawn(_ pairs: Int, _ position: Int) -> [Bool] {
    var random = RandomStream(seed: head.seed, .order, Self.drawing + 1 + position)
    return BalancedOrder.draw(pairs, using: &random)
  }

  private static func index(_ subject: PairedSeries.Subject) -> Int {
    switch subject {
    case .cell(let position), .control(let position): position
    }
  }

  /// Returns the random order of the cells in a round, from 0. The stage is 1 or 2, and for further pairs 3 or 4.
  func order(_ count: Int, round: Int, stage: Int) -> [Int] {
    var random = RandomStream(seed: head.seed, .order, -(stage * 100_000 + round) - 1)
    return Array(0..<count).shuffled(using: &random)
  }

  /// The first random stream that decides which side is measured first. A run's rounds use the streams before it.
  private static let drawing = 10_000_000

  /// Returns the number of pairs of a cell that fits into a budget, even and from 8 to 20.
  ///
  /// - Parameter budget: The nanoseconds for the first stage.
  func rounds(within budget: Int64) -> Int {
    let cells = runnable.map { head.cells[$0] }
    let sides =
      PlanEstimate.roundSeconds(cells, ofPairs: true, ofDataset: head.dataset != nil) { head.trialTime($0) } * 2
    let control = cells.isEmpty ? 0 : sides * Double(min(controls, cells.count)) / Double(cells.count)
    let rounds = Double(budget) / 1e9 / max(0.001, sides + control + 0.06)
    return max(8, min(20, Int(rounds) / 2 * 2))
  }
}
