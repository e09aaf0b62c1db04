import StorageRunFiles
import StorageWorkloads

/// The plan of the command `paired`, which measures the old and the new build or backend in pairs of processes.
struct PairedPlan: Sendable {
  /// The plan of the old build or backend. Its benchmarks are in the same order as the benchmarks of ``head``.
  var base: Plan
  /// The plan of the new build or backend. Reports use the names of its benchmarks.
  var head: Plan
  /// The requested number of rounds; nil for ``usualRounds``. A round measures each benchmark once with each build.
  var rounds: Int?
  /// The number of controls: benchmarks for which the old build is compared with itself.
  var controls = LoadClass.allCases.count
  /// Whether benchmarks that seem to have changed are measured again.
  var confirms = true

  /// The default numbers of rounds. Benchmarks that sync need more, because the time of a sync varies more.
  static let usualRounds = (others: 12, syncing: 20)

  var runnable: [Int] {
    head.cells.indices.filter { head.cells[$0].refusal == nil && base.cells[$0].refusal == nil }
  }

  func rounds(syncs: Bool) -> Int { rounds ?? (syncs ? Self.usualRounds.syncing : Self.usualRounds.others) }

  /// Returns the first series of measurements of each benchmark. Extra series compare the old build with itself.
  ///
  /// - Parameters:
  ///   - syncing: The indices of benchmarks whose operations sync files. By default, these benchmarks get more rounds.
  ///   - failed: The indices of failed benchmarks, which get no series.
  func firstSeries(syncing: Set<Int>, without failed: Set<Int> = []) -> [PairedSeries] {
    let cells = runnable.filter { !failed.contains($0) }
    let controls = control(of: cells, syncing)
    return (cells + controls).enumerated().map { position, index in
      PairedSeries(
        index: index, isControl: position >= cells.count,
        order: drawn(rounds(syncs: syncing.contains(index)), position))
    }
  }

  func secondSeries(_ suspects: [(first: PairedSeries, pairs: Int)]) -> [PairedSeries] {
    suspects.enumerated().map {
      PairedSeries(
        index: $1.first.index, isControl: $1.first.isControl, earlier: $1.first.begun,
        order: drawn($1.pairs, 1_000_000 + $0))
    }
  }

  /// Returns the random order of the two builds in each additional pair of measurements. True means that the old build
  /// is measured first.
  func furtherOrder(_ index: Int, pairs: Int) -> [Bool] { drawn(pairs, 2_000_000 + index) }

  private func control(of cells: [Int], _ syncing: Set<Int>) -> [Int] {
    var random = RandomStream(seed: head.seed, .order, Self.drawing)
    let shuffled = cells.shuffled(using: &random)
    let firsts = shuffled.unique { LoadClass(head.cells[$0], syncs: syncing.contains($0)) }
    return Array((firsts + shuffled.filter { !firsts.contains($0) }).prefix(controls))
  }

  private func drawn(_ pairs: Int, _ position: Int) -> [Bool] {
    var random = RandomStream(seed: head.seed, .order, Self.drawing + 1 + position)
    // Each build is measured first equally often, because the first one may have an advantage.
    return (0..<pairs).map { $0.isMultiple(of: 2) }.shuffled(using: &random)
  }

  /// Returns the random order of `count` benchmarks in a round, as indices. `round` is counted from 0 in each stage.
  func order(_ count: Int, round: Int, stage: RoundStage) -> [Int] {
    var random = RandomStream(seed: head.seed, .order, -(stage.rawValue * 100_000 + round) - 1)
    return Array(0..<count).shuffled(using: &random)
  }

  /// The number of the random stream that selects the controls. Streams with higher numbers determine the order of the
  /// builds in each pair of measurements.
  private static let drawing = 10_000_000

  /// Returns the number of rounds that fit into a budget in nanoseconds: an even number from 8 to 20.
  func rounds(within budget: Int64) -> Int {
    var plan = head
    plan.cells = runnable.map { head.cells[$0] }
    let sides = PlanEstimate.roundSeconds(plan, ofPairs: true) * 2
    let count = plan.cells.count
    let control = count == 0 ? 0 : sides * Double(min(controls, count)) / Double(count)
    let rounds = Double(budget) / 1e9 / max(0.001, sides + control + 0.06)
    return max(8, min(20, Int(rounds) / 2 * 2))
  }
}

/// A class of benchmarks by the resource that limits their speed. Each class has a control, if possible.
enum LoadClass: CaseIterable {
  /// The class of benchmarks that are limited by the processor or the memory, such as reads.
  case processor
  /// The class of benchmarks that are limited by the size of the store, because every save writes the whole file.
  case wholeFile
  /// The class of benchmarks that are limited by the disk, because their operations sync.
  case sync

  init(_ planned: PlannedCell, syncs: Bool) {
    // Only saves have a durability. Most whole-file stores are synced too, but their size affects the time more.
    let savesWholeFile = planned.isWholeFile && planned.cell.durability != nil
    self = if savesWholeFile { .wholeFile } else { syncs ? .sync : .processor }
  }
}
