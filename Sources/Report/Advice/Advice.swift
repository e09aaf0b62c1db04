import StorageContract
import StorageRunFiles
import StorageStatistics

/// A recommendation of storage engines for an app, based on the measurements of a benchmark run.
public struct Advice: Sendable {
  /// The maximum number of measured store sizes for which a report covers every size. Of more sizes, only some get a
  /// recommendation.
  static let mostSizes = 12

  /// The user's description of the app for which a storage engine is recommended.
  public let app: AppDescription
  /// The engines to choose from, grouped by safety level (what survives a crash), the strongest level first.
  public let levels: [LevelChoice]
  /// The engines that were left out of the recommendation, each with the reason.
  public let absences: [Absence]
  /// Sentences on the limits of the recommendation, such as `Reads were not measured: ...`.
  public let caveats: [String]
  /// The arguments of ``program`` that measure saves, reads and launches for this app: `run -b sqlite ...`.
  public let measure: [String]
  /// The name of the benchmark program in a shell, such as `storage-bench`.
  public let program: String
  /// The reason why the benchmark run cannot show which engine suits the app. Nil if the run can show it.
  public let obstacle: String?
  /// Whether more measurements would improve the recommendation.
  public let isIncomplete: Bool

  /// The shell command that measures saves, reads and launches for this app: `storage-bench run -b sqlite ...`.
  public var measureLine: String { ShellWords.line([program] + measure) }

  /// The recommended engine: the safest one in the best speed class. Nil if no engine is suitable.
  public var recommended: Candidate? { leaders(atLeast: .volatile).first }

  /// Returns the best engine at the safety level `level` or above, and the engines that are about as good. Empty if no
  /// engine is suitable.
  func leaders(atLeast level: Level) -> [Candidate] {
    levels.filter { $0.level >= level }.map(\.leaders).filter { !$0.isEmpty }.enumerated()
      .min { ($0.element[0].speed, $0.offset) < ($1.element[0].speed, $1.offset) }?.element ?? []
  }

  /// Recommends engines for an app, based on the measurements in `model`.
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

  private static func judge(_ series: CostSeries, _ app: AppDescription, _ basis: AdviceBasis) -> Judgement? {
    let durability = series.durability ?? .shipped
    let name = series.name + durability.suffix
    func absent(_ reason: String, isOpen: Bool = false) -> Judgement {
      .absence(Absence(name: name, reason: reason, isOpen: isOpen))
    }
    if app.durability == .shipped, durability != .shipped { return nil }
    if let failure = series.failure { return absent(failure) }
    // An engine without the requested safety level is not listed as left out, because it is judged at its other levels.
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

  private static func disturbed(_ series: CostSeries, _ records: Int) -> String? {
    let nearest = series.rows.filter(\.isDisturbed).min {
      abs($0.cell.records - records) < abs($1.cell.records - records)
    }
    guard let nearest, let reason = nearest.disturbance else { return nil }
    let suffix = nearest.cell.records == records ? "" : " at \(Quantity.grouped(nearest.cell.records)) records"
    return "disturbed\(suffix): \(reason)"
  }

  /// Returns the bytes that a save writes, checkpoint included, at a number of records. Nil if not counted.
  private static func bytes(_ series: CostSeries, _ records: Int) -> Double? {
    if let counted = series.row(at: records)?.perOperation(\.bytesWrittenSettled) { return counted }
    return series.bytesWritten?.reading(at: Double(records))?.value
  }

  private static func sizes(_ series: CostSeries) -> String {
    let sizes = series.timed.map(\.cell.records)
    guard let first = sizes.first, let last = sizes.last, first != last else {
      return "at \(sizes.first.map(Quantity.grouped) ?? "none")"
    }
    return "from \(Quantity.grouped(first)) to \(Quantity.grouped(last))"
  }

  /// Returns the speed class of an engine. If its saves and its launches are in different classes, returns the slower
  /// class.
  ///
  /// - Parameter total: The time of one save and of the app's reads for each save, in nanoseconds.
  private static func speed(_ total: Double, _ rounds: Rounds, _ launch: Estimate?, _ app: AppDescription) -> Speed {
    func high(_ time: Double, _ rounds: Rounds) -> Double { max(time, rounds.interval?.high ?? 2 * time) }
    let saving = Speed(high(total, rounds), limit: SizeLimit.frame)
    guard let launch else { return saving }
    let time = high(launch.time, launch.timings)
    // A launch limit that the user set is strict, without a borderline class.
    if let budget = app.launchBudget { return time > budget ? .tooSlow : saving }
    return max(saving, Speed(time, limit: Speed.launch))
  }

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

  private static func ordered(_ candidates: [Candidate]) -> [Candidate] {
    let byTime = Ranking(candidates).entries.map { entry -> Candidate in
      var candidate = entry.member
      (candidate.slower, candidate.verdict) = (entry.comparison?.ratio, entry.comparison?.verdict)
      return candidate
    }
    return byTime.sorted { left, right in
      if left.canWin != right.canWin { return left.canWin }
      if left.speed != right.speed { return left.speed < right.speed }
      return left.speed == .fastEnough && (left.bytes ?? .infinity) < (right.bytes ?? .infinity)
    }
  }
}
