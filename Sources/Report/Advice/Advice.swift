import StorageContract
import StorageRunFiles
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
    /// Whether that is more than the level it is ranked at.
    public fileprivate(set) var exceeds = false
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
    /// ``total`` with a mark of how far it is from what was measured: see ``Estimate/inShort``.
    public let totalInShort: String
    /// What is at stake with it: `may lose the last save, 4 syncs a save`.
    public let stake: String
    /// The total from each round in which all of it was measured.
    let rounds: Rounds
    /// The factors by which the total may be smaller and larger than the rounds show.
    let spread: (low: Double, high: Double)
    /// Whether it may be the first: the engine's own doing, timed more than once.
    let canWin: Bool
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
    /// What it promises, where it is out for nothing but that its time at this size is not known; else nil.
    public var unknownAt: Level? = nil
    /// Nanoseconds that a save took with fewer records, in the fastest of its rounds; nil where it was measured with
    /// more only. With more records no save is taken to become cheaper.
    var least: Double? = nil

    /// Whether it could take the place of the first, for all that is known.
    func couldLead(_ ranking: Ranking) -> Bool {
      guard Competition.takesPart(unknownAt, at: ranking.level) else { return false }
      guard let least, let first = ranking.candidates.first, !first.rounds.isEmpty else { return true }
      return first.rounds.values.contains { $0.typical * first.spread.high >= least }
    }
  }

  /// The backends of one promise, fastest first.
  public struct Ranking: Sendable {
    /// What all of them promise at least.
    public let level: Level
    /// Those in the running: native ones in the order of the page, then what is emulated or a lookalike.
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
  /// Why the run says nothing of the app's records: they are more than twice as large, or less than half; else nil.
  public let obstacle: String?

  /// Ranks the backends of a run for an app.
  public init(_ app: AppDescription, by model: ReportModel) {
    self.app = app
    let basis = AdviceBasis(model)
    let saves = basis.saves
    var refusals: [Refusal] = []
    func candidates(_ series: [CostSeries]) -> [Candidate] {
      series.compactMap { series in
        switch Self.candidate(series, app, basis) {
        case .success(let candidate): return candidate
        case .failure(let refusal):
          refusals.append(refusal)
          return nil
        case nil: return nil
        }
      }
    }
    let contests = basis.contests.filter { $0.durability == app.durability }
    var rankings: [Ranking] = []
    if app.durability == .shipped || !contests.isEmpty {
      // Who competes with whom is what the page's tables say.
      rankings = contests.map { Ranking(level: $0.level ?? .volatile, candidates: candidates($0.series)) }
    }
    if let required = app.durability.requiredLevel {
      // Nothing was set to this level: whatever promises it will do, in the settings that take least.
      if contests.isEmpty {
        rankings = [Ranking(level: required, candidates: Self.fastest(candidates(saves)))]
      } else {
        let present = Set(contests.flatMap(\.series).map(\.backend))
        _ = candidates(saves.filter { !present.contains($0.backend) })
      }
    }
    self.rankings = rankings.map { Ranking(level: $0.level, candidates: Self.ranked($0)) }
      .filter { !$0.candidates.isEmpty }
    // Who competes at several levels is named once.
    let all = self.rankings.flatMap(\.candidates).grouped { $0.name }.map { $0.members[0] }
    // Whoever is in with one of its settings is not out for another.
    let names = Set(all.map(\.name))
    var seen: Set<String> = []
    self.refusals = refusals.filter { !names.contains($0.name) && seen.insert($0.name).inserted }
    (caveats, measure) = Self.caveats(app, model, all, basis)
    obstacle = Self.obstacle(app, basis)
  }

  private enum Entry {
    case success(Candidate)
    case failure(Refusal)
  }

  /// What comes of a series: a candidate, a refusal, or nothing where it does less than is needed.
  private static func candidate(_ series: CostSeries, _ app: AppDescription, _ basis: AdviceBasis) -> Entry? {
    func out(_ reason: String) -> Entry { .failure(Refusal(name: series.name, reason: reason)) }
    if let failure = series.failure { return out(failure) }
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
      let reach = Double(first) / GrowthFit.reach...Double(last) * GrowthFit.reach
      let why = reach.contains(Double(app.records)) ? "which does not show what it takes at" : "too far from"
      return .failure(
        Refusal(
          name: series.name, reason: "was measured \(range) records only, \(why) \(Quantity.grouped(app.records))",
          unknownAt: level,
          least: series.timed.last { $0.cell.records < app.records }?.rounds.values.map(\.typical).min()))
    }
    let readSeries = basis.reads.first { $0.backend == series.backend }
    let read = readSeries.flatMap { Estimate($0, at: app.records) }
    let launch = basis.launches.first { $0.backend == series.backend }.flatMap { launch in
      Estimate(launch: launch, loading: basis.loading.first { $0.backend == series.backend }, at: app.records)
    }
    if let budget = app.launchBudget, let launch, launch.time > budget {
      if case .atMost = launch.basis {
      } else {
        return out("needs \(NumberFormat.time(launch.time)) to the first screen, \(launch.basisInWords)")
      }
    }
    guard app.readsPerSave == 0 || read != nil || basis.reads.isEmpty else { return out("reads were not timed") }
    let parts = [(save, 1.0)] + [read].compactMap { read in read.map { ($0, app.readsPerSave) } }
    let total = parts.reduce(0) { $0 + $1.0.time * $1.1 }
    let counted = parts.filter { $0.1 > 0 }.map(\.0)
    let totalInShort =
      (counted.contains(where: \.isAtMost) ? "<" : "") + NumberFormat.time(total)
      + (counted.contains(where: \.isExtrapolated) ? "*" : "")
    func share(_ end: (Estimate) -> Double) -> Double {
      total > 0 ? parts.reduce(0) { $0 + $1.0.time * $1.1 * end($1.0) } / total : 1
    }
    return .success(
      Candidate(
        name: series.name, durability: series.durability ?? .shipped, level: level,
        isNative: series.isNative && (readSeries?.isNative ?? true), save: save, read: read, launch: launch,
        total: total, totalInShort: totalInShort, stake: series.stake,
        rounds: rounds(save, app.readsPerSave > 0 ? read : nil, app.readsPerSave),
        spread: (share { $0.spread.low }, share { $0.spread.high }),
        canWin: series.isNative && (readSeries?.isNative ?? true) && !save.isTimedOnce && read?.isTimedOnce != true))
  }

  /// A save with its reads, round by round; a save alone is compared as the page compares it.
  private static func rounds(_ save: Estimate, _ read: Estimate?, _ reads: Double) -> Rounds {
    guard let read else { return save.timings }
    return save.timings.reduce(into: [:]) { rounds, round in
      guard let one = read.timings[round.key] else { return }
      rounds[round.key] = RoundTiming(
        typical: round.value.typical + reads * one.typical, resolution: round.value.resolution + reads * one.resolution)
    }
  }

  /// Of each backend the settings that take least: all of them do what is needed.
  private static func fastest(_ candidates: [Candidate]) -> [Candidate] {
    var best: [String: Candidate] = [:]
    for candidate in candidates where candidate.total < best[candidate.name]?.total ?? .infinity {
      best[candidate.name] = candidate
    }
    return candidates.filter { best[$0.name]?.durability == $0.durability }
  }

  /// The candidates in the order of the page: the best, then the other native ones. What is emulated or a lookalike
  /// stands below, whatever it takes.
  private static func ranked(_ ranking: Ranking) -> [Candidate] {
    let standings = StorageReport.Ranking(ranking.candidates)
    let order = (standings.best.map { [$0] } ?? []) + standings.entries.indices.filter { $0 != standings.best }
    let sorted = order.map { index -> Candidate in
      let place = standings.entries[index]
      var candidate = place.member
      candidate.exceeds = candidate.level > ranking.level
      candidate.slower = place.comparison?.ratio
      candidate.verdict = place.comparison?.verdict
      return candidate
    }
    return sorted.filter(\.isNative) + sorted.filter { !$0.isNative }
  }

  private static func obstacle(_ app: AppDescription, _ basis: AdviceBasis) -> String? {
    guard let wanted = app.recordBytes, let measured = basis.recordBytes,
      max(wanted, measured) > 2 * min(wanted, measured)
    else { return nil }
    return "its records have \(Quantity.grouped(measured)) bytes, which do not tell what records of "
      + "\(Quantity.grouped(wanted)) bytes cost"
  }

  /// What the answer does not rest on, and the command that measures it.
  private static func caveats(
    _ app: AppDescription, _ model: ReportModel, _ candidates: [Candidate], _ basis: AdviceBasis
  ) -> ([String], String?) {
    var caveats: [String] = []
    let (hasReads, hasLaunches) = (!basis.reads.isEmpty, !basis.launches.isEmpty)
    if let wanted = app.recordBytes, let measured = basis.recordBytes, wanted != measured {
      caveats.append(
        "The run's records have \(Quantity.grouped(measured)) bytes, not \(Quantity.grouped(wanted)); all figures are those of the run's."
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
    var command = [model.plan.program, "run"]
    // A run that named its backends is asked about these.
    if model.plan.command.contains(where: { $0.hasPrefix("-b") || $0.hasPrefix("--backend") }) {
      command += ["-b", model.plan.backendNames.joined(separator: ",")]
    }
    command += ["-w", "save-one,read-one,launch-warm:until=screen", "-n", "\(app.records)"]
    if let bytes = app.recordBytes, bytes != 100 { command += ["--record-bytes", "\(bytes)"] }
    if app.durability != .shipped { command += ["--durability", app.durability.rawValue] }
    return (caveats, ShellWords.line(command))
  }
}

/// What advice is read off: a run's series, by what they say of an app.
struct AdviceBasis: Sendable {
  /// One small save, without floors.
  let saves: [CostSeries]
  /// One read.
  let reads: [CostSeries]
  /// To the first screen, warm, or what comes nearest to it.
  let launches: [CostSeries]
  /// Loading everything.
  let loading: [CostSeries]
  /// Which saves compete.
  let contests: [Contest]
  /// Payload bytes of the saves' records; nil where there are no saves.
  let recordBytes: Int?

  /// Finds them in a run.
  init(_ model: ReportModel) {
    let all = CostSeries.saves(in: model.series)
    saves = all.filter { !$0.isFloor }
    recordBytes = all.first?.pattern.recordBytes
    contests = Contest.all(in: saves)
    reads = model.series.filter { $0.pattern.workload == Spec(id: "read-one") && $0.durability == nil }
    loading = model.series.filter { $0.pattern.workload == Spec(id: "load-all") }
    let kinds = ["launch-warm:until=screen", "launch-warm", "launch-cold:until=screen", "launch-cold"]
    let kind = kinds.first { kind in model.series.contains { "\($0.pattern.workload)" == kind && !$0.timed.isEmpty } }
    launches = model.series.filter { "\($0.pattern.workload)" == kind }
  }
}

extension CostSeries {
  /// What is at stake with it: `may lose the last save, 4 syncs a save`.
  var stake: String { largestCounted.map(PowerCut.stake) ?? afterPowerCut }
}

extension Advice.Candidate: Contestant {
  var typicalTime: Double? { total }
}

/// An app as far as the choice of a store depends on it.
public struct AppDescription: Sendable, Equatable {
  /// How many records it keeps.
  public var records: Int
  /// How many records it reads for each one that it saves.
  public var readsPerSave: Double
  /// Payload bytes of a record; nil for those of the run.
  public var recordBytes: Int?
  /// What must survive; `Durability.shipped` takes every library as it comes.
  public var durability: Durability
  /// Nanoseconds within which the first screen must be there after a start; nil for no limit.
  public var launchBudget: Double?

  /// Describes an app.
  public init(
    records: Int, readsPerSave: Double, recordBytes: Int? = nil, durability: Durability = .shipped,
    launchBudget: Double? = nil
  ) {
    self.records = records
    self.readsPerSave = readsPerSave
    self.recordBytes = recordBytes
    self.durability = durability
    self.launchBudget = launchBudget
  }

  /// `2,000 records of 100 bytes, 20 reads for each save, as shipped, on the screen within 100 ms`.
  public var inWords: String {
    var parts = [
      "\(Quantity.grouped(records)) records" + (recordBytes.map { " of \(Quantity.grouped($0)) bytes" } ?? "")
    ]
    let reads = NumberFormat.perOperation(readsPerSave)
    parts.append("\(reads) \(reads == "1" ? "read" : "reads") for each save")
    switch durability {
    case .shipped: parts.append("every library as it ships")
    case .crash, .intact, .durable: parts.append("at least \(durability.rawValue)")
    }
    if let launchBudget { parts.append("on the screen within \(NumberFormat.time(launchBudget))") }
    return parts.joined(separator: ", ")
  }
}
