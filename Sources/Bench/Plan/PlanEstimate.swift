import StorageContract
import StorageReport
import StorageRunFiles
import StorageWorkloads

/// A rough estimate of the time and disk space of a plan of benchmarks, before the machine is measured.
///
/// For the profile `quick` the estimate is 63 s. Runs took 68 to 79 s on two cores of a virtual machine, and 99 to 112 s
/// on a day when that machine was slower. For the profile `full` the estimate is 1,111 s. No run of `full` was timed
/// since reads in WAL mode and saves at each level were added.
enum PlanEstimate {
  /// Returns the estimated seconds of one measuring process, with the work before and after the timed operations. In a
  /// run, several processes do this work at the same time. In a paired comparison of two builds (`ofPair`), they do it
  /// one after another.
  static func trialSeconds(_ cell: PlannedCell, trialTime: Int64, ofPair: Bool = false, ofDataset: Bool) -> Double {
    let (records, timed) = (Double(cell.cell.records), Double(trialTime) / 1e9)
    // Each process copies its initial store and verifies the final store. Whole-file engines read and write the whole
    // store.
    return bytesSeconds(cell.cell, ofDataset: ofDataset)
      + (ofPair
        ? 0.07 + 1.3 * timed + records * (cell.isWholeFile ? 20e-6 : 2e-6)
        : 0.01 + 1.7 * timed + records * (cell.isWholeFile ? 8e-6 : 1e-6))
  }

  static func trialSeconds(_ cell: PlannedCell, of plan: Plan, ofPair: Bool = false) -> Double {
    trialSeconds(cell, trialTime: plan.trialTime(cell), ofPair: ofPair, ofDataset: plan.dataset != nil)
  }

  private static func bytesSeconds(_ cell: Cell, ofDataset: Bool) -> Double {
    ofDataset
      ? Double(cell.records) * Double(cell.recordBytes + 150) * 40e-9
      : Double(cell.records) * Double(max(0, cell.recordBytes - 100)) * 4e-9
  }

  static func roundSeconds(
    _ cells: [PlannedCell], ofPairs: Bool = false, ofDataset: Bool, trialTime: (PlannedCell) -> Int64
  ) -> Double {
    cells.filter { $0.refusal == nil && $0.untimed == nil }
      .reduce(0) { $0 + trialSeconds($1, trialTime: trialTime($1), ofPair: ofPairs, ofDataset: ofDataset) }
  }

  static func seconds(_ plan: Plan) -> Double {
    let ofDataset = plan.dataset != nil
    let round = roundSeconds(plan.cells, ofDataset: ofDataset) { plan.trialTime($0) }
    return Double(plan.rounds) * round + onceSeconds(plan.cells, ofDataset: ofDataset)
  }

  static func onceSeconds(_ cells: [PlannedCell], ofDataset: Bool) -> Double {
    cells.filter { $0.refusal == nil }.reduce(ageing(cells)) { sum, cell in
      // Twice, because a separate process makes the initial store.
      sum + 2 * bytesSeconds(cell.cell, ofDataset: ofDataset)
        + (0.25 + Double(cell.cell.records) * (cell.isWholeFile ? 110e-6 : 6e-6))
        / Double(Parallelism.costPassesAtOnce)
    }
  }

  private static func ageing(_ cells: [PlannedCell]) -> Double {
    let aged = cells.filter { $0.refusal == nil && $0.cell.aged > 0 }
    let stores = Dictionary(aged.map { (fixture($0.cell), $0) }, uniquingKeysWith: { first, _ in first })
    return stores.values.reduce(0) { sum, planned in
      let changes = AgedStore.changes(records: planned.cell.records, times: planned.cell.aged)
      return sum + Double(changes) * (planned.isWholeFile ? 60e-6 : 80e-6) / Double(Parallelism.fixturesAtOnce)
    }
  }

  private static func fixture(_ cell: Cell) -> String {
    "\(cell.backend)/\(cell.records)/\(cell.recordBytes)/\(cell.aged)"
  }

