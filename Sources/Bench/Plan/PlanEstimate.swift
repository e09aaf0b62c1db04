import StorageContract
import StorageReport
import StorageRunFiles
import StorageWorkloads

/// A rough estimate of the time and space that a plan takes, before the machine is measured.
///
/// For the profile `quick`, which takes 68 to 79 s on two cores of a virtual machine, the estimate is 63 s. For the
/// profile `full` it is 1,111 s, and no newer measurement exists since reads in WAL mode and saves at each level were
/// added.
enum PlanEstimate {
  /// Returns the estimated seconds of one timed trial: a process that measures one cell (benchmark), with the work
  /// before and after. In a run the work of several trials overlaps. In a paired comparison it does not.
  ///
  /// - Parameter ofDataset: Whether the records are of a data set.
  static func trialSeconds(
    _ cell: PlannedCell, trialTime: Int64, ofPair: Bool = false, ofDataset: Bool
  ) -> Double {
    let (records, timed) = (Double(cell.cell.records), Double(trialTime) / 1e9)
    // The fixture is copied, the remaining store is compared with the model, and whole-file engines read and write the
    // whole store.
    return bytesSeconds(cell.cell, ofDataset: ofDataset)
      + (ofPair
        ? 0.07 + 1.3 * timed + records * (cell.isWholeFile ? 20e-6 : 2e-6)
        : 0.01 + 1.7 * timed + records * (cell.isWholeFile ? 8e-6 : 1e-6))
  }

  /// Returns the additional seconds of a process for records of more than 100 bytes, or for reading a data set's file.
  private static func bytesSeconds(_ cell: Cell, ofDataset: Bool) -> Double {
    ofDataset
      ? Double(cell.records) * Double(cell.recordBytes + 150) * 40e-9
      : Double(cell.records) * Double(max(0, cell.recordBytes - 100)) * 4e-9
  }

  /// Returns the estimated seconds to time every cell (benchmark) once, in a run or on one side of a paired comparison.
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

  /// Returns the estimated seconds of the work that is done once in a run: counting system calls, and aging stores.
  static func onceSeconds(_ cells: [PlannedCell], ofDataset: Bool) -> Double {
    cells.filter { $0.refusal == nil }.reduce(ageing(cells)) { sum, cell in
      // A separate process makes the store that trials start from.
      sum + 2 * bytesSeconds(cell.cell, ofDataset: ofDataset)
        + (0.25 + Double(cell.cell.records) * (cell.isWholeFile ? 110e-6 : 6e-6))
        / Double(Parallelism.costPassesAtOnce)
    }
  }

  /// Returns the seconds for aging all stores by many changes. Engines that write pages commit each change separately.
  private static func ageing(_ cells: [PlannedCell]) -> Double {
    let aged = cells.filter { $0.refusal == nil && $0.cell.aged > 0 }
    let stores = Dictionary(aged.map { (fixture($0.cell), $0) }, uniquingKeysWith: { first, _ in first })
    return stores.values.reduce(0) { sum, planned in
      let changes = AgedStore.changes(records: planned.cell.records, times: planned.cell.aged)
      return sum + Double(changes) * (planned.isWholeFile ? 60e-6 : 80e-6) / Double(Parallelism.fixturesAtOnce)
    }
  }

  /// Returns a key for the initial store of a cell (benchmark). Cells with the same key start from copies of one store.
  private static func fixture(_ cell: Cell) -> String {
    "\(cell.backend)/\(cell.records)/\(cell.recordBytes)/\(cell.aged)"
  }

  /// Returns the estimated bytes of a store. The overhead for each record is generous. Pages of an aged store are half
  /// empty, and a log may hold each record several times.
  static func bytes(_ cell: Cell) -> Int { cell.records * (cell.recordBytes * 2 + 300) * (cell.aged > 0 ? 2 : 1) }

  /// Returns the bytes of all stores that are on the disk at once while calls are counted, in a plan whose stores are
  /// all as large as this cell's. A store may exist twice while it is counted, because it may be rewritten.
  static func bytesOfCostPasses(_ planned: PlannedCell) -> Int {
    bytes(planned.cell) * (Parallelism.storesAtOnce + Parallelism.costPassesAtOnce)
  }

  /// Returns the bytes that a run occupies on the disk at once: initial stores, stores whose calls are counted, and
  /// stores that timed trials (processes) keep.
  static func bytes(_ plan: Plan) -> Int {
    let sizes = plan.cells.filter { $0.refusal == nil }.map { (cell: $0.cell, bytes: bytes($0.cell)) }
    var fixtures: [String: Int] = [:]
    for (cell, bytes) in sizes { fixtures[fixture(cell)] = bytes }
    let largest = sizes.map(\.bytes).sorted(by: >)
    // Several of these stores are kept, with different numbers of saves.
    let kept = plan.cells.filter { $0.refusal == nil && $0.isWholeFile && $0.cell.durability != nil }
      .reduce(0) { $0 + 4 * bytes($1.cell) }
    // A store that is being counted may be rewritten, and then exists twice.
    return [largest.prefix(Parallelism.storesAtOnce), largest.prefix(Parallelism.costPassesAtOnce)]
      .reduce(fixtures.values.reduce(min(kept, Parallelism.bytesKept), +)) { $0 + $1.reduce(0, +) }
  }
}

/// The limits for parallel work in a run. Timed trials (processes) never run in parallel.
enum Parallelism {
  /// The number of cost trials at once, which are processes that count calls and are not timed. Saves that are synced
  /// mostly wait for the disk, so only a third trial keeps two processors busy.
  static let costPassesAtOnce = 3
  /// The number of timed trials that prepare or verify their stores at once while no clock is running: one for each of
  /// two processors.
  static let besideNoClock = 2
  /// The number of timed trials (processes) whose stores may be prepared in advance, so that no processor is idle
  /// between two timings. More trials would bring little.
  static let trialsAhead = 8
  /// The approximate limit, in bytes, of the current store and all stores prepared in advance, taken together. These
  /// stores must not take memory from the timed trial (process).
  static let bytesInRow = 128 << 20
  /// The limit, in bytes, of the stores that timed trials (processes) keep for comparison: see ``VerifiedStores``.
  static let bytesKept = 64 << 20
  /// The number of initial stores (fixtures) that are built at once. Each build keeps a processor busy.
  static let fixturesAtOnce = 2
  /// The number of counted stores that may wait for verification. With more stores, the next counting process waits.
  static let unverifiedStores = 3
  /// The number of counted stores on the disk at once, without the initial stores. One of them is being verified.
  static let storesAtOnce = costPassesAtOnce + unverifiedStores + 1
}

enum DryRun {
  /// Returns the output of `run --dry-run`: each backend and workload with its durability level, the number of
  /// measuring processes, and the estimated time and disk space.
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
