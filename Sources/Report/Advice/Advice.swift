import StorageContract
import StorageRunFiles
import StorageStatistics

/// A recommendation of engines for an app, based on the measurements of a run.
///
/// Engines are first sorted into three classes, see ``Speed``. Engines that are fast enough are ordered by level
/// (strongest first), then by bytes written (fewest first), then by speed. Slower engines are ordered by speed alone.
/// An engine that was not measured at the app's size is not ranked: the engine is listed with the missing measurement.
public struct Advice: Sendable {
  /// The maximum number of store sizes for which a report gives advice. If a run has more sizes, this many are chosen
  /// from the smallest to the largest.
  static let mostSizes = 12

  /// The app that the recommendation is for.
  public let app: AppDescription
  /// The candidates grouped by safety level, the strongest level first.
  public let levels: [LevelChoice]
  /// The engines that are not ranked, with reasons.
  public let absences: [Absence]
  /// The limits of the recommendation, in whole sentences.
  public let caveats: [String]
  /// The arguments of ``program`` that measure exactly the workloads of this app.
  public let measure: [String]
  /// The program that made the run.
  public let program: String
  /// The reason why the run cannot answer for the app, or nil. The run's records are more than twice as large or less
  /// than half, or no engine was measured around the app's number of records.
  public let obstacle: String?
  /// Whether a further measurement would add to the recommendation.
  public let isIncomplete: Bool

  /// The arguments ``measure`` as a shell command line.
  public var measureLine: String { ShellWords.line([program] + measure) }

  /// The first choice over all safety levels, by speed, then by level. Nil if no measured engine may be recommended.
  public var recommended: Candidate? { leaders(atLeast: .volatile).first }

  /// Returns the first choice among candidates of at least a safety level, and candidates indistinguishable from it.
  func leaders(atLeast level: Level) -> [Candidate] {
    levels.filter { $0.level >= level }.map(\.leaders).filter { !$0.isEmpty }.enumerated()
      .min { ($0.element[0].speed, $0.offset) < ($1.element[0].speed, $1.offset) }?.element ?? []
  }

  /// Chooses among the engines of a run for an app.
  public init(_ app: AppDescription, by model: ReportModel) { self.init(app, by: model, AdviceBasis(model)) }

  init(_ app: AppDescription, by model: ReportModel, _ basis: AdviceBasis) {
    self.app = app
    var candidates: [Candidate] = []
    var absences: [Absence] = []
    for series in basis.saves {
      switch Self.judge(series, app, basis) {
      case .candidate(let candidate): candidates.append(candidate)
      case .absence(let absence): absences.append(absence)
      case nil: break
      }
    }
    levels = candidates.grouped(by: \.level).map { LevelChoice(level: $0.key, candidates: Self.ordered($0.members)) }
      .sorted { $0.level > $1.level }
    self.absences = absences
    measure = Self.command(app, backends: model.plan.backendNames)
    program = model.plan.program
    obstacle = Self.obstacle(app, basis, candidates, absences)
    (caveats, isIncomplete) = Self.caveats(app, model, candidates, absences, basis)
  }

  private enum Judgement {
    case candidate(Candidate)
    case absence(Absence)
  }

  /// Classifies an engine's series of measurements as a candidate, as an absence, or as irrelevant (nil).
  private static func judge(
    _ series: CostSeries, _ app: AppDescription, _ basis: AdviceBasis
  ) -> Judgement? {
    let durability = series.durability ?? .shipped
    let name = durability == .shipped ? series.name : "\(series.name) (\(durability.rawValue))"
    func absent(_ reason: String, isOpen: Bool = false) -> Judgement {
      .absence(Absence(name: name, reason: reason, isOpen: isOpen))
    }
    if app.durability == .shipped, durability != .shipped { return nil }
    if let failure = series.failure { return absent(failure) }
    // A safety level that the engine lacks is no absence, because the engine has other levels.
    guard let level = series.level else {
      return durability == .shipped ? absent(series.rows.first?.note ?? "not run") : nil
    }
    if let required = app.durability?.requiredLevel, level < required {
      return absent("at most \(level.rawValue) (\(series.afterPowerCut.drop(while: { $0 == "!" || $0 == " " })))")
    }
    let size = Quantity.grouped(app.records)
    guard let save = Estimate(series, at: app.records) else {
      if let disturbed = disturbed(series, app.records) { return absent(disturbed, isOpen: true) }
      return absent(
        series.timed.isEmpty
          ? "not timed" : "not measured at \(size) records, only \(sizes(series))", isOpen: true)
    }
    let readSeries = app.readsPerSave > 0 ? basis.reads(of: series) : nil
    let read = readSeries.flatMap { Estimate($0, at: app.records) }
    guard app.readsPerSave == 0 || basis.reads.isEmpty || read != nil else {
      if let disturbed = readSeries.flatMap({ disturbed($0, app.records) }) {
        return absent("its reads were \(disturbed)", isOpen: true)
      }
      return absent(
        readSeries.map { "no reads at \(size) records, only \(sizes($0))" } ?? "no reads with these settings",
        isOpen: true)
    }
    let launch = basis.launches(of: series).flatMap { Estimate($0, at: app.records) }
    let isNative = series.isNative && (readSeries?.isNative ?? true)
    let total = save.time + (read.map { $0.time * app.readsPerSave } ?? 0)
    let rounds = rounds(save, read, app.readsPerSave)
    return .candidate(
      Candidate(
        name: series.name, durability: durability, level: level, isNative: isNative,
        bytes: bytes(series, app.records), save: save, read: read, launch: launch,
        total: total, speed: speed(total, rounds, launch, app),
        stake: String(series.stake.drop { $0 == "!" || $0 == " " }), rounds: rounds,
        canWin: isNative && !save.isTimedOnce && read?.isTimedOnce != true))
  }

