import Foundation
import StorageContract
import StorageStatistics

/// The number of records N from which a store that writes its whole file loses against one that writes pages, in time
/// or bytes. Both do the same workload at the same safety level.
public struct Crossover: Sendable {
  /// The cost by which the two stores are compared.
  public enum Measure: String, Sendable, CaseIterable {
    /// The median time of an operation.
    case time
    /// The bytes written per operation, including those written later, such as by a checkpoint.
    case bytesWritten = "bytes written"
  }

  /// The place of a crossover relative to the measured numbers of records.
  public enum Place: Sendable, Equatable {
    /// The crossover is at this number of records, between two measured sizes. At the smaller one the whole-file store
    /// wins, at the larger one it loses. An end of the interval may be 0 or infinite. The interval is nil for counts,
    /// which are exact.
    case at(Double, MedianInterval?)
    /// The whole-file store already loses at the smallest measured size. A crossover may be extrapolated below it.
    case already(extrapolated: Outside?)
    /// The whole-file store loses at this number of records. At fewer records, the measurements show no clear
    /// difference.
    case atTheLatest(Int)
    /// The whole-file store still wins at the largest measured size. The crossover may be extrapolated above that size.
    case notYet(extrapolated: Outside?)
    /// No crossover is known: the measurements show no clear difference at any size, or they contradict each other.
    case open
  }

  /// An extrapolated crossover, outside of the measured numbers of records.
  public struct Outside: Sendable, Equatable {
    /// The number of records at the extrapolated crossover.
    public var records: Double
    /// The interval of the number of records, of which an end may be 0 or infinite.
    public var interval: MedianInterval
  }

  /// The measured costs of the store that writes its whole file, by number of records.
  public let wholeFile: CostSeries
  /// The measured costs of the store that writes pages, by number of records.
  public let page: CostSeries
  /// The cost by which the two stores are compared: time or bytes.
  public let measure: Measure
  /// The place of the crossover among the measured sizes, or `open` if none is known.
  public let place: Place
  /// The smallest number of records at which both stores were measured.
  public let smallest: Int
  /// The largest number of records at which both stores were measured.
  public let largest: Int

  /// Finds the crossover of a whole-file store and a store that writes pages.
  ///
  /// - Returns: Nil if the two stores were measured at fewer than two common sizes.
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

  /// Returns the size of the whole-file store's file at a number of records, in bytes. Nil if sizes were not measured.
  public func fileSize(at records: Double) -> Double? { wholeFile.fileSize?.curve.value(at: records) }

  private typealias SizeVerdict = (records: Int, verdict: RowVerdict?)

  /// Returns whether the whole-file store is slower or faster at each common size. Nil at a size with too few rounds.
  private static func verdicts(_ wholeFile: CostSeries, _ page: CostSeries, _ measure: Measure) -> [SizeVerdict] {
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

  /// Returns the crossover extrapolated to larger sizes (`upwards`) or smaller ones, or nil if there is none. Also nil
  /// if the whole-file store's cost does not grow, since two flat curves would cross at random.
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

/// The series of measurements that may be compared with each other: the same workload at the same safety level.
public struct Contest: Sendable {
  /// The durability that was requested for all series, such as `durable`. Nil for reads.
  public let durability: Durability?
  /// The safety level that each series has or exceeds. Nil for reads.
  public let level: Level?
  /// The series of measurements, one for each backend, in the order of the plan. Some may have no rank.
  public let series: [CostSeries]

  /// Groups the series of a run by workload and safety level, see `Competition`. The groups are in the order of their
  /// first series.
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

  /// The safety level as text: `intact`. Nil for reads, which have none.
  var promise: String? { durability == .shipped ? level?.rawValue : durability?.rawValue }

  /// Returns the name of a backend, with `^` if it is safer than the contest requires.
  func name(_ series: CostSeries) -> String {
    guard let level, let has = series.level, has > level else { return series.name }
    return series.name + "^"
  }

  /// Returns a crossover for each pair of a ranked whole-file store and a ranked store that writes pages.
  public func crossovers(_ measure: Crossover.Measure) -> [Crossover] {
    let ranked = series.filter { !$0.isFloor }
    return ranked.filter(\.isWholeFile).flatMap { wholeFile in
      ranked.filter { !$0.isWholeFile }.compactMap {
        Crossover(wholeFile: wholeFile, page: $0, measure: measure)
      }
    }
  }

  /// Returns the crossovers that reports print, each with all databases for which it holds.
  ///
  /// Databases that do not differ at the largest size share one crossover, since separate ones would differ by noise
  /// only. The shared crossover is SQLite's if SQLite is among the databases, otherwise the first one's.
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

  /// Returns whether the measurements show no difference between two databases at the largest common number of records.
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

/// The largest number of records N up to which an operation stays within a time limit, such as one frame of the screen.
public struct SizeLimit: Sendable {
  /// The place of N: between two sizes, before the smallest, or `never` if no size passes the limit. Nil without times.
  public let at: Crossing?
  /// The confidence interval of N. An end may be 0 (before the smallest size) or infinite (beyond the largest). Nil if
  /// N is not between measured sizes, or if there are too few rounds.
  public let interval: MedianInterval?
  /// The extrapolated N (`x`) with its interval, if N is beyond the measured sizes. Nil if there is no extrapolation.
  public let extrapolated: (x: Double, interval: MedianInterval)?
  /// The smallest number of records at which the operation was timed.
  public let smallest: Int
  /// The largest number of records at which the operation was timed.
  public let largest: Int
  /// Whether the operation was timed at the largest number of records of the plan.
  public let isComplete: Bool

  /// The time between two frames of a screen at 60 frames a second, in nanoseconds. At 120 it is half as long.
  public static let frame = 16_700_000.0

  /// Finds the number of records at which the operation of a series takes longer than a time limit in nanoseconds.
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

  /// The largest number of records in short: `to ~650`. If all measured sizes are within the limit, `to 10,000+`, or
  /// `at 100` if only this size was to be timed. If none is, `over at 100`. Without times, `not timed`.
  public var inWords: String {
    switch at {
    case nil: "not timed"
    case .never: isOneSize && isComplete ? "at \(Quantity.grouped(largest))" : "to \(Quantity.grouped(largest))+"
    case .before: "over at \(Quantity.grouped(smallest))"
    case .at(let records): "to \(NumberFormat.about(records))"
    }
  }

  /// The largest number of records with interval or extrapolation: `to ~650 (600-700)`, `at every size measured (100 to
  /// 10,000); extrapolated: to ~21,000 (18,000-25,000)`.
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
