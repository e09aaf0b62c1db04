import Foundation
import StorageContract
import StorageRunFiles
import StorageStatistics

/// A builder of the rows of `summary.csv`, one for each benchmark of a plan. Trials are added one by one and not kept.
public struct SummaryBuilder: Sendable {
  private let plan: Plan
  private let machine: String
  private let run: String
  private let indexes: [Cell: Int]
  private let appearances: [String: Appearance]
  private var cells: [Accumulated]
  /// The time of the fastest test sync on each machine, in nanoseconds. The key is the hash of the machine.
  private var fastestSyncs: [String: Int64] = [:]

  /// Creates a builder without any results.
  ///
  /// - Parameters:
  ///   - plan: The plan of the run.
  ///   - machine: The short hash of the machine, see `MachineEnvironment.machine`.
  ///   - run: The name of the run.
  public init(plan: Plan, machine: String, run: String) {
    self.plan = plan
    self.machine = machine
    self.run = run
    appearances = Dictionary(
      (plan.backends ?? []).compactMap { backend in backend.appearance.map { (backend.name, $0) } },
      uniquingKeysWith: { first, _ in first })
    indexes = Dictionary(plan.cells.enumerated().map { ($1.cell, $0) }, uniquingKeysWith: { first, _ in first })
    cells = Array(repeating: Accumulated(), count: plan.cells.count)
  }

  /// Adds a trial (the result of one measuring process) to the row of its benchmark.
  ///
  /// - Returns: The index of the benchmark in the plan, or nil if the plan does not contain it.
  @discardableResult
  public mutating func add(_ trial: Trial) -> Int? {
    guard let index = indexes[trial.cell] else { return nil }
    cells[index].add(trial)
    if let interference = trial.timing?.interference {
      for sync in [interference.syncBefore, interference.syncAfter].compactMap({ $0 }) {
        fastestSyncs[trial.machine ?? machine] = min(sync, fastestSyncs[trial.machine ?? machine] ?? sync)
      }
    }
    return index
  }

  /// The rows of `summary.csv`, in the order of the plan. Only rows of the largest stores, and rows with a mean
  /// much longer than the median, have a latency histogram.
  public var rows: [SummaryRow] {
    var rows = plan.cells.indices.map(row(at:))
    // Rows of a series differ only in the number of records.
    func series(_ row: SummaryRow) -> [String?] {
      [row.cell.with { $0.records = 0 }.name, row.machine, row.level?.rawValue]
    }
    let timed = rows.filter { $0.p50 != nil }.map { (series($0), $0.cell.records) }
    let largest = Dictionary(timed, uniquingKeysWith: max)
    for (index, row) in rows.enumerated() where row.cell.records != largest[series(row)] && !row.meanDiffers {
      rows[index].histogram = nil
    }
    return rows
  }

  /// Returns the row of the benchmark at an index of the plan, with the results added until now.
  public func row(at index: Int) -> SummaryRow {
    let planned = plan.cells[index]
    let cell = cells[index]
    var row = SummaryRow(
      cell: planned.cell, machine: cell.machine ?? machine, run: run, level: planned.level,
      engineVersion: planned.engineVersion, fidelity: planned.fidelity, seed: plan.seed)
    row.likeness = planned.likeness
    row.appearance = appearances["\(planned.cell.backend)"]
    row.isFloor = planned.isFloor
    row.isWholeFile = planned.isWholeFile
    row.countsVary = planned.countsVary ?? false
    row.settings = cell.settings ?? ""
    row.predicted = cell.predicted
    row.dataset = plan.dataset.map { URL(fileURLWithPath: $0).lastPathComponent } ?? ""
    if let failure = cell.failure {
      row.status = .failed
      row.note = failure
      return row
    }
    cell.fill(&row)
    (row.status, row.note) = verdict(planned, cell, &row)
    return row
  }