  /// Returns the estimated bytes of a store. The estimate is generous: pages of an aged store (changed many times) are
  /// half empty, and a log may hold each record several times.
  static func bytes(_ cell: Cell) -> Int { cell.records * (cell.recordBytes * 2 + 300) * (cell.aged > 0 ? 2 : 1) }

  /// Returns the estimated bytes that all stores occupy on the disk at once during cost passes, which count system
  /// calls. The estimate assumes that all stores are as large as this benchmark's store. A store may be rewritten
  /// during a cost pass, and then exists twice.
  static func bytesOfCostPasses(_ planned: PlannedCell) -> Int {
    bytes(planned.cell) * (Parallelism.storesAtOnce + Parallelism.costPassesAtOnce)
  }

  static func bytes(_ plan: Plan) -> Int {
    let sizes = plan.cells.filter { $0.refusal == nil }.map { (cell: $0.cell, bytes: bytes($0.cell)) }
    var fixtures: [String: Int] = [:]
    for (cell, bytes) in sizes { fixtures[fixture(cell)] = bytes }
    let largest = sizes.map(\.bytes).sorted(by: >)
    // Timed processes keep several stores of a whole-file engine, with different numbers of saves. Four are assumed.
    let kept = plan.cells.filter { $0.refusal == nil && $0.isWholeFile && $0.cell.durability != nil }
      .reduce(0) { $0 + 4 * bytes($1.cell) }
    // A store may be rewritten while its calls are counted, and then exists twice.
    return [largest.prefix(Parallelism.storesAtOnce), largest.prefix(Parallelism.costPassesAtOnce)]
      .reduce(fixtures.values.reduce(min(kept, Parallelism.bytesKept), +)) { $0 + $1.reduce(0, +) }
  }
}

/// The limits for parallel work in a benchmark run, in which only one process at a time is timed.
enum Parallelism {
  /// The number of cost passes (untimed processes that count system calls) that run at once. Synced saves mostly wait
  /// for the disk, so three processes keep two processors busy.
  static let costPassesAtOnce = 3
  /// The number of processes that prepare or verify stores at once while nothing is timed. Two processors are assumed.
  static let besideNoClock = 2
  /// The number of processes that may prepare their stores before they can be timed, so that no processor is idle
  /// between two timings. More would gain little.
  static let trialsAhead = 8
  /// The approximate limit, in bytes, of the store being timed and all stores in the row of those that are timed next,
  /// taken together. These stores must not take memory from the timed process.
  static let bytesInRow = 128 << 20
  /// The limit, in bytes, of the stores of timed processes that are kept for comparison with later stores: see
  /// ``VerifiedStores``.
  static let bytesKept = 64 << 20
  /// The number of fixtures (initial stores, which measuring processes copy) that are built at once. Each build keeps a
  /// processor busy.
  static let fixturesAtOnce = 2
  /// The number of stores that may wait for verification after their system calls were counted. With more, counting
  /// pauses.
  static let unverifiedStores = 3
  /// The largest number of stores on the disk at once while system calls are counted: stores in use, stores waiting for
  /// verification, and one being verified.
  static let storesAtOnce = costPassesAtOnce + unverifiedStores + 1
}

enum DryRun {
  static func text(_ plan: Plan) -> String {
    var lines = plan.cells.map { planned in
      if let refusal = planned.refusal { return "\(planned.cell.name)  \(refusal.status.rawValue): \(refusal.note)" }
      return planned.cell.name + (planned.level.map { "  \($0.rawValue)" } ?? "")
        + (planned.untimed.map { "  counted only: \($0)" } ?? "")
    }
    let runnable = plan.cells.count { $0.refusal == nil }
    let timed = plan.cells.count { $0.refusal == nil && $0.untimed == nil }
    let trials = plan.once ? runnable : timed * plan.rounds + runnable
    lines.append("")
    if let words = plan.datasetInWords { lines.append(words) }
    lines.append(
      "\(Quantity.counted(plan.cells.count, "cell")), \(Quantity.counted(trials, "trial")), about \(Int(PlanEstimate.seconds(plan).rounded(.up))) s, "
        + "about \(NumberFormat.bytes(Double(PlanEstimate.bytes(plan)))) of disk in \(plan.scratch)")
    return lines.joined(separator: "\n") + "\n"
  }
}
