import Foundation
import StorageContract
import StorageStatistics

/// A crossover: the number of records from which rewriting a whole file costs more than writing single database pages.
public struct Crossover: Sendable {
  /// The cost by which two stores are compared: time or bytes written.
  public enum Measure: String, Sendable, CaseIterable {
    /// The median time of an operation.
    case time
    /// The bytes written per operation, including a later checkpoint.
    case bytesWritten = "bytes written"
  }

  /// The number of records from which rewriting a whole file costs more time or bytes than a database, as far as known.
  public enum Position: Sendable, Equatable {
    /// The number of records from which the file costs more than the database, with its confidence interval. The
    /// interval may end at 0 or infinity, and is nil for exact bytes or too few rounds.
    case at(Double, MedianInterval?)
    /// The number of records from which the file costs more than the database is below all measured numbers.
    /// `extrapolated` is an estimate, or nil if impossible.
    case already(extrapolated: Outside?)
    /// The number of records from which the file costs more than the database is unknown, but at most this number.
    case atTheLatest(Int)
    /// The number of records from which the file costs more than the database is above all measured numbers.
    /// `extrapolated` is an estimate, or nil if impossible.
    case notYet(extrapolated: Outside?)
    /// The number of records from which the file costs more than the database is unknown, because the measurements are
    /// inconclusive.
    case open
  }

  /// An estimate of the number of records from which rewriting a file costs more than a database. No store of this size
  /// was measured.
  public struct Outside: Sendable, Equatable {
    /// The estimated number of records from which rewriting a whole file costs more than a database.
    public var records: Double
    /// The confidence interval of ``records``. An end may be 0 or infinite.
    public var interval: MedianInterval
  }

  /// The measured costs of a store that rewrites its whole file in every save, by number of records.
  public let wholeFile: CostSeries
  /// The measured costs of a store that writes only single pages, such as a database, by number of records.
  public let page: CostSeries
  /// The cost by which the two stores are compared: time or bytes written.
  public let measure: Measure
  /// The number of records from which the file costs more time or bytes than the database, if known.
  public let position: Position
  /// The smallest number of records at which both compared stores were measured.
  public var smallest: Int { verdicts[0].records }
  /// The largest number of records at which both compared stores were measured.
  public var largest: Int { verdicts[verdicts.count - 1].records }
  /// The verdicts on the file, at least two, by ascending number of records.
  let verdicts: [SizeVerdict]

  /// Compares a store that rewrites its whole file with a database (`page`). Nil if they have fewer than two measured
  /// sizes in common.
  public init?(wholeFile: CostSeries, page: CostSeries, measure: Measure) {
    verdicts = Self.verdicts(wholeFile, page, measure)
    guard verdicts.count >= 2 else { return nil }
    self.wholeFile = wholeFile
    self.page = page
    self.measure = measure
    position = Self.position(verdicts, wholeFile.fit(measure), page.fit(measure))
  }

  /// Returns the size of the compared file (not of the database) at a number of records, in bytes. Nil if not measured.
  public func fileSize(at records: Double) -> Double? { wholeFile.fileSize?.curve.value(at: records) }

  typealias SizeVerdict = (records: Int, verdict: RowVerdict?, comparison: RowComparison?)

  private static func verdicts(_ wholeFile: CostSeries, _ page: CostSeries, _ measure: Measure) -> [SizeVerdict] {
    wholeFile.rows.compactMap { row -> SizeVerdict? in
      let records = row.cell.records
      guard let other = page.row(at: records), row.status == .ok, other.status == .ok else { return nil }
      switch measure {
      case .time:
        guard row.typicalTime != nil, other.typicalTime != nil else { return nil }
        let comparison = RowComparison(base: other, head: row)
        return (records, comparison?.verdict, comparison)
      case .bytesWritten:
        guard let mine = row.perOperation(\.bytesWrittenSettled), mine > 0,
          let theirs = other.perOperation(\.bytesWrittenSettled), theirs > 0
        else { return nil }
        return (records, mine > theirs ? .slower : mine < theirs ? .faster : .aboutEqual, nil)
      }
    }
  }

