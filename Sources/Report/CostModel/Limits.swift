import Foundation
import StorageContract
import StorageStatistics

/// The number of records from which a store that rewrites its whole file costs more than one that writes single pages,
/// in time or bytes. Both do the same workload at the same safety level.
public struct Crossover: Sendable {
  /// The cost by which a crossover compares the store that rewrites its whole file with the store that writes pages.
  public enum Measure: String, Sendable, CaseIterable {
    /// The median time of an operation.
    case time
    /// The bytes written per operation, including bytes that are written later, such as by a checkpoint.
    case bytesWritten = "bytes written"
  }

  /// The position of a crossover among the measured numbers of records.
  public enum Position: Sendable, Equatable {
    /// The store that rewrites its whole file costs more from this number of records on, which is between two measured
    /// sizes. The interval is nil for counts, which are exact. An end of the interval may be 0 or infinite.
    case at(Double, MedianInterval?)
    /// The store that rewrites its whole file already costs more at the smallest measured size. The value is the
    /// crossover extrapolated to fewer records. It is nil if the crossover cannot be extrapolated.
    case already(extrapolated: Outside?)
    /// The store that rewrites its whole file costs more at this number of records. At fewer records, the measurements
    /// show no clear difference.
    case atTheLatest(Int)
    /// The store that rewrites its whole file still costs less at the largest measured size. The value is the crossover
    /// extrapolated to more records. It is nil if the crossover cannot be extrapolated.
    case notYet(extrapolated: Outside?)
    /// No crossover is known: the measurements show no clear difference at any size, or they contradict each other.
    case open
  }

  /// An extrapolated crossover, outside of the measured numbers of records.
  public struct Outside: Sendable, Equatable {
    /// The number of records at the extrapolated crossover.
    public var records: Double
    /// The confidence interval of ``records``. An end may be 0 or infinite.
    public var interval: MedianInterval
  }

  /// The measured costs of the store that rewrites its whole file, by number of records.
  public let wholeFile: CostSeries
  /// The measured costs of the store that writes pages, by number of records.
  public let page: CostSeries
  /// The cost by which ``wholeFile`` and ``page`` are compared: time or bytes.
  public let measure: Measure
  /// The position of the crossover among the measured numbers of records, or `open` if none is known.
  public let position: Position
  /// The smallest number of records at which both ``wholeFile`` and ``page`` were measured.
  public let smallest: Int
  /// The largest number of records at which both ``wholeFile`` and ``page`` were measured.
  public let largest: Int
  /// The comparisons of times, one for each number of records, that were inconclusive.
  let inconclusive: [RowComparison]

  /// Finds the crossover of a store that rewrites its whole file and a store that writes pages. Nil if fewer than two
  /// numbers of records were measured for both.
  public init?(wholeFile: CostSeries, page: CostSeries, measure: Measure) {
    let verdicts = Self.verdicts(wholeFile, page, measure)
    guard verdicts.count >= 2, let first = verdicts.first, let last = verdicts.last else { return nil }
    self.wholeFile = wholeFile
    self.page = page
    self.measure = measure
    smallest = first.records
    largest = last.records
    inconclusive = verdicts.compactMap(\.comparison).filter { $0.verdict == .inconclusive }
    position = Self.position(verdicts, wholeFile.fit(measure), page.fit(measure))
  }

  /// Returns the file size of ``wholeFile`` at a number of records, in bytes. Nil if sizes were not measured.
  public func fileSize(at records: Double) -> Double? { wholeFile.fileSize?.curve.value(at: records) }

  private typealias SizeVerdict = (records: Int, verdict: RowVerdict?, comparison: RowComparison?)

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

  /// Returns the number of records at which two cost curves cross, extrapolated to larger (`upwards`) or smaller sizes.
  /// Nil if the cost of `wholeFile` does not grow, since two flat curves would cross at random.
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
  func fit(_ measure: Crossover.Measure) -> GrowthFit? {
    switch measure {
    case .time: time
    case .bytesWritten: bytesWritten
    }
  }
}

/// A group of measurements that may be compared: several backends that do the same workload at the same safety level.
public struct Contest: Sendable {
  /// The durability that was requested of all backends of the group, such as `durable`. Nil for reads.
  public let durability: Durability?
  /// The safety level, as in "survives a power cut", that each backend reaches or exceeds. Nil for reads.
  public let level: Level?
  /// The measured costs of each backend of the group by number of records. The order is that of the plan of the run.
  public let series: [CostSeries]

