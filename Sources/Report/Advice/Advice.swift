import StorageContract
import StorageStatistics

/// Which backend to take for an app, by what a run measured: the backends in their order, each with what its place
/// rests on.
public struct Advice: Sendable {
  /// A backend in the running.
  public struct Candidate: Sendable {
    /// The backend's name with its mark.
    public let name: String
    /// What was asked of it.
    public let durability: Durability
    /// What it promises.
    public let level: Level
    /// Whether that is more than the app needs.
    public let exceeds: Bool
    /// Whether saves and reads are the engine's own doing: only such a backend can be the first.
    public let isNative: Bool
    /// What a save takes.
    public let save: Estimate
    /// What a read takes; nil where the run has none.
    public let read: Estimate?
    /// What it takes from the start to the first screen; nil where the run has no launches.
    public let launch: Estimate?
    /// Nanoseconds of a save with its reads.
    public let total: Double
    /// The same from each round in which all of it was measured.
    public let totals: [Int: Double]
    /// By which factor it is slower than the first; nil for the first, and where the rounds are too few.
    public fileprivate(set) var slower: PairedRatio?
    /// What is said of it against the first; nil for the first, and where the rounds are too few.
    public fileprivate(set) var verdict: RowVerdict?

    /// Whether it was not shown to differ from the first.
    public var isLeader: Bool { verdict.map { !$0.isDifference } ?? false }
  }

  /// A backend that is out, and why.
  public struct Refusal: Sendable, Equatable {
    /// The backend's name.
    public let name: String
    /// A sentence.
    public let reason: String
  }

  /// The backends of one promise, cheapest first.
  public struct Ranking: Sendable {
    /// What all of them promise at least.
    public let level: Level
    /// Those in the running: native ones by their total, then what is emulated or a lookalike.
    public let candidates: [Candidate]

    /// The place of a candidate, from 1; nil for what is not ranked.
    public func place(_ index: Int) -> Int? { candidates[index].isNative ? index + 1 : nil }
  }

  /// The app.
  public let app: AppDescription
  /// A ranking for each level, strongest first; one where a level was asked for.
  public let rankings: [Ranking]
  /// Who is out.
  public let refusals: [Refusal]
  /// What the answer does not rest on; whole sentences.
  public let caveats: [String]
  /// How to measure what is missing, as arguments of `storage-bench`; nil where nothing is.
  public let measure: String?

  /// Ranks the backends of a run for an app.
  public init(_ app: AppDescription, by model: ReportModel) {
    self.app = app
    let reads = model.series.filter { $0.pattern.workload == Spec(id: "read-one") && $0.durability == nil }
    let launches = Self.launches(model)
    var refusals: [Refusal] = []
    var candidates: [Candidate] = []
    // What was asked for first: why it is out is the better reason.
    let saves = CostSeries.saves(in: model.series).filter { !$0.isFloor }
    let asked = saves.filter { $0.durability == app.durability }
    let others = app.durability == .shipped ? [] : saves.filter { $0.durability != app.durability }
    for series in asked + others {
      switch Self.candidate(series, app, reads, launches) {
      case .success(let candidate): candidates.append(candidate)
      case .failure(let refusal): refusals.append(refusal)
      case nil: break
      }
    }
    if app.durability != .shipped { candidates = Self.cheapest(candidates) }
    // Whoever is in with one of its settings is not out for another.
    let names = Set(candidates.map(\.name))
    var seen: Set<String> = []
    self.refusals = refusals.filter { !names.contains($0.name) && seen.insert($0.name).inserted }
    rankings = Self.rankings(candidates, app)
    (caveats, measure) = Self.caveats(app, model, candidates, hasReads: !reads.isEmpty, hasLaunches: !launches.isEmpty)
  }

  private enum Entry {
    case success(Candidate)
    case failure(Refusal)
  }

  /// What comes of a series: a candidate, a refusal, or nothing where it does less than is needed.
  private static func candidate(
    _ series: CostSeries, _ app: AppDescription, _ reads: [CostSeries], _ launches: [CostSeries]
  ) -> Entry? {
    func out(_ reason: String) -> Entry { .failure(Refusal(name: series.name, reason: reason)) }
    if let failed = series.rows.first(where: { $0.status == .failed }) {
      return out("failed at \(Quantity.grouped(failed.cell.records)) records: \(failed.note)")
    }
    guard let level = series.level else {
      return series.durability == app.durability ? out(series.rows.first?.note ?? "not run") : nil
    }
    if let required = app.durability.requiredLevel, level < required {
      return out("promises \(level.rawValue) only (\(series.afterPowerCut.drop(while: { $0 == "!" || $0 == " " })))")
    }
    // How saves grow is the question: a size alone says nothing about larger ones.
    guard let save = Estimate(series, at: app.records), !save.isGrowthUnknown else {
      let sizes = series.timed.map(\.cell.records)
      guard let first = sizes.first, let last = sizes.last else { return out("was not timed") }
      let range =
        first == last ? "at \(Quantity.grouped(first))" : "from \(Quantity.grouped(first)) to \(Quantity.grouped(last))"
      return out("was measured \(range) records only, too far from \(Quantity.grouped(app.records))")
    }
    let readSeries = reads.first { $0.backend == series.backend }
    let read = readSeries.flatMap { Estimate($0, at: app.records) }
    let launch = launches.first { $0.backend == series.backend }.flatMap { Estimate($0, at: app.records) }
    if let budget = app.launchBudget, let launch, launch.time > budget {
      if case .atMost = launch.basis {
      } else {
        return out("needs \(NumberFormat.time(launch.time)) to the first screen, \(launch.basisInWords)")
      }
    }
    guard app.readsPerSave == 0 || read != nil || reads.isEmpty else { return out("reads were not timed") }
    var totals = save.rounds
    if let read {
      totals = save.rounds.reduce(into: [:]) { totals, round in
        if let time = read.rounds[round.key] { totals[round.key] = round.value + app.readsPerSave * time }
      }
    }
    return .success(
      Candidate(
        name: series.name, durability: series.durability ?? .shipped, level: level,
        exceeds: app.durability.requiredLevel.map { level > $0 } ?? false,
        isNative: series.isNative && (readSeries?.isNative ?? true), save: save, read: read, launch: launch,
        total: save.time + app.readsPerSave * (read?.time ?? 0), totals: totals))
  }

