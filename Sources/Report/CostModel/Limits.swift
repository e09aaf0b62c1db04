import Foundation
import StorageContract
import StorageStatistics

/// The crossover of a whole-file engine and a page engine: the number of records N from which the whole-file engine
/// loses, in one workload at one safety level.
public struct Crossover: Sendable {
  /// The quantity by which two engines are compared.
  public enum Measure: String, Sendable, CaseIterable {
    /// The median time of an operation.
    case time
    /// Bytes written per operation, including bytes that are written later, such as by a checkpoint.
    case bytesWritten = "bytes written"
  }

  /// The result of looking for a crossover in a run.
  public enum Place: Sendable, Equatable {
    /// The curves cross at this number of records N, between two sizes at which the rounds agree on opposite winners.
    /// The interval over the rounds may have an end that is 0 or infinite. It is nil for counts, which are exact.
    case at(Double, MedianInterval?)
    /// The whole-file engine loses at the smallest size already; extrapolated, if possible, from a smaller N on.
    case already(extrapolated: Outside?)
    /// The whole-file engine loses at this size. At smaller sizes the rounds show no clear difference.
    case atTheLatest(Int)
    /// The whole-file engine wins at the largest size still; extrapolated, if possible, up to a larger N.
    case notYet(extrapolated: Outside?)
    /// The rounds show no clear difference at any size, or the sizes contradict each other.
    case open
  }

  /// An extrapolated crossover, outside of the sizes that were measured.
  public struct Outside: Sendable, Equatable {
    /// The extrapolated number of records.
    public var records: Double
    /// The interval of the number of records, of which an end may be 0 or infinite.
    public var interval: MedianInterval
  }

  /// The series of the engine that writes its whole file.
  public let wholeFile: CostSeries
  /// The series of the engine that writes pages.
  public let page: CostSeries
  /// The quantity by which the engines are compared.
  public let measure: Measure
  /// The crossover, or the reason why there is none.
  public let place: Place
  /// The smallest number of records that both series have.
  public let smallest: Int
  /// The largest number of records that both series have.
  public let largest: Int

  /// Compares the series of a whole-file engine and of a page engine in one workload.
  ///
  /// - Returns: nil unless both have figures at two common sizes at least.
  public init?(wholeFile: CostSeries, page: CostSeries, measure: Measure) {
    let verdicts = Self.verdicts(wholeFile, page, measure)
    guard verdicts.count >= 2, let first = verdicts.first, let last = verdicts.last else { return nil }
    self.wholeFile = wholeFile
    self.page = page
    self.measure = measure
    smallest = first.records
    largest = last.records
    place = Self.place(verdicts, wholeFile.fit(measure), page.fit(measure))
  }

  /// Returns the size of the whole-file engine's file at a number of records, in bytes. Nil if files were not counted.
  public func fileSize(at records: Double) -> Double? { wholeFile.fileSize?.curve.value(at: records) }

  private typealias SizeVerdict = (records: Int, verdict: RowVerdict?)

  /// Returns the verdict on the whole-file engine at each common size, or nil at a size with too few rounds.
  private static func verdicts(
    _ wholeFile: CostSeries, _ page: CostSeries, _ measure: Measure
  ) -> [SizeVerdict] {
    wholeFile.rows.compactMap { row -> SizeVerdict? in
      let records = row.cell.records
      guard let other = page.row(at: records), row.status == .ok, other.status == .ok else { return nil }
      switch measure {
      case .time:
        guard row.typicalTime != nil, other.typicalTime != nil else { return nil }
        // A time from a single trial can be drawn, but not judged.
        return (records, RowComparison(base: other, head: row)?.verdict)
      case .bytesWritten:
        guard let mine = row.perOperation(\.bytesWrittenSettled), mine > 0,
          let theirs = other.perOperation(\.bytesWrittenSettled), theirs > 0
        else { return nil }
        return (records, mine > theirs ? .slower : mine < theirs ? .faster : .aboutEqual)
      }
    }
  }