  private static func position(_ verdicts: [SizeVerdict], _ wholeFile: GrowthFit?, _ page: GrowthFit?) -> Position {
    guard let wholeFile, let page else { return .open }
    let loses = verdicts.firstIndex { $0.verdict == .slower }
    let wins = verdicts.lastIndex { $0.verdict == .faster }
    let judged = verdicts.filter { $0.verdict != nil }
    switch (wins, loses) {
    case (let wins?, let loses?):
      guard wins < loses else { return .open }
      let range = Double(verdicts[wins].records)...Double(verdicts[loses].records)
      let rounds = wholeFile.rounds.compactMap { round, curve in
        page.rounds[round].map { curve.overtakes($0, in: range) }
      }
      return .at(wholeFile.curve.overtakes(page.curve, in: range), MedianInterval(of: rounds.sorted()))
    case (nil, let loses?):
      guard verdicts[loses].records == judged.first?.records else {
        return .atTheLatest(verdicts[loses].records)
      }
      return .already(extrapolated: crossing(wholeFile, page, upwards: false))
    case (_?, nil):
      guard judged.last?.verdict == .faster else { return .open }
      return .notYet(extrapolated: crossing(wholeFile, page, upwards: true))
    case (nil, nil):
      return .open
    }
  }

  /// Estimates the number of records from which `wholeFile` costs more than `page`, above (`upwards`) or below all
  /// measured numbers.
  private static func crossing(_ wholeFile: GrowthFit, _ page: GrowthFit, upwards: Bool) -> Outside? {
    guard wholeFile.isGrowing else { return nil }
    return wholeFile.size(upwards: upwards) { x in
      guard let mine = wholeFile.reading(at: x), let theirs = page.reading(at: x) else { return nil }
      let (one, other) = (mine.interval, theirs.interval)
      return (
        log(mine.value / theirs.value),
        MedianInterval(
          low: log((one?.low ?? mine.value) / (other?.high ?? theirs.value)),
          high: log((one?.high ?? mine.value) / (other?.low ?? theirs.value)))
      )
    }.map { Outside(records: $0.x, interval: $0.interval) }
  }
}

extension CostSeries {
  func fit(_ measure: Crossover.Measure) -> GrowthFit? { measure == .time ? time : bytesWritten }
}

/// A group of backends that may be compared: all do one workload and have at least the group's safety level.
public struct Contest: Sendable {
  /// The requested durability of the compared backends' saves. Nil for a workload that only reads.
  public let durability: Durability?
  /// The minimum safety level of the compared backends, such as `intact`. Nil if there is none, as for a workload that
  /// only reads.
  public let level: Level?
  /// The measured costs of the compared backends, one series for each backend.
  public let series: [CostSeries]

  /// Divides the measured costs of backends into groups of comparable backends, one group for each workload and safety
  /// level.
  public static func all(in series: [CostSeries]) -> [Contest] {
    series.grouped { SharedCell(cell: $0.pattern.work, machine: $0.machine) }
      .flatMap { Competition.split($0.members) }.map(Contest.init)
  }

  /// The workload that all compared backends do.
  public var workload: Spec { series[0].pattern.workload }

  /// The durability of the compared saves as text, such as `durable`. Nil for a workload that only reads.
  var promise: String? { durability == .shipped ? level?.rawValue : durability?.rawValue }

  /// Returns the name of a backend, with a mark if the backend is safer than the group requires: `sqlite^`.
  func name(_ series: CostSeries) -> String {
    guard let level, let has = series.level, has > level else { return series.name }
    return series.name + "^"
  }

  /// Compares each backend that rewrites its whole file with each database, by time or by bytes written. Backends
  /// that are never ranked, such as in-memory stores, are not compared.
  public func crossovers(_ measure: Crossover.Measure) -> [Crossover] {
    let ranked = series.filter { !$0.isFloor }
    return ranked.filter(\.isWholeFile).flatMap { wholeFile in
      ranked.filter { !$0.isWholeFile }.compactMap { Crossover(wholeFile: wholeFile, page: $0, measure: measure) }
    }
  }

  typealias Told = (crossover: Crossover, pages: [CostSeries])

  /// Returns the comparisons of whole-file stores with databases for a report. Databases of about equal cost are
  /// grouped in `pages` and share one comparison.
  func told(_ measure: Crossover.Measure) -> [Told] {
    let all = crossovers(measure)
    var kinds: [[CostSeries]] = []
    let pages = series.filter { page in all.contains { $0.page.pattern == page.pattern } }
    for page in pages.filter({ $0.backend.id == "sqlite" }) + pages.filter({ $0.backend.id != "sqlite" }) {
      let kind = kinds.firstIndex { Self.areAlike($0[0], page, measure) } ?? kinds.count
      if kind == kinds.count { kinds.append([]) }
      kinds[kind].append(page)
    }
    return series.filter(\.isWholeFile).flatMap { wholeFile in
      kinds.compactMap { kind in
        all.first { $0.wholeFile.pattern == wholeFile.pattern && $0.page.pattern == kind[0].pattern }.map { ($0, kind) }
      }
    }
  }