  private func verdict(_ planned: PlannedCell, _ cell: Accumulated, _ row: inout SummaryRow) -> (Status, String) {
    if let refusal = planned.refusal { return (refusal.status, refusal.note) }
    if let refusal = cell.refusal, cell.processes == 0 { return (refusal.status, refusal.note) }
    guard cell.trials > 0 else { return (.skipped, "not run") }
    row.isBatched = cell.isBatched
    row.disturbance = cell.disturbance(syncs: row.perOperation(\.syncs), fastestSync: fastestSyncs[row.machine])
    row.isResumed = cell.isResumed
    var notes = cell.notes
    // Fewer trials than planned are normal for slow operations. Otherwise the run was interrupted.
    row.isTimedOnce = cell.isTimedOnce && cell.processes == 1
    if row.isTimedOnce {
      notes.insert("×1", at: 0)
    } else if cell.processes < plan.rounds, !plan.once {
      notes.insert("\(cell.processes) of \(plan.rounds) rounds", at: 0)
    }
    // A memory limit ended some of the trials (measuring processes).
    if let refusal = cell.refusal { notes.append(refusal.note) }
    if let disturbance = row.disturbance { notes.append("disturbed: \(disturbance)") }
    row.steadiness = Steadiness(halves: cell.halves)
    if row.steadiness != .steady { notes.append("not steady: gets \(row.steadiness.rawValue)") }
    if row.isBatched { notes.append("batched") }
    if let rate = cell.rate {
      notes.append("open loop, \(NumberFormat.plain(rate))/s")
      if let reached = row.operationsPerSecond, OpenLoop.fellBehind(reached: reached, asked: rate) {
        row.fellBehind = true
        notes.append("fell behind: \(NumberFormat.rate(reached))/s")
      }
    }
    if let checkpoints = cell.checkpoints, checkpoints < 2, (planned.level ?? .volatile) >= .intact {
      notes.append("no checkpoint seen")
    }
    return (.ok, notes.joined(separator: "; "))
  }
}

private struct Accumulated: Sendable {
  var trials = 0
  var machine: String?
  var failure: String?
  var refusal: PlannedCell.Refusal?
  var notes: [String] = []
  var settings: String?
  var predicted: Double?
  var isTimedOnce = false
  var isResumed = false
  var checkpoints: Int?
  var rate: Double?
  var halves: [Double] = []

  private var isLengthened = false
  private var courses: [(typical: Double, series: String)] = []
  private var interference: [Interference] = []
  private var overFrame: Int?
  private var overHalfFrame: Int?
  private var kinds: [(kind: String, histogram: SparseHistogram, slowest: Int64)] = []
  private var operations = 0
  private var elapsed = 0.0
  /// The sum of all operations' latencies, in nanoseconds. Nil if a measuring process has no latencies.
  private var latency: Double? = 0
  private var cpu = 0.0
  private var slowest: Int64?
  /// The histogram of all latencies. Each measuring process has the same total weight.
  private var histogram = SparseHistogram()
  private var histograms = 0
  private var timedSingly = 0
  private var isMix = false
  private var rounds = Rounds()
  private var cost: Cost?
  private var streamHash: String?
  private var findings: [Finding] = []

  var processes: Int { rounds.count }
  var isBatched: Bool { rounds.values.contains(where: \.isBatched) }

  mutating func add(_ trial: Trial) {
    trials += 1
    machine = machine ?? trial.machine
    if trial.timedOnce { isTimedOnce = true }
    if trial.resumed { isResumed = true }
    switch trial.status {
    case .failed: failure = failure ?? trial.note ?? "no reason given"
    case .skipped, .notAvailable:
      refusal = refusal ?? .init(status: trial.status, note: trial.note ?? "no reason given")
      predicted = predicted ?? trial.predicted
      Finding.combine(trial.findings ?? [], into: &findings)
    case .ok:
      // A row has at most three distinct notes. The file `trials.jsonl` has all of them.
      if let note = trial.note, !note.isEmpty, !notes.contains(note), notes.count < 3 { notes.append(note) }
      if settings == nil { settings = trial.settings }
      // The cost pass (an untimed process that counts calls) runs the same operations on all machines, so its hash is
      // kept.
      if streamHash == nil || trial.pass == .cost { streamHash = trial.streamHash ?? streamHash }
      if let timing = trial.timing {
        // A lengthened trial (measuring process) replaces the shorter ones before, whose speed was not steady.
        if trial.lengthened == true, !isLengthened { self = withoutTimings }
        add(timing, round: trial.round, threads: trial.cell.threads)
      }
      if let cost = trial.cost { self.cost = cost }
      Finding.combine(trial.findings ?? [], into: &findings)
    }
  }