  private static func place(_ verdicts: [SizeVerdict], _ wholeFile: GrowthFit?, _ page: GrowthFit?) -> Place {
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

  /// Returns the extrapolated crossover outside of the measured sizes. Nil if there is none. Also nil if the whole-file
  /// engine's cost does not grow, since the noise of two flat curves must not be extrapolated.
  private static func crossing(_ wholeFile: GrowthFit, _ page: GrowthFit, upwards: Bool) -> Outside? {
    guard wholeFile.isGrowing else { return nil }
    return wholeFile.place(upwards: upwards) { x in
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
  func fit(_ measure: Crossover.Measure) -> GrowthFit? {
    switch measure {
    case .time: time
    case .bytesWritten: bytesWritten
    }
  }
}

/// Series that are compared with each other: the same work at the same safety level.
public struct Contest: Sendable {
  /// The durability requested for all series. Nil for reads.
  public let durability: Durability?
  /// The safety level that each series guarantees or exceeds. Nil for reads.
  public let level: Level?
  /// The series in the plan's order, including unranked ones.
  public let series: [CostSeries]

  /// Returns the contests of a run, in the order of their first series; see `Competition`.
  public static func all(in series: [CostSeries]) -> [Contest] {
    let works = series.grouped { series in
      var work = SharedCell(cell: series.pattern, machine: series.machine)
      (work.cell.backend, work.cell.durability) = (Spec(id: ""), nil)
      return work
    }
    return works.flatMap { Competition.split($0.members) }.map {
      Contest(durability: $0.durability, level: $0.level, series: $0.members)
    }
  }

  /// The workload of all series.
  public var workload: Spec { series[0].pattern.workload }

  /// The safety level as text: `intact`. Nil for reads.
  var promise: String? { durability == .shipped ? level?.rawValue : durability?.rawValue }

  /// Returns the name of a series, with `^` if the series is safer than required in this comparison.
  func name(_ series: CostSeries) -> String {
    guard let level, let has = series.level, has > level else { return series.name }
    return series.name + "^"
  }

  /// Returns the crossovers of every ranked whole-file engine with every ranked page engine, given two common sizes.
  public func crossovers(_ measure: Crossover.Measure) -> [Crossover] {
    let ranked = series.filter { !$0.isFloor }
    return ranked.filter(\.isWholeFile).flatMap { wholeFile in
      ranked.filter { !$0.isWholeFile }.compactMap {
        Crossover(wholeFile: wholeFile, page: $0, measure: measure)
      }
    }
  }

  /// Returns the crossovers that reports show, each with the page engines that share it.
  ///
  /// Page engines that do not differ at the largest size share one crossover, because several would differ by noise
  /// only. The shared crossover is that of SQLite, or else of the first such engine.
  func told(_ measure: Crossover.Measure) -> [(crossover: Crossover, pages: [CostSeries])] {
    let all = crossovers(measure)
    var kinds: [[CostSeries]] = []
    let pages = series.filter { page in all.contains { $0.page.pattern == page.pattern } }
    for page in pages.filter({ $0.backend.id == "sqlite" }) + pages.filter({ $0.backend.id != "sqlite" }) {
      if let kind = kinds.firstIndex(where: { Self.areAlike($0[0], page, measure) }) {
        kinds[kind].append(page)
      } else {
        kinds.append([page])
      }
    }
    return series.filter(\.isWholeFile).flatMap { wholeFile in
      kinds.compactMap { kind in
        all.first { $0.wholeFile.pattern == wholeFile.pattern && $0.page.pattern == kind[0].pattern }.map { ($0, kind) }
      }
    }
  }

  /// Returns whether the rounds show no difference between two page engines at the largest size that both have.
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

/// The largest number of records N at which an operation stays within a time limit.
public struct SizeLimit: Sendable {
  /// The N at which the median time exceeds the limit. Nil if nothing was timed.
  public let at: Crossing?
  /// The interval of the N over the rounds. An end may be 0 (before the smallest size) or infinite (beyond the
  /// largest). Nil if the limit is not crossed between the sizes, or if there are too few rounds.
  public let interval: MedianInterval?
  /// The extrapolated N outside of the measured sizes, with its interval. Nil if there is none.
  public let extrapolated: (x: Double, interval: MedianInterval)?
  /// The smallest number of records that was timed.
  public let smallest: Int
  /// The largest number of records that was timed.
  public let largest: Int
  /// Whether the largest planned number of records was timed.
  public let isComplete: Bool

  /// The duration of one frame at 60 per second, in nanoseconds. Half of it is one frame at 120 per second.
  public static let frame = 16_700_000.0

  /// Finds the number of records at which a series exceeds a time in nanoseconds.
  public init(_ nanoseconds: Double, of series: CostSeries) {
    let timed = series.timed
    smallest = timed.first?.cell.records ?? 0
    largest = timed.last?.cell.records ?? 0
    isComplete = largest == series.rows.last?.cell.records
    let fit = series.time
    at = fit?.curve.crossing(of: nanoseconds)
    if case .at? = at {
      interval = fit?.interval { $0.crossing(of: nanoseconds).place }
      extrapolated = nil
    } else {
      interval = nil
      extrapolated = fit?.extrapolated(to: nanoseconds)
    }
  }

  private var isOneSize: Bool { smallest == largest }

  /// The limit in short: `to 10,000+` if all measured sizes stay within it, `to ~650`, `over at 100`, `at 100` if no
  /// other size was timed, or `not timed`.
  public var inWords: String {
    switch at {
    case nil: "not timed"
    case .never: isOneSize && isComplete ? "at \(Quantity.grouped(largest))" : "to \(Quantity.grouped(largest))+"
    case .before: "over at \(Quantity.grouped(smallest))"
    case .at(let records): "to \(NumberFormat.about(records))"
    }
  }

  /// The limit in full, with the interval and the extrapolation to larger sizes: `to ~650 (600-700)`,
  /// `at every size measured (100 to 10,000); extrapolated: to ~21,000 (18,000-25,000)`.
  public var inFull: String {
    let beyond = extrapolated.map {
      "; extrapolated: to \(NumberFormat.about($0.x)) (\(NumberFormat.places($0.interval)))"
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