  private static func areAlike(_ one: CostSeries, _ other: CostSeries, _ measure: Crossover.Measure) -> Bool {
    switch measure {
    case .time:
      guard let row = one.timed.last(where: { other.row(at: $0.cell.records)?.typicalTime != nil }),
        let rival = other.row(at: row.cell.records)
      else { return false }
      return RowComparison(base: row, head: rival)?.verdict.isDifference == false
    case .bytesWritten:
      guard let row = one.largestCounted, let rival = other.row(at: row.cell.records),
        let mine = row.perOperation(\.bytesWrittenSettled), let theirs = rival.perOperation(\.bytesWrittenSettled)
      else { return false }
      return max(mine, theirs) <= min(mine, theirs) * (1 + RowVerdict.margin)
    }
  }
}

/// The largest number of records with which an operation stays within a time limit, such as one frame of the screen.
public struct SizeLimit: Sendable {
  /// The store size (number of records) at which an operation becomes slower than the time limit. Nil if nothing was
  /// timed.
  public let at: Crossing?
  /// The confidence interval of the store size ``at``, in records. An end may be 0 or infinite. Nil if unknown.
  public let interval: MedianInterval?
  /// An estimate of the number of records `x` at which an operation reaches the time limit. Nil if ``at`` is within the
  /// measured range, or if no estimate is possible.
  public let extrapolated: (x: Double, interval: MedianInterval)?
  /// The smallest number of records at which the operation was timed.
  public var smallest: Int { series.timed.first?.cell.records ?? 0 }
  /// The largest number of records at which the operation was timed.
  public var largest: Int { series.timed.last?.cell.records ?? 0 }
  /// Whether the operation was timed at the largest number of records in the benchmark plan.
  public var isComplete: Bool { largest == series.rows.last?.cell.records }
  private let series: CostSeries

  /// The duration of a screen frame at 60 frames a second: 16.7 ms, in nanoseconds.
  public static let frame = 16_700_000.0

  /// Finds the number of records from which the operation of `series` takes longer than `nanoseconds`.
  public init(_ nanoseconds: Double, of series: CostSeries) {
    self.series = series
    let fit = series.time
    at = fit?.curve.crossing(of: nanoseconds)
    let isWithin = if case .at? = at { true } else { false }
    interval = isWithin ? fit?.interval { $0.crossing(of: nanoseconds).size } : nil
    extrapolated = isWithin ? nil : fit?.extrapolated(to: nanoseconds)
  }

  private var isOneSize: Bool { smallest == largest }

  /// The size of the largest store in which the operation stays within the time limit, as text: `to ~650` for about 650
  /// records.
  public var inWords: String {
    switch at {
    case nil: "not timed"
    case .never: isOneSize && isComplete ? "at \(Quantity.grouped(largest))" : "to \(Quantity.grouped(largest))+"
    case .before: "over at \(Quantity.grouped(smallest))"
    case .at(let records): "to \(NumberFormat.about(records))"
    }
  }

  /// The size of the largest store in which the operation stays within the time limit, with an interval:
  /// `to ~650 (600-700)` records.
  public var inFull: String {
    let beyond = extrapolated.map {
      "; extrapolated: to \(NumberFormat.about($0.x)) (\(NumberFormat.extrapolatedSizes($0.interval)))"
    }
    let unknown = isOneSize ? "; at other sizes not known" : ""
    switch at {
    case nil: return "not timed"
    case .never:
      let sizes = isOneSize ? "" : "\(Quantity.grouped(smallest)) to "
      return "at \(isOneSize ? "the only size" : "every size") measured (\(sizes)\(Quantity.grouped(largest)))"
        + (beyond ?? unknown)
    case .before: return "over one frame at \(Quantity.grouped(smallest))" + (beyond ?? unknown)
    case .at:
      return inWords + (interval.map { " (\(NumberFormat.sizes($0, smallest: smallest, largest: largest)))" } ?? "")
    }
  }
}
