import Foundation
import StorageReport
import StorageRunFiles
import StorageStatistics
import StorageWorkloads
import TestSupport
import Testing

@testable import StorageBench

/// Paired comparisons on a noisy machine, and of cells whose times scatter.
@Suite struct PairedNoiseTests {
  private let pairs = ScriptedPairs()

  /// A machine with other load in bursts on all processors. Most processes measure about the true time, some 1.5 times
  /// or several times as much. The probes are affected, too.
  private final class BurstingMachine: ScriptedMachine, @unchecked Sendable {
    private let lock = NSLock()
    private var random: RandomStream
    private var left = 0

    init(_ seed: UInt64) {
      random = RandomStream(seed: seed, .order, 0)
      super.init()
    }

    /// Returns the factor by which the next measurement is longer.
    func factor() -> Double {
      lock.withLock {
        if left == 0, Double.random(in: 0..<1, using: &random) < 0.3 { left = Int.random(in: 1...4, using: &random) }
        let isBurst = left > 0
        left -= isBurst ? 1 : 0
        // A heavy tail: a few measurements in bursts take about ten times as long.
        let burst = 1 + 0.3 / max(0.03, Double.random(in: 0..<1, using: &random))
        return (isBurst ? burst : 1) * Double.random(in: 0.97...1.03, using: &random)
      }
    }

    override func sample() -> ProbeSample { ProbeSample(started: 0, loop: 50e6 * factor(), write: 1e6 * factor()) }
  }

