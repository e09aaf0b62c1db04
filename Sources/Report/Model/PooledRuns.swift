import StorageContract
import StorageRunFiles
import StorageStatistics

/// One of several runs of the same benchmark plan that are combined in one report.
public struct PooledRun: Sendable, Equatable {
  /// The run's label, or the name of its directory if the run has no label.
  public let name: String
  /// The random seed of the run's records and operations.
  public let seed: UInt64
}

extension ReportModel {
  /// Combines several runs of one benchmark plan. Each run counts like a round: its time is the median of its rounds.
  ///
  /// - Parameters:
  ///   - models: At least two runs. The caller checks that plan and machine are the same.
  ///   - directory: The directory of the combined report.
  public init(pooling models: [ReportModel], directory: RunDirectory) {
    let first = models[0]
    let runs = models.map { PooledRun(name: $0.plan.label ?? $0.directory.name, seed: $0.plan.seed) }
    let rows = first.rows.indices.map { index in
      SummaryRow(pooling: zip(runs, models).map { ($0.name, $1.rows[index]) })
    }
    var environment = first.environment
    environment.warnings = models.flatMap(\.environment.warnings).unique
    environment.wall = nil
    let warnings = zip(runs, models).flatMap { run, model in model.readingWarnings.map { "\(run.name): \($0)" } }
    self.init(
      directory: directory, plan: first.plan, environment: environment, rows: rows,
      trials: models.reduce(0) { $0 + $1.trials },
      journal: TrialReader(joining: models.map(\.journal), rounds: first.plan.rounds),
      warnings: warnings + [Self.disturbed(rows)].compactMap { $0 }, safety: first.safety)
    self.runs = runs
  }
}

extension SummaryRow {
  /// Combines the results of one benchmark in several runs. Disturbed runs are excluded, unless more than a third of
  /// the successful runs are disturbed.
  init(pooling all: [(run: String, row: SummaryRow)]) {
    let failed = all.first { $0.row.status == .failed }
    self = (failed ?? all[0]).row
    run = all.map(\.run).joined(separator: "+")
    if let failed {
      note = "\(failed.run): \(failed.row.note)"
      return
    }
    let ok = all.filter { $0.row.status == .ok }
    guard let counted = ok.first?.row else { return }
    let disturbed = ok.filter(\.row.isDisturbed)
    let isDisturbed = 3 * disturbed.count > ok.count
    let timed = (isDisturbed ? ok : ok.filter { !$0.row.isDisturbed }).map(\.row).filter { $0.processes > 0 }
    (status, cost, streamHash) = (.ok, counted.cost, counted.streamHash)
    func sum(_ value: (SummaryRow) -> Int) -> Int { timed.reduce(0) { $0 + value($1) } }
    func middle(_ value: (SummaryRow) -> Double?) -> Double? {
      let values = timed.compactMap(value)
      return values.count == timed.count ? Quantile.median(of: values.sorted()) : nil
    }
    (processes, operations) = (sum(\.processes), sum(\.operations))
    rounds = Rounds(timed.enumerated().compactMap { index, row in row.ofRun.map { (index + 1, $0) } }, unit: .run)
    (p50, p50Interval) = (middle(\.p50), timed.allSatisfy { $0.p50 != nil } ? rounds.interval : nil)
    (p90, p99, p999, mean) = (middle(\.p90), middle(\.p99), middle(\.p999), middle(\.mean))
    (operationsPerSecond, cpuPerOperation) = (middle(\.operationsPerSecond), middle(\.cpuPerOperation))
    max = timed.compactMap(\.max).max()
    func known(_ count: (SummaryRow) -> Int?) -> Int? {
      let counts = timed.compactMap(count)
      return counts.isEmpty ? nil : counts.reduce(0, +)
    }
    (overFrame, overHalfFrame) = (known(\.overFrame), known(\.overHalfFrame))
    kinds = kinds.map { kind in
      let all = timed.compactMap { row in row.kinds.first { $0.kind == kind.kind } }
      return KindLatency(
        kind: kind.kind, operations: all.reduce(0) { $0 + $1.operations },
        p50: Quantile.median(of: all.map(\.p50).sorted()) ?? kind.p50,
        p99: all.allSatisfy { $0.p99 != nil } ? Quantile.median(of: all.compactMap(\.p99).sorted()) : nil)
    }
    let histograms = timed.compactMap(\.histogram)
    histogram = nil
    if !timed.isEmpty, histograms.count == timed.count {
      histogram = histograms.reduce(into: SparseHistogram()) { $0.merge($1.buckets.map { ($0.value, $0.count) }) }
    }
    findings = []
    for one in ok { Finding.combine(one.row.findings, into: &findings) }
    isTimedOnce = processes == 1
    isBatched = timed.contains(where: \.isBatched)
    fellBehind = timed.contains(where: \.fellBehind)
    isResumed = ok.contains(where: \.row.isResumed)
    steadiness = timed.first { $0.steadiness != .steady }?.steadiness ?? .steady
    let reason = disturbed.first.map { "\($0.run) with \($0.row.disturbance ?? "")" } ?? ""
    disturbance = isDisturbed ? "\(disturbed.count) of \(Quantity.counted(ok.count, "run")), \(reason)" : nil
    let noted = ok.filter { !$0.row.note.isEmpty }
    var notes = noted.map(\.row.note).unique
    // The notes of several runs have different figures, so only one note is kept.
    if notes.count > 1 { notes = ["\(noted[0].run): \(notes[0])"] }
    if ok.count < all.count { notes.insert("\(ok.count) of \(all.count) runs", at: 0) }
    if !isDisturbed, !disturbed.isEmpty {
      notes.insert("without \(disturbed.map(\.run).joined(separator: ", ")): disturbed", at: 0)
    }
    note = notes.joined(separator: "; ")
  }

  /// The times of an operation in this run: the medians of the times in all rounds (repetitions). Nil without rounds.
  private var ofRun: RoundTiming? {
    let all = rounds.values
    guard let first = all.first else { return nil }
    func middle(_ value: (RoundTiming) -> Double) -> Double { Quantile.median(of: all.map(value).sorted()) ?? 0 }
    return RoundTiming(
      typical: middle(\.typical), mean: middle(\.mean), isBatched: first.isBatched,
      resolution: middle(\.resolution), meanLatency: middle(\.meanLatency), samples: all.reduce(0) { $0 + $1.samples })
  }
}
