import Foundation
import StorageContract
import StorageStatistics

/// From which N on a whole-file engine loses to a page engine, in one workload under one promise.
public struct Crossover: Sendable {
  /// What is compared.
  public enum Measure: String, Sendable, CaseIterable {
    /// The median time of an operation.
    case time
    /// Bytes written per operation, deferred ones included.
    case bytesWritten = "bytes written"
  }

  /// Where the lines cross, as far as the run shows.
  public enum Place: Sendable, Equatable {
    /// Between two sizes at which the rounds agree on opposite winners: at this N, with the interval over the
    /// rounds, of which an end may be 0 or infinite; nil for counts, which are exact.
    case at(Double, MedianInterval?)
    /// It loses at the smallest size already; extrapolated, from this smaller N on, where that can be said.
    case already(extrapolated: Outside?)
    /// It loses at this size; at smaller ones the rounds do not distinguish the two.
    case atTheLatest(Int)
    /// It wins at the largest size; extrapolated, up to this larger N, where that can be said.
    case notYet(extrapolated: Outside?)
    /// The rounds do not distinguish the two at any size, or sizes contradict each other.
    case open
  }

  /// A place outside of the sizes that were measured.
  public struct Outside: Sendable, Equatable {
    /// The number of records.
    public var records: Double
    /// Its interval, of which an end may be 0 or infinite.
    public var interval: MedianInterval
  }

  /// The engine that writes its whole file.
  public let wholeFile: CostSeries
  /// The engine that writes pages.
  public let page: CostSeries
  /// What is compared.
  public let measure: Measure
  /// Where they cross.
  public let place: Place
  /// The smallest N that both have.
  public let smallest: Int
  /// The largest.
  public let largest: Int

  /// Compares two series of one workload.
  ///
  /// - Returns: nil unless both have figures at two sizes at least.
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

  /// The whole-file engine's file at an N, in bytes; nil where files were not counted.
  public func fileSize(at records: Double) -> Double? { wholeFile.fileSize?.curve.value(at: records) }

  private typealias SizeVerdict = (records: Int, verdict: RowVerdict?)

  /// What each common size says of the whole-file engine; nil where the rounds are too few.
  private static func verdicts(
    _ wholeFile: CostSeries, _ page: CostSeries, _ measure: Measure
  ) -> [SizeVerdict] {
    wholeFile.rows.compactMap { row -> SizeVerdict? in
      let records = row.cell.records
      guard let other = page.row(at: records), row.status == .ok, other.status == .ok else { return nil }
      switch measure {
      case .time:
        guard row.typicalTime != nil, other.typicalTime != nil else { return nil }
        // What was timed once can be drawn, but not judged.
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

  /// Where the two would cross outside of what was measured; nil where nothing can be said, or where the whole-file
  /// engine does not grow: the noise of two flat lines must not be followed.
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
  /// The fit of what is compared.
  func fit(_ measure: Crossover.Measure) -> GrowthFit? {
    switch measure {
    case .time: time
    case .bytesWritten: bytesWritten
    }
  }
}

/// The series that compete: the same work, where the same must survive.
public struct Contest: Sendable {
  /// What was asked; nil for reads.
  public let durability: Durability?
  /// The level that all promise at least; nil for reads.
  public let level: Level?
  /// The series, floors among them, in the plan's order.
  public let series: [CostSeries]

  /// The contests of a run, in the order in which they first come up; see `Competition`.
  public static func all(in series: [CostSeries]) -> [Contest] {
    struct Work: Hashable {
      var pattern: Cell
      // Times of two machines are never compared.
      var machine: String?
    }
    let works = series.grouped { series in
      var work = Work(pattern: series.pattern, machine: series.machine)
      work.pattern.backend = Spec(id: "")
      work.pattern.durability = nil
      return work
    }
    return works.flatMap { Competition.split($0.members) }.map {
      Contest(durability: $0.durability, level: $0.level, series: $0.members)
    }
  }

  /// What is done.
  public var workload: Spec { series[0].pattern.workload }

  /// `intact`, or nil for reads.
  var promise: String? { durability == .shipped ? level?.rawValue : durability?.rawValue }

  /// A series' name: with `^` where it promises more than the level it is ranked at.
  func name(_ series: CostSeries) -> String {
    guard let level, let has = series.level, has > level else { return series.name }
    return series.name + "^"
  }

  /// Every whole-file engine against every page engine, floors left out, where both have two sizes.
  public func crossovers(_ measure: Crossover.Measure) -> [Crossover] {
    let ranked = series.filter { !$0.isFloor }
    return ranked.filter(\.isWholeFile).flatMap { wholeFile in
      ranked.filter { !$0.isWholeFile }.compactMap {
        Crossover(wholeFile: wholeFile, page: $0, measure: measure)
      }
    }
  }

  /// The crossovers that reports tell, each with the page engines that it stands for.
  ///
  /// Page engines that do not differ at the largest size have one crossover, not several that differ by noise: that to
  /// the first of them, SQLite before others.
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

  /// Whether two page engines were not shown to differ at the largest size that both have.
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

/// Up to which N an operation stays within a time.
public struct SizeLimit: Sendable {
  /// Where the median passes it; nil if nothing was timed.
  public let at: Crossing?
  /// The interval of that place over the rounds, of which an end may be 0 (before the smallest size) or infinite
  /// (beyond the largest); nil where it is not passed between the sizes, or the rounds are too few.
  public let interval: MedianInterval?
  /// Where it would be passed outside of what was measured, with its interval; nil where nothing can be said.
  public let extrapolated: (x: Double, interval: MedianInterval)?
  /// The smallest N that was timed.
  public let smallest: Int
  /// The largest.
  public let largest: Int
  /// Whether no larger N was planned.
  public let isComplete: Bool

  /// One frame at 60 per second, in nanoseconds; half of it is one at 120.
  public static let frame = 16_700_000.0

  /// Looks where a series passes a time in nanoseconds.
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

  /// `to 10,000+` where all sizes measured stay within it, `to ~650`, `over at 100`, `at 100` where no other size was
  /// timed, or `not timed`.
  public var inWords: String {
    switch at {
    case nil: "not timed"
    case .never: isOneSize && isComplete ? "at \(Quantity.grouped(largest))" : "to \(Quantity.grouped(largest))+"
    case .before: "over at \(Quantity.grouped(smallest))"
    case .at(let records): "to \(NumberFormat.about(records))"
    }
  }

  /// The same in full, with the interval and what can be said of larger sizes: `to ~650 (600-700)`,
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
