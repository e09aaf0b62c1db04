import StorageContract
import StorageReport
import StorageRunFiles
import StorageStatistics
import StorageWorkloads

/// The plan of `paired`, which measures each benchmark in pairs of processes: one of the old and one of the new build
/// or backend.
struct PairedPlan: Sendable {
  /// The plan of the old build or backend. Each benchmark is compared with the one at the same index in ``head``.
  var base: Plan
  /// The plan of the new build or backend. Reports use the names of the benchmarks in this plan.
  var head: Plan
  /// The requested number of rounds; nil for the default, ``usualRounds``. In a round, each benchmark is measured by
  /// one pair of processes: one with the old and one with the new build.
  var rounds: Int?
  /// The number of controls: benchmarks for which the old build is also measured against itself. By default there is
  /// one for each ``LoadClass``.
  var controls = LoadClass.allCases.count
  /// Whether benchmarks that seem to have changed are measured a second time. The command `noise` does not need this.
  var confirms = true

  /// The default numbers of rounds, which are the numbers of pairs of each benchmark. A benchmark that syncs in every
  /// operation needs more, because the time of a sync varies more.
  static let usualRounds = (others: 12, syncing: 20)

  var runnable: [Int] {
    head.cells.indices.filter { head.cells[$0].refusal == nil && base.cells[$0].refusal == nil }
  }

  func rounds(syncs: Bool) -> Int { rounds ?? (syncs ? Self.usualRounds.syncing : Self.usualRounds.others) }

  /// Returns the first series of pairs of measurements: one series for each benchmark, and one for each control, in
  /// which the old build is compared with itself. `syncing` contains the indices of the benchmarks that sync in every
  /// operation.
  func firstSeries(syncing: Set<Int>, without failed: Set<Int> = []) -> [PairedSeries] {
    let cells = runnable.filter { !failed.contains($0) }
    let subjects = cells.map { PairedSeries.Subject.cell($0) } + control(of: cells, syncing).map { .control($0) }
    return subjects.enumerated().map { position, subject in
      let index = Self.index(subject)
      return PairedSeries(subject, order: drawn(rounds(syncs: syncing.contains(index)), position))
    }
  }

  func secondSeries(_ suspects: [(subject: PairedSeries.Subject, pairs: Int)]) -> [PairedSeries] {
    suspects.enumerated().map { PairedSeries($1.subject, order: drawn($1.pairs, 1_000_000 + $0)) }
  }

  /// Draws, for each additional pair of measurements of a benchmark, whether the old build is measured first.
  func furtherOrder(_ index: Int, pairs: Int) -> [Bool] { drawn(pairs, 2_000_000 + index) }

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

  /// Returns the random order of the benchmarks in a round, which measures each benchmark once with the old and once
  /// with the new build. Rounds count from 0 in each stage of the comparison.
  func order(_ count: Int, round: Int, stage: RoundStage) -> [Int] {
    var random = RandomStream(seed: head.seed, .order, -(stage.rawValue * 100_000 + round) - 1)
    return Array(0..<count).shuffled(using: &random)
  }

  /// The lowest number of the random streams that choose two things: the controls (benchmarks with the old build
  /// against itself), and the build to measure first in each pair. Streams with lower numbers order the benchmarks of a
  /// round.
  private static let drawing = 10_000_000

  /// Returns the number of rounds that fits into a time budget: an even number from 8 to 20. A round measures each
  /// benchmark once with the old and once with the new build.
  ///
  /// - Parameter budget: The time for the first measurements, without those that confirm a difference, in nanoseconds.
  func rounds(within budget: Int64) -> Int {
    let cells = runnable.map { head.cells[$0] }
    let sides =
      PlanEstimate.roundSeconds(cells, ofPairs: true, ofDataset: head.dataset != nil) { head.trialTime($0) } * 2
    let control = cells.isEmpty ? 0 : sides * Double(min(controls, cells.count)) / Double(cells.count)
    let rounds = Double(budget) / 1e9 / max(0.001, sides + control + 0.06)
    return max(8, min(20, Int(rounds) / 2 * 2))
  }
}