  /// To the first screen, warm, or what comes nearest to it.
  private static func launches(_ model: ReportModel) -> [CostSeries] {
    let kinds = ["launch-warm:until=screen", "launch-warm", "launch-cold:until=screen", "launch-cold"]
    let kind = kinds.first { kind in model.series.contains { "\($0.pattern.workload)" == kind && !$0.timed.isEmpty } }
    return model.series.filter { "\($0.pattern.workload)" == kind }
  }

  /// Of each backend the settings that cost least: all of them do what is needed.
  private static func cheapest(_ candidates: [Candidate]) -> [Candidate] {
    var best: [String: Candidate] = [:]
    for candidate in candidates where candidate.total < best[candidate.name]?.total ?? .infinity {
      best[candidate.name] = candidate
    }
    return candidates.filter { best[$0.name]?.durability == $0.durability }
  }

  private static func rankings(_ candidates: [Candidate], _ app: AppDescription) -> [Ranking] {
    let levels = app.durability.requiredLevel.map { [$0] } ?? Level.allCases.reversed()
    return levels.compactMap { level in
      let members = candidates.filter { app.durability.requiredLevel != nil || $0.level == level }
      return members.isEmpty ? nil : Ranking(level: level, candidates: ranked(members))
    }
  }

  private static func ranked(_ candidates: [Candidate]) -> [Candidate] {
    let byTotal = candidates.sorted { $0.total < $1.total }
    // What is emulated or a lookalike stands below, whatever it takes.
    var sorted = byTotal.filter(\.isNative) + byTotal.filter { !$0.isNative }
    guard let first = sorted.first else { return [] }
    for index in sorted.indices.dropFirst() {
      let pairs = first.totals.keys.sorted().compactMap { round -> (base: Double, head: Double)? in
        guard let base = first.totals[round], let head = sorted[index].totals[round] else { return nil }
        return (base, head)
      }
      guard let ratio = PairedRatio(pairs: pairs), ratio.interval != nil else { continue }
      sorted[index].slower = ratio
      sorted[index].verdict = RowVerdict(ratio, rivals: sorted.count)
    }
    return sorted
  }

  /// What the answer does not rest on, and the command that measures it.
  private static func caveats(
    _ app: AppDescription, _ model: ReportModel, _ candidates: [Candidate], hasReads: Bool, hasLaunches: Bool
  ) -> ([String], String?) {
    var caveats: [String] = []
    let saves = CostSeries.saves(in: model.series)
    if let wanted = app.recordBytes, let measured = saves.first?.pattern.recordBytes, wanted != measured {
      caveats.append(
        "The run's records have \(Quantity.grouped(measured)) bytes, not \(Quantity.grouped(wanted)): whole-file backends cost in proportion to bytes, page backends hardly."
      )
    }
    if app.readsPerSave > 0, !hasReads {
      caveats.append("Reads were not measured: the ranks are those of saving alone.")
    }
    if app.launchBudget != nil, !hasLaunches {
      caveats.append("Launches were not measured: the budget was not applied.")
    }
    let far = candidates.filter { $0.save.isExtrapolated || $0.read?.isExtrapolated == true }
    if !far.isEmpty {
      caveats.append(
        "The run's data does not reach \(Quantity.grouped(app.records)) records for \(Phrases.list(far.map(\.name))).")
    }
    if app.launchBudget != nil {
      let open = candidates.filter { candidate in
        guard let launch = candidate.launch else { return hasLaunches }
        if case .atMost = launch.basis { return launch.time > app.launchBudget ?? .infinity }
        return launch.isExtrapolated
      }
      if !open.isEmpty {
        caveats.append("Whether \(Phrases.list(open.map(\.name))) keep the launch budget is not known at this size.")
      }
    }
    if let warning = model.warnings.first { caveats.append(warning) }
    let isMeasured = candidates.allSatisfy { $0.save.basis == .measured && $0.read?.basis == .measured }
    guard !isMeasured || caveats.count > (model.warnings.isEmpty ? 0 : 1) || candidates.isEmpty else {
      return (caveats, nil)
    }
    var command = "run -w save-one,read-one,launch-warm:until=screen -n \(app.records)"
    if let bytes = app.recordBytes, bytes != 100 { command += " --record-bytes \(bytes)" }
    if app.durability != .shipped { command += " --durability \(app.durability.rawValue)" }
    return (caveats, command)
  }
}