  /// Groups measured costs by workload and safety level (what survives a crash or a power cut). The groups are in the
  /// order of their first series.
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

  /// The workload that all backends of the group do.
  public var workload: Spec { series[0].pattern.workload }

  /// The durability requested of the backends, as text such as `durable`. With default settings, the text is the safety
  /// level, such as `intact`. Nil for reads.
  var promise: String? { durability == .shipped ? level?.rawValue : durability?.rawValue }

  /// Returns a backend's name. It is followed by `^` if the backend is safer than the safety level ``level`` of the
  /// group.
  func name(_ series: CostSeries) -> String {
    guard let level, let has = series.level, has > level else { return series.name }
    return series.name + "^"
  }

  /// Returns a crossover for each pair of a store that rewrites its whole file and one that writes pages. Backends that
  /// only show the lowest possible costs, which no real store can reach, are left out.
  public func crossovers(_ measure: Crossover.Measure) -> [Crossover] {
    let ranked = series.filter { !$0.isFloor }
    return ranked.filter(\.isWholeFile).flatMap { wholeFile in
      ranked.filter { !$0.isWholeFile }.compactMap {
        Crossover(wholeFile: wholeFile, page: $0, measure: measure)
      }
    }
  }

  /// Returns the crossovers that reports print, each with the databases to which it applies. Databases with about equal
  /// costs at the largest size share one crossover. It is that of SQLite if SQLite is one of them, otherwise that of
  /// the first database.
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

/// The largest number of records up to which an operation stays within a time limit, such as one frame of the screen.
public struct SizeLimit: Sendable {
  /// The number of records from which the operation exceeds the time limit. It is `at` between two measured sizes,
  /// `before` if even the smallest size exceeds the limit, and `never` if no size does. Nil if nothing was timed.
  public let at: Crossing?
  /// The confidence interval of the number of records in ``at``. An end may be 0 or infinite. Nil if the limit is not
  /// crossed between measured sizes, or if there are too few rounds (repetitions).
  public let interval: MedianInterval?
  /// The extrapolated number of records (`x`) and its interval, if the limit is crossed outside the measured sizes. Nil
  /// if it cannot be extrapolated.
  public let extrapolated: (x: Double, interval: MedianInterval)?
  /// The smallest number of records at which the operation was timed.
  public let smallest: Int
  /// The largest number of records at which the operation was timed.
  public let largest: Int
  /// Whether the operation was timed at the largest number of records in the plan of the run.
  public let isComplete: Bool

  /// The time between two frames of a screen at 60 frames a second, in nanoseconds (16.7 ms).
  public static let frame = 16_700_000.0

  /// Finds the number of records from which an operation takes longer than a time limit in nanoseconds. The series has
  /// the operation's times by number of records.
  public init(_ nanoseconds: Double, of series: CostSeries) {
    let timed = series.timed
    smallest = timed.first?.cell.records ?? 0
    largest = timed.last?.cell.records ?? 0
    isComplete = largest == series.rows.last?.cell.records
    let fit = series.time
    at = fit?.curve.crossing(of: nanoseconds)
    if case .at? = at {
      interval = fit?.interval { $0.crossing(of: nanoseconds).size }
      extrapolated = nil
    } else {
      interval = nil
      extrapolated = fit?.extrapolated(to: nanoseconds)
    }
  }

  private var isOneSize: Bool { smallest == largest }

  /// The largest number of records within the time limit, as short text: `to ~650`. It is `to 10,000+` if every
  /// measured size is within the limit, and `over at 100` if none is. For a single measured size, it is `at 100`.
  public var inWords: String {
    switch at {
    case nil: "not timed"
    case .never: isOneSize && isComplete ? "at \(Quantity.grouped(largest))" : "to \(Quantity.grouped(largest))+"
    case .before: "over at \(Quantity.grouped(smallest))"
    case .at(let records): "to \(NumberFormat.about(records))"
    }
  }

  /// The largest number of records within the time limit, as text with its interval: `to ~650 (600-700)`. If the limit
  /// is not crossed between the measured sizes, the text says so and adds an extrapolation.
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