  /// Returns the note on disturbed trials (`disturbed: 3 of 6 trials waited for a processor ...`) of a series' row at a
  /// number of records, or of the nearest disturbed row. Nil if no row was disturbed.
  private static func disturbed(_ series: CostSeries, _ records: Int) -> String? {
    let nearest = series.rows.filter(\.isDisturbed).min {
      abs($0.cell.records - records) < abs($1.cell.records - records)
    }
    guard let nearest, let reason = nearest.disturbance else { return nil }
    let suffix = nearest.cell.records == records ? "" : " at \(Quantity.grouped(nearest.cell.records)) records"
    return "disturbed\(suffix): \(reason)"
  }

  /// Returns the bytes that a save writes, deferred ones included. Nil if not counted around this number of records.
  private static func bytes(_ series: CostSeries, _ records: Int) -> Double? {
    if let counted = series.row(at: records)?.perOperation(\.bytesWrittenSettled) { return counted }
    return series.bytesWritten?.reading(at: Double(records))?.value
  }

  /// Returns the numbers of records that a series was measured at: `at 1,000`, `from 100 to 10,000`.
  private static func sizes(_ series: CostSeries) -> String {
    let sizes = series.timed.map(\.cell.records)
    guard let first = sizes.first, let last = sizes.last, first != last else {
      return "at \(sizes.first.map(Quantity.grouped) ?? "none")"
    }
    return "from \(Quantity.grouped(first)) to \(Quantity.grouped(last))"
  }

  /// Returns the speed class of the slowest step that a person waits for. If the rounds lie on both sides of a limit,
  /// the slower class is returned. With too few rounds for an interval, the time is assumed to be up to twice as long.
  private static func speed(
    _ total: Double, _ rounds: Rounds, _ launch: Estimate?, _ app: AppDescription
  ) -> Speed {
    func high(_ time: Double, _ rounds: Rounds) -> Double {
      max(time, rounds.interval?.high ?? 2 * time)
    }
    let saving = Speed(high(total, rounds), limit: SizeLimit.frame)
    guard let launch else { return saving }
    let time = high(launch.time, launch.timings)
    // A launch limit that the user set is strict, without a borderline class.
    if let budget = app.launchBudget { return time > budget ? .tooSlow : saving }
    return max(saving, Speed(time, limit: Speed.launch))
  }

  /// Returns the time of a save with its reads for each round. Without reads it is the time of the save alone.
  private static func rounds(_ save: Estimate, _ read: Estimate?, _ reads: Double) -> Rounds {
    guard let read else { return save.timings }
    return Rounds(
      save.timings.compactMap { round, timing in
        read.timings[round].map { one in
          (
            round,
            RoundTiming(
              typical: timing.typical + reads * one.typical, resolution: timing.resolution + reads * one.resolution)
          )
        }
      }, unit: save.timings.unit)
  }

  /// Returns the candidates of a safety level in order of recommendation, each compared with the fastest.
  private static func ordered(_ candidates: [Candidate]) -> [Candidate] {
    let byTime = Ranking(candidates).entries.map { entry -> Candidate in
      var candidate = entry.member
      (candidate.slower, candidate.verdict) = (entry.comparison?.ratio, entry.comparison?.verdict)
      return candidate
    }
    return byTime.enumerated().sorted { one, other in
      let (left, right) = (one.element, other.element)
      if left.canWin != right.canWin { return left.canWin }
      if left.speed != right.speed { return left.speed < right.speed }
      let bytes = (left.bytes ?? .infinity, right.bytes ?? .infinity)
      if left.speed == .fastEnough, bytes.0 != bytes.1 { return bytes.0 < bytes.1 }
      return one.offset < other.offset
    }.map(\.element)
  }
}