  private var withoutTimings: Accumulated {
    var rest = Accumulated()
    (rest.trials, rest.machine, rest.notes, rest.settings) = (trials, machine, notes, settings)
    (rest.isResumed, rest.cost, rest.streamHash, rest.findings) = (isResumed, cost, streamHash, findings)
    rest.isLengthened = true
    return rest
  }

  private mutating func add(_ timing: Timing, round: Int?, threads: Int) {
    let round = round ?? processes + 1
    // A resumed run repeats no round (repetition). If a round occurs twice anyway, the first one counts.
    guard rounds[round] == nil else { return }
    operations += timing.operations
    elapsed += Double(timing.elapsed)
    cpu += Double(timing.cpu)
    if let max = timing.max { slowest = Swift.max(slowest ?? max, max) }
    // The elapsed time per operation is not the latency if operations of several threads overlap or start at fixed
    // times.
    var meanLatency: Double? = threads == 1 && timing.rate == nil ? timing.mean : nil
    if let text = timing.histogram, let decoded = HistogramText(text: text) {
      histogram.merge(decoded.buckets, weighing: Self.processWeight)
      histograms += 1
      let count = decoded.buckets.reduce(0) { $0 + $1.count }
      timedSingly += Int(count)
      if meanLatency == nil, count > 0 {
        meanLatency = decoded.buckets.reduce(0) { $0 + Double($1.value) * Double($1.count) } / Double(count)
      }
    }
    latency = meanLatency.flatMap { mean in latency.map { $0 + mean * Double(timing.operations) } }
    for kind in timing.kinds ?? [] { add(kind) }
    if let ratio = timing.halves { halves.append(ratio) }
    if let series = timing.series { courses.append((timing.typical, series)) }
    if let beside = timing.interference { interference.append(beside) }
    if let over = timing.overFrame { overFrame = (overFrame ?? 0) + over }
    if let over = timing.overHalfFrame { overHalfFrame = (overHalfFrame ?? 0) + over }
    rate = rate ?? timing.rate
    if let seen = timing.checkpoints { checkpoints = (checkpoints ?? 0) + seen }
    // The kinds of operations in a mix may differ by a factor of a hundred, so a mix has a mean but no median.
    if timing.kinds != nil, timing.histogram == nil { isMix = true }
    rounds[round] = RoundTiming(
      typical: timing.typical, mean: timing.mean, isBatched: timing.isBatched,
      resolution: timing.isBatched ? 2 : timing.clock, meanLatency: meanLatency,
      samples: timing.operations / max(1, timing.batch ?? 1))
  }

  /// Returns the reason why the times of a benchmark are doubtful, such as a busy processor; nil if they are reliable.
  ///
  /// - Parameters:
  ///   - syncs: The number of syncs per operation; nil if unknown.
  ///   - fastestSync: The shortest time of a sync on the machine, in nanoseconds; nil if unknown.
  func disturbance(syncs: Double?, fastestSync: Int64?) -> String? {
    let all = interference.count
    func words(_ count: Int, _ what: String) -> String? {
      3 * count > all ? "\(count) of \(Quantity.counted(all, "trial")) \(what)" : nil
    }
    let waiting = interference.filter(\.hasWaited)
    if let words = words(waiting.count, "waited for a processor") {
      let share = Quantile.median(of: waiting.map(\.waitShare).sorted()) ?? 0
      return "\(words), for \(Quantity.whole(share * 100)) % of their time"
    }
    let uneven = words(interference.count(where: \.hasUnevenSyncs), "saw the disk get three times as slow or fast")
    let disturbed = words(interference.count(where: \.isDisturbed), "waited for a processor or for a busy disk")
    if let words = uneven ?? disturbed { return words }
    // If other processes use the processor while a sync waits, the sync ends with a tick of the kernel's timer. Such
    // times say little about the disk.
    guard let syncs, syncs >= 0.5, let fastestSync, let tick = interference.first?.tick, tick > 0, elapsed > 2 * cpu
    else { return nil }
    let ticks = rounds.values.map { $0.typical / syncs / Double(tick) }
    let ending = ticks.filter { abs($0 - $0.rounded()) <= 0.03 && $0.rounded() >= 1 }
    guard 3 * ending.count > 2 * ticks.count, let middle = Quantile.median(of: ending.sorted()),
      middle.rounded() * Double(tick) > 2 * Double(fastestSync)
    else { return nil }
    let count = Quantity.counted(Int(middle.rounded()), "tick")
    return "a sync takes \(count) of the kernel's timer, and not the disk's time"
  }

