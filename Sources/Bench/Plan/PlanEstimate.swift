import StorageContract
import StorageReport
import StorageRunFiles
import StorageWorkloads

/// A rough estimate of the time and disk space of a plan, made before anything is measured.
enum PlanEstimate {
  /// Returns the estimated seconds of one process, with the preparation and verification of its store.
  ///
  /// - Parameter ofPair: Whether the process is part of a paired comparison, in which only one process runs at a time.
  static func trialSeconds(_ cell: PlannedCell, of plan: Plan, ofPair: Bool = false) -> Double {
    let (records, timed) = (Double(cell.cell.records), Double(plan.trialTime(cell)) / 1e9)
    // Each process copies its initial store and verifies the final store. Whole-file engines read and write the whole
    // store.
    return bytesSeconds(cell.cell, of: plan)
      + (ofPair
        ? 0.07 + 1.3 * timed + records * (cell.isWholeFile ? 20e-6 : 2e-6)
        : 0.01 + 1.7 * timed + records * (cell.isWholeFile ? 8e-6 : 1e-6))
  }

  private static func bytesSeconds(_ cell: Cell, of plan: Plan) -> Double {
    plan.dataset != nil
      ? Double(cell.records) * Double(cell.recordBytes + 150) * 40e-9
      : Double(cell.records) * Double(max(0, cell.recordBytes - 100)) * 4e-9
  }

  static func roundSeconds(_ plan: Plan, ofPairs: Bool = false) -> Double {
    plan.cells.filter { $0.refusal == nil && $0.untimed == nil }
      .reduce(0) { $0 + trialSeconds($1, of: plan, ofPair: ofPairs) }
  }

  static func seconds(_ plan: Plan) -> Double { Double(plan.rounds) * roundSeconds(plan) + onceSeconds(plan) }

  static func onceSeconds(_ plan: Plan) -> Double {
    let cells = plan.cells.filter { $0.refusal == nil }
    return cells.reduce(ageing(cells)) { sum, cell in
      // Twice, because a separate process makes the initial store.
      sum + 2 * bytesSeconds(cell.cell, of: plan)
        + (0.25 + Double(cell.cell.records) * (cell.isWholeFile ? 110e-6 : 6e-6))
        / Double(Parallelism.costPassesAtOnce)
    }
  }

  private static func ageing(_ cells: [PlannedCell]) -> Double {
    cells.filter { $0.cell.aged > 0 }.unique { fixture($0.cell) }.reduce(0) { sum, planned in
      let changes = AgedStore.changes(records: planned.cell.records, times: planned.cell.aged)
      return sum + Double(changes) * (planned.isWholeFile ? 60e-6 : 80e-6) / Double(Parallelism.fixturesAtOnce)
    }
  }

  private static func fixture(_ cell: Cell) -> String {
    "\(cell.backend)/\(cell.records)/\(cell.recordBytes)/\(cell.aged)"
  }

  /// Returns a generous estimate of a store's size in bytes. Logs repeat records, and pages of an aged store are half
  /// empty.
  static func bytes(_ cell: Cell) -> Int { cell.records * (cell.recordBytes * 2 + 300) * (cell.aged > 0 ? 2 : 1) }

  /// Returns the estimated bytes of all stores that exist at once while system calls are counted.
  ///
  /// - Parameter planned: A benchmark. All stores are assumed to be as large as the store of this benchmark.
  static func bytesOfCostPasses(_ planned: PlannedCell) -> Int {
    bytes(planned.cell) * (Parallelism.storesAtOnce + Parallelism.costPassesAtOnce)
  }

  static func bytes(_ plan: Plan) -> Int {
    let cells = plan.cells.filter { $0.refusal == nil }.map(\.cell)
    let largest = cells.map(bytes).sorted(by: >)
    // A store may be rewritten while its calls are counted, and then exists twice.
    return cells.unique(by: fixture).map(bytes).reduce(0, +) + largest.prefix(Parallelism.storesAtOnce).reduce(0, +)
      + largest.prefix(Parallelism.costPassesAtOnce).reduce(0, +)
  }
}

/// The limits on the number of simultaneous processes in a run, and on the number and size of their stores.
enum Parallelism {
  /// The number of simultaneous processes that count system calls. Three keep two processors busy, because saves wait
  /// for the disk.
  static let costPassesAtOnce = 3
  /// The maximum number of processes that prepare or verify stores at once while no process is timed: one for each of
  /// two processors.
  static let besideNoClock = 2
  /// The maximum number of processes that prepare their stores before they are timed, so that no processor is idle.
  static let trialsAhead = 8
  /// The maximum total size of the stores of simultaneous processes, in bytes. Larger stores would take memory from the
  /// process that is timed.
  static let bytesInRow = 128 << 20
  /// The number of initial stores that are built at the same time. Each build keeps a processor busy.
  static let fixturesAtOnce = 2
  /// A threshold for the number of stores that wait for verification. From this number on, no further process starts to
  /// count system calls.
  static let unverifiedStores = 3
  /// The maximum number of stores that exist at once while system calls are counted.
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
