import StorageContract
import StorageRunFiles
import StorageStatistics

/// A recommendation of storage engines for an app, based on the measurements of a benchmark run.
public struct Advice: Sendable {
  /// The maximum number of measured store sizes for which a report covers every size. Of more sizes, only some get a
  /// recommendation.
  static let mostSizes = 12
  /// The maximum factor by which an app's records may be larger or smaller than the benchmark's records.
  private static let sizeReach = 2

  /// The user's description of the app for which a storage engine is recommended.
  public let app: AppDescription
  /// The engines to choose from, grouped by safety level (what survives a crash), the strongest level first.
  public let levels: [LevelChoice]
  /// The engines that were left out of the recommendation, each with the reason.
  public let absences: [Absence]
  /// Sentences on the limits of the recommendation, such as `Reads were not measured: ...`.
  public let caveats: [String]
  /// The shell command that measures saves, reads and launches for this app: `storage-bench run -b sqlite ...`.
  public let measureLine: String
  /// The reason why the benchmark run cannot show which engine suits the app. Nil if the run can show it.
  public let obstacle: String?
  /// Whether more measurements would improve the recommendation.
  public let isIncomplete: Bool

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
      do {
        if let candidate = try Self.candidate(series, app, basis) { candidates.append(candidate) }
      } catch {
        absences.append(error)
      }
    }
    levels = candidates.grouped(by: \.level).map { LevelChoice(level: $0.key, candidates: Self.ordered($0.members)) }
      .sorted { $0.level > $1.level }
    self.absences = absences
    measureLine = ShellWords.line([model.plan.program] + Self.command(app, backends: model.plan.backendNames))
    obstacle = Self.obstacle(app, basis, candidates, absences)
    (caveats, isIncomplete) = Self.caveats(app, model, candidates, absences, basis)
  }

  private static func candidate(
    _ series: CostSeries, _ app: AppDescription, _ basis: AdviceBasis
  ) throws(Absence) -> Candidate? {
    let durability = series.durability ?? .shipped
    let name = series.name + durability.suffix
    func absent(_ reason: String, isOpen: Bool = false) -> Absence { .init(name: name, reason: reason, isOpen: isOpen) }
    if app.durability == .shipped, durability != .shipped { return nil }
    if let failure = series.failure { throw absent(failure) }
    // An engine without the requested safety level is not listed as left out, because it is judged at its other levels.
    guard let level = series.level else {
      if durability == .shipped { throw absent(series.rows.first?.note ?? "not run") } else { return nil }
    }
    if let required = app.durability?.requiredLevel, level < required {
      throw absent("at most \(level.rawValue) (\(series.afterPowerCut.drop(while: { $0 == "!" || $0 == " " })))")
    }
    let size = Quantity.grouped(app.records)
    guard let save = Estimate(series, at: app.records) else {
      let missing = series.timed.isEmpty ? "not timed" : "not measured at \(size) records, only \(sizes(series))"
      throw absent(disturbed(series, app.records) ?? missing, isOpen: true)
    }
    let readSeries = app.readsPerSave > 0 ? basis.reads(of: series) : nil
    let read = readSeries.flatMap { Estimate($0, at: app.records) }
    guard app.readsPerSave == 0 || basis.reads.isEmpty || read != nil else {
      guard let readSeries else { throw absent("no reads with these settings", isOpen: true) }
      let disturbed = disturbed(readSeries, app.records).map { "its reads were \($0)" }
      throw absent(disturbed ?? "no reads at \(size) records, only \(sizes(readSeries))", isOpen: true)
    }
    let launch = basis.launches(of: series).flatMap { Estimate($0, at: app.records) }
    let isNative = series.isNative && (readSeries?.isNative ?? true)
    let total = save.time + (read.map { $0.time * app.readsPerSave } ?? 0)
    let rounds = rounds(save, read, app.readsPerSave)
    let counted = series.row(at: app.records)?.perOperation(\.bytesWrittenSettled)
    return Candidate(
      name: series.name, durability: durability, level: level, isNative: isNative,
      bytes: counted ?? series.bytesWritten?.reading(at: Double(app.records))?.value, save: save, read: read,
      launch: launch, total: total, speed: speed(total, rounds, launch, app),
      stake: String(series.stake.drop { $0 == "!" || $0 == " " }), rounds: rounds,
      canWin: isNative && !save.isTimedOnce && read?.isTimedOnce != true)
  }

  private static func disturbed(_ series: CostSeries, _ records: Int) -> String? {
    let nearest = series.rows.filter(\.isDisturbed).min {
      abs($0.cell.records - records) < abs($1.cell.records - records)
    }
    guard let nearest, let reason = nearest.disturbance else { return nil }
    let suffix = nearest.cell.records == records ? "" : " at \(Quantity.grouped(nearest.cell.records)) records"
    return "disturbed\(suffix): \(reason)"
  }

  private static func sizes(_ series: CostSeries) -> String {
    let sizes = series.timed.map { Quantity.grouped($0.cell.records) }
    guard let first = sizes.first, let last = sizes.last, first != last else { return "at \(sizes.first ?? "none")" }
    return "from \(first) to \(last)"
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
      save.timings.compactMap { round, timing -> (Int, RoundTiming)? in
        guard let one = read.timings[round] else { return nil }
        let resolution = timing.resolution + reads * one.resolution
        return (round, RoundTiming(typical: timing.typical + reads * one.typical, resolution: resolution))
      }, unit: save.timings.unit)
  }

  private static func ordered(_ candidates: [Candidate]) -> [Candidate] {
    let byTime = Ranking(candidates).entries.map { entry -> Candidate in
      var candidate = entry.member
      candidate.comparison = entry.comparison
      return candidate
    }
    return byTime.sorted { left, right in
      if left.canWin != right.canWin { return left.canWin }
      if left.speed != right.speed { return left.speed < right.speed }
      return left.speed == .fastEnough && (left.bytes ?? .infinity) < (right.bytes ?? .infinity)
    }
  }

  static func obstacle(
    _ app: AppDescription, _ basis: AdviceBasis, _ candidates: [Candidate], _ absences: [Absence]
  ) -> String? {
    if let wanted = app.recordBytes, let measured = basis.recordBytes,
      max(wanted, measured) > sizeReach * min(wanted, measured)
    {
      return "its records have \(Quantity.grouped(measured)) bytes, which do not tell what records of "
        + "\(Quantity.grouped(wanted)) bytes cost"
    }
    let sizes = basis.saves.flatMap(\.rows).filter { $0.typicalTime != nil }.map(\.cell.records)
    guard candidates.isEmpty, absences.contains(where: \.isOpen), let least = sizes.min(), let most = sizes.max(),
      !(least...most).contains(app.records)
    else { return nil }
    let range = least == most ? "at" : "from \(Quantity.grouped(least)) to"
    return "nothing was measured at \(Quantity.grouped(app.records)) records, only \(range) \(Quantity.grouped(most))"
  }

  /// Returns warnings about a recommendation, and whether more measurements would improve the recommendation.
  static func caveats(
    _ app: AppDescription, _ model: ReportModel, _ candidates: [Candidate], _ absences: [Absence], _ basis: AdviceBasis
  ) -> ([String], Bool) {
    var caveats: [String] = []
    if let wanted = app.recordBytes, let measured = basis.recordBytes, wanted != measured {
      caveats.append(
        "The run's records have \(Quantity.grouped(measured)) bytes, not \(Quantity.grouped(wanted)); all figures are those of the run's."
      )
    }
    if app.readsPerSave > 0, basis.reads.isEmpty {
      caveats.append("Reads were not measured: the answer is that of saving alone.")
    }
    let withoutLaunch = candidates.filter { $0.launch == nil }.map(\.fullName)
    if !withoutLaunch.isEmpty {
      let names = withoutLaunch.count == candidates.count ? "" : " with \(Phrases.list(withoutLaunch))"
      caveats.append("Launches\(names) were not measured at \(Quantity.grouped(app.records)) records.")
    }
    let isIncomplete = !caveats.isEmpty || candidates.isEmpty || absences.contains(where: \.isOpen)
    return (caveats + model.warnings.prefix(1), isIncomplete)
  }

  /// Returns the arguments of `storage-bench` that measure saves, reads and launches for an app.
  ///
  /// - Parameter backends: The backends with their options, such as `sqlite:journal=wal`.
  public static func command(_ app: AppDescription, backends: [String]) -> [String] {
    var command = ["run", "-b", backends.joined(separator: ",")]
    command += ["-w", "save-one,read-one,launch-warm:until=screen", "-n", "\(app.records)"]
    if let bytes = app.recordBytes, bytes != 100 { command += ["--record-bytes", "\(bytes)"] }
    let levels: [Durability] = app.durability.map { [$0] } ?? [.shipped, .intact, .durable]
    return command + ["--durability", levels.map(\.rawValue).joined(separator: ",")]
  }
}