  /// The total weight of a process's operations in the latency histogram. The number is large to avoid rounding
  /// errors.
  private static let processWeight: UInt64 = 1 << 32

  private mutating func add(_ timing: KindTiming) {
    guard let decoded = HistogramText(text: timing.histogram) else { return }
    let index = kinds.firstIndex { $0.kind == timing.kind } ?? kinds.endIndex
    if index == kinds.endIndex { kinds.append((timing.kind, SparseHistogram(), .min)) }
    kinds[index].histogram.merge(decoded.buckets)
    kinds[index].slowest = Swift.max(kinds[index].slowest, timing.max)
  }

  /// Returns a percentile of latencies: the 99th for the share 0.99. The result is at most `slowest`, the exact
  /// maximum.
  private static func percentile(_ share: Double, of histogram: SparseHistogram, slowest: Int64?) -> Double? {
    guard let value = histogram.percentile(share).map({ Double($0) }) else { return nil }
    return slowest.map { Swift.min(value, Double($0)) } ?? value
  }

  func fill(_ row: inout SummaryRow) {
    row.processes = processes
    row.operations = operations
    row.rounds = rounds
    row.cost = cost
    row.streamHash = streamHash ?? ""
    row.findings = findings
    guard processes > 0 else { return }
    if elapsed > 0 { row.operationsPerSecond = Double(operations) / elapsed * 1e9 }
    if operations > 0 {
      row.cpuPerOperation = cpu / Double(operations)
      row.mean = latency.map { $0 / Double(operations) }
    }
    row.max = slowest.map { Double($0) }
    let ordered = courses.sorted { $0.typical < $1.typical }
    row.course = ordered.isEmpty ? nil : LatencySeries(text: ordered[(ordered.count - 1) / 2].series)
    (row.overFrame, row.overHalfFrame) = (overFrame, overHalfFrame)
    let order = KindLatency.known.map(\.kind)
    row.kinds = kinds.compactMap { kind, histogram, slowest in
      guard let p50 = Self.percentile(0.5, of: histogram, slowest: slowest) else { return nil }
      return KindLatency(
        kind: kind, operations: Int(histogram.total), p50: p50,
        p99: histogram.total < 100 ? nil : Self.percentile(0.99, of: histogram, slowest: slowest))
    }.sorted { order.firstIndex(of: $0.kind) ?? order.count < order.firstIndex(of: $1.kind) ?? order.count }
    guard !isMix else { return }
    let typical = rounds.values.map(\.typical).sorted()
    row.p50 = Quantile.median(of: typical)
    row.p50Interval = rounds.interval
    guard histograms == processes, let p50 = row.p50 else { return }
    if !isBatched { row.histogram = histogram }
    // A percentile below the median is left out as a contradiction. The mean of a batch may exceed most of its single
    // times.
    let percentile = { (share: Double, fewest: Int) -> Double? in
      guard timedSingly >= fewest else { return nil }
      return Self.percentile(share, of: histogram, slowest: slowest).flatMap { $0 < p50 ? nil : $0 }
    }
    row.p90 = percentile(0.9, 1)
    row.p99 = percentile(0.99, 100)
    row.p999 = percentile(0.999, 1000)
  }
}