  /// Bursts make nothing slower or faster than itself, and hide no cell that takes five times as long.
  @Test(arguments: [nil, "5"]) func inBurstsOnlyAChangeIsFound(slowdown: String?) async throws {
    var unfit = 0
    for seed in 1...repetitions(4) {
      let (pairs, machine) = (ScriptedPairs(), BurstingMachine(UInt64(seed)))
      let plan = pairs.plan()
      let drilled = pairs.names(plan)[1]
      let comparison = try await pairs.run(
        plan, inject: slowdown.map { "\($0)@\(drilled)" }, machine: machine, noise: { _ in machine.factor() })
      unfit += comparison.method?.unfit == nil ? 0 : 1
      if slowdown == nil {
        #expect(comparison.judgements(.slower).isEmpty && comparison.judgements(.faster).isEmpty, "\(seed)")
        if comparison.method?.unfit != nil { #expect(comparison.status() == ExitStatus.unjudged) }
      } else {
        #expect(comparison.judgements(.slower).map(\.name) == [drilled], "\(seed)")
        // A confirmed regression fails in both modes.
        #expect(comparison.status() == ExitStatus.regression)
        #expect(comparison.status(passesUnjudged: true) == ExitStatus.regression)
      }
    }
    // If fewer runs are disturbed, the test shows nothing.
    #expect(unfit >= 2)
  }

  @Test func onAnUnfitMachineOnlyWhatIsBeyondItsNoiseIsJudged() async throws {
    // Every other probe takes 2.1 times as long, so that the noise is 2.1 and the bound is 3.04.
    let loops = [50e6, 105e6]
    for (factor, found) in [(1.0, false), (1.5, false), (2.9, false), (3.2, true)] {
      let pairs = ScriptedPairs()
      let comparison = try await pairs.run(pairs.plan(), machine: ScriptedMachine(loops)) { isHead, _ in
        isHead ? factor : 1
      }
      #expect(abs((comparison.method?.bound ?? 0) - 3.04) < 0.01)
      #expect(comparison.judgements(.slower).count == (found ? 4 : 0), "\(factor)")
      #expect(comparison.judgements(.unmeasurable).count == (found ? 0 : 4), "\(factor)")
      #expect(comparison.status() == (found ? ExitStatus.regression : ExitStatus.unjudged))
      #expect(comparison.status(passesUnjudged: true) == (found ? ExitStatus.regression : ExitStatus.ok))
    }
    // A faster cell is found as well and does not fail the gate, but the other cells are not judged.
    let name = pairs.names(pairs.plan())[0]
    let faster = try await pairs.run(pairs.plan(), machine: ScriptedMachine(loops)) { isHead, cell in
      isHead && cell == name ? 0.2 : 1
    }
    #expect(faster.judgements(.faster).map(\.name) == [name])
    #expect(faster.status() == ExitStatus.unjudged)
  }

  @Test func stolenTimeLeavesWhatTheControlAndTheProbesLeave() async throws {
    // The times are steady, although the hypervisor took a fifth of them.
    let slow = pairs.names(pairs.plan())[2]
    let comparison = try await pairs.run(pairs.plan(), machine: ScriptedMachine(stolen: 0.2)) { isHead, cell in
      isHead && cell == slow ? 1.1 : 1
    }
    #expect(comparison.method?.unfit?.contains("hypervisor") == true)
    #expect(comparison.judgements(.slower).map(\.name) == [slow])
    #expect(comparison.judgements(.unmeasurable).count == 3)
    #expect(comparison.status(passesUnjudged: true) == ExitStatus.regression)
  }

  @Test(arguments: [
    (1.3, ChangeVerdict.unmeasurable, ExitStatus.unjudged), (1.45, .unmeasurable, ExitStatus.unjudged),
    (1.55, .slower, ExitStatus.regression), (0.55, .faster, ExitStatus.ok),
  ])
  func aControlThatDiffersFromItselfSetsTheBound(head: Double, verdict: ChangeVerdict, status: Int32) {
    let judged = flagged(control: 1.3, head: head)
    #expect(judged.method?.unfit?.contains("differ from itself") == true)
    #expect(judged.method?.bound.map { (1.48...1.52).contains($0) } == true)
    #expect(judged.judgements.map(\.verdict) == [verdict], "\(head)")
    #expect(judged.status() == status)
  }

  @Test func aSuspicionOfTheControlThatIsNotConfirmedSetsNoBound() throws {
    // The first series of the control was selected because it differed tenfold. The second series decides.
    let judged = flagged(control: 1, head: 2, suspected: 10)
    #expect(judged.method?.unfit != nil)
    #expect((judged.method?.bound ?? 0) < 1.1)
    #expect(judged.judgements.map(\.verdict) == [.slower])
  }

  /// Returns a comparison whose control has raised a false alarm. The factors are those by which the base differs from
  /// itself, the head from the base, and the base from itself in its first series.
  private func flagged(control: Double, head: Double, suspected: Double? = nil) -> Comparison {
    let plan = pairs.plan(["a"])
    func stage(_ ratio: Double) -> PairedStage? {
      PairedStage(pairs: (0..<12).map { (1_000, 1_000 * ratio + Double($0)) }, margin: 0.05, resolution: 2)
    }
    func cellResult(_ ratio: Double, first: Double? = nil) -> PairedMeasurements.CellResult {
      guard let first = stage(first ?? ratio), let second = stage(ratio) else { return .init(index: 0) }
      return PairedMeasurements.CellResult(
        index: 0, verdict: PairedVerdict(first: first, second: second),
        change: TimeChange(
          base: 1_000, head: 1_000 * ratio, ratio: ratio, low: ratio, high: ratio, pairs: 12, margin: 0.05))
    }
    let samples = (0..<13).map {
      // If the control's suspicion is not confirmed, stolen time makes the machine unfit instead.
      ProbeSample(
        started: Double($0), loop: 50e6, write: 1e6, steal: suspected == nil ? 0 : Double($0) * 20,
        ticks: Double($0) * 100)
    }
    let measurements = PairedMeasurements(
      cells: [cellResult(head)], control: [cellResult(control, first: suspected)],
      samples: samples)
    var row = SummaryRow(
      cell: plan.head.cells[0].cell, machine: "m", run: "r", level: .intact, engineVersion: "1", fidelity: .native,
      seed: 1)
    row.cost = Cost(countedOperations: 1)
    let model = ReportModel(
      directory: pairs.temporary.run, plan: plan.head, environment: MachineEnvironment(machine: "m"), rows: [row],
      trials: 1)
    return PairedGate(
      plan: plan, measurements: measurements, base: model, head: model, names: ("base", "head"), judgesCounts: true,
      subject: .pairs
    ).comparison()
  }

  @Test func theControlHasACellOfEachClass() throws {
    func cell(_ name: String, isWholeFile: Bool = false, saves: Bool = true) -> PlannedCell {
      let workload = saves ? "save-one" : "read-one"
      return .sample("page", workload, durability: saves ? .shipped : nil, isWholeFile: isWholeFile).named(name)
    }
    let readers = (0..<20).map { cell("r\($0)", isWholeFile: $0.isMultiple(of: 2), saves: false) }
    for seed in 1...20 {
      func control(_ cells: [PlannedCell], syncing: Set<Int>, without: Set<Int> = []) -> [Int] {
        let plan = Plan(seed: UInt64(seed), rounds: 12, cells: cells)
        return PairedPlan(base: plan, head: plan).firstSeries(syncing: syncing, without: without)
          .filter { $0.isControl }.map { $0.index }
      }
      let all = control(readers + [cell("file", isWholeFile: true), cell("sync")], syncing: [20, 21])
      #expect(all.count == 3)
      #expect(Set(all).isSuperset(of: [20, 21]))
      // A missing class is replaced by a second cell of another one. Failed cells are not chosen.
      let two = control(readers + [cell("file", isWholeFile: true), cell("sync")], syncing: [20, 21], without: [21])
      #expect(Set(two).count == 3 && two.contains(20) && !two.contains(21))
      #expect(control([cell("a"), cell("b")], syncing: []).count == 2)
    }
  }

  // MARK: - Cells that scatter

  /// Compares 20 cells of two backends, so many of them of the first, and two workloads. The times of some scatter
  /// during the first launches of each side.
  private func scattering(
    _ pairs: ScriptedPairs, _ scattering: Set<Int>, ofFirst count: Int = 10, launches: Int = .max, factor: Double = 1
  ) async throws -> (comparison: Comparison, names: [String]) {
    let cells = (0..<20).map { index in
      var planned = PlannedCell.sample("page", index.isMultiple(of: 2) ? "save-one" : "import", records: 100 + index)
      planned.cell.backend = PlannedCell.sample().named(index < count ? "a" : "b").cell.backend
      return planned
    }
    let plan = Plan(rounds: 12, cells: cells)
    let paired = PairedPlan(base: plan, head: plan)
    let names = pairs.names(paired)
    let wild = Set(scattering.map { names[$0] })
    let log = pairs.log
    let comparison = try await pairs.run(paired) { isHead, cell in
      let past = log.count(isHead, cell)
      // The ratios of the pairs cancel: neither side is slower on the whole.
      let isOff = wild.contains(cell) && past <= launches
      let swing = isOff ? [0.5, 2, 1, 0.6, 1.8, 1][past % 6] : 1
      return isHead ? swing * factor : 1
    }
    return (comparison, names)
  }

  @Test func aCellThatScattersGetsFurtherPairs() async throws {
    let (comparison, names) = try await scattering(pairs, [3], launches: 12)
    #expect(comparison.judgements.allSatisfy { $0.verdict == .same })
    #expect(comparison.judgements[3].time?.pairs == 36)
    #expect(comparison.judgements[4].time?.pairs == 12)
    #expect(comparison.status() == ExitStatus.ok)
    #expect(comparison.missing == nil)
    // Further pairs are separate rounds in the journal.
    let trials = try RunDirectory(path: "\(pairs.temporary.path)/head").allTrials()
    let rounds = trials.filter { $0.cell.name == names[3] }.compactMap(\.round)
    #expect(rounds == Array(1...36))
  }

  @Test func aCellThatStillScattersIsAWarning() async throws {
    let (comparison, names) = try await scattering(pairs, [3])
    #expect(comparison.judgements(.unmeasurable).map(\.name) == [names[3]])
    #expect(comparison.judgements[3].time?.pairs == 36)
    #expect(comparison.judgements[3].note == "the pairs scatter too much")
    #expect(comparison.status() == ExitStatus.ok)
    #expect(comparison.missing == "19 of 20 cells could be judged; the rest is a warning.")
  }

  @Test func lessThanNineOfTenCellsAreNotEnough() async throws {
    let two = try await scattering(ScriptedPairs(), [3, 14]).comparison
    #expect(two.status() == ExitStatus.ok)
    let three = try await scattering(ScriptedPairs(), [3, 14, 16]).comparison
    #expect(three.judgements(.unmeasurable).count == 3)
    #expect(three.status() == ExitStatus.unjudged)
    #expect(three.status(passesUnjudged: true) == ExitStatus.ok)
    #expect(three.missing?.hasPrefix("Only 17 of 20 cells could be judged: a gate needs 90 %") == true)
  }

  @Test func someOfEveryBackendHasToBeJudged() async throws {
    let (comparison, names) = try await scattering(pairs, [19], ofFirst: 19)
    #expect(comparison.method?.coverage?.judged == 19)
    #expect(comparison.status() == ExitStatus.unjudged)
    #expect(comparison.missing?.contains("none of backend \(names[19].prefix { $0 != "/" })") == true)
  }

  @Test func furtherPairsAreNoMoreThanThoseOfTheFirstStage() async throws {
    let (comparison, _) = try await scattering(pairs, Set(0..<20))
    // The limit is the 276 pairs of the first stage, of 23 series. Each cell takes 24, enough for 11 cells.
    #expect(comparison.judgements.count { $0.time?.pairs == 36 } == 11)
    #expect(comparison.judgements.count { $0.time?.pairs == 12 } == 9)
    #expect(comparison.status() == ExitStatus.unjudged)
  }

  @Test func aSlowdownIsFoundInACellThatScatters() async throws {
    let (comparison, names) = try await scattering(ScriptedPairs(), [3], factor: 2.5)
    // All cells of the head are slower. The one that scatters is confirmed by further pairs.
    #expect(comparison.judgements(.slower).count == 20)
    #expect(comparison.judgements.first { $0.name == names[3] }?.time?.pairs == 36)
    #expect(comparison.judgements.first { $0.name == names[4] }?.time?.pairs == 12)
  }

  // MARK: - Batches against single operations

  @Test func meansAreComparedWhereOnlyOneSideWasBatched() async throws {
    // Single operations have a lower quartile and a median below the mean. Those of batches are means of batches.
    func compare(_ isBatched: @escaping @Sendable (Bool) -> Bool) async throws -> TimeChange? {
      let pairs = ScriptedPairs()
      return try await pairs.run(
        pairs.plan(["a"]),
        shape: { isHead, timing in
          if isBatched(isHead) {
            timing.batch = 64
          } else {
            timing.p25 *= 0.7
            timing.p50 *= 0.8
          }
        }
      ).judgements[0].time
    }
    for headIsBatched in [true, false] {
      let mixed = try #require(await compare { $0 == headIsBatched })
      #expect(mixed.comparesMeans)
      #expect(abs(mixed.ratio - 1) < 0.02)
      // The displayed times are those that were compared.
      #expect(abs(mixed.base - 1_000) < 20 && abs(mixed.head - 1_000) < 20)
    }
    for both in [true, false] {
      let time = try #require(await compare { _ in both })
      #expect(!time.comparesMeans)
      #expect(abs(time.base - (both ? 1_000 : 800)) < 20)
    }
  }
}
