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
    /// It loses at the smallest size already. By the laws it does from this smaller N on, if they say so.
    case already(extrapolated: Double?)
    /// It loses at this size; at smaller ones the rounds do not distinguish the two.
    case atTheLatest(Int)
    /// It does not lose at the largest size. By the laws it would from this larger N on, if they say so.
    case notYet(extrapolated: Double?)
    /// The rounds do not distinguish the two at any size, or sizes contradict each other.
    case open
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
      let end = Double(verdicts[loses].records)
      return .already(extrapolated: crossing(wholeFile, page, in: end / SizeLimit.reach...end))
    case (_?, nil):
      guard judged.last?.verdict == .faster, let end = judged.last.map({ Double($0.records) }) else { return .open }
      return .notYet(extrapolated: crossing(wholeFile, page, in: end...end * SizeLimit.reach))
    case (nil, nil):
      return .open
    }
  }

  /// Where the laws cross outside of what was measured; nil where they do not, or where neither grows: the noise of
  /// two flat lines must not be followed.
  private static func crossing(_ wholeFile: GrowthFit, _ page: GrowthFit, in range: ClosedRange<Double>) -> Double? {
    guard (wholeFile.slope ?? 0) > GrowthPhrases.flat else { return nil }
    let place = wholeFile.curve.overtakes(page.curve, in: range)
    return place > 0 && place.isFinite ? place : nil
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

/// The series that compete: the same work, under the same promise. Levels are never mixed.
public struct Contest: Sendable {
  /// What was asked; nil for reads.
  public let durability: Durability?
  /// The level that the series are ranked within; nil for reads.
  public let level: Level?
  /// The series, floors among them, in the plan's order.
  public let series: [CostSeries]

  /// The contests of a run, in the order in which they first come up.
  ///
  /// Where a level was asked for, a backend that has it as shipped and was not run again takes part with what it
  /// shipped, as in ``ComparisonGroup``.
  public static func all(in series: [CostSeries]) -> [Contest] {
    struct Key: Hashable {
      var pattern: Cell
      var level: Level?
      // Times of two machines are never compared.
      var machine: String?
    }
    func key(_ series: CostSeries) -> Key {
      var key = Key(
        pattern: series.pattern, level: series.durability?.requiredLevel ?? series.level, machine: series.machine)
      key.pattern.backend = Spec(id: "")
      return key
    }
    let groups = series.grouped(by: key)
    let seriesOf = Dictionary(uniqueKeysWithValues: groups.map { ($0.key, $0.members) })
    return groups.map { key, members in
      var members = members
      if let required = key.pattern.durability?.requiredLevel {
        var shipped = key
        shipped.pattern.durability = .shipped
        shipped.level = required
        let present = Set(members.map(\.backend))
        members += (seriesOf[shipped] ?? []).filter { !present.contains($0.backend) }
      }
      return Contest(durability: key.pattern.durability, level: key.level, series: members)
    }
  }

  /// What is done.
  public var workload: Spec { series[0].pattern.workload }

  /// Every whole-file engine against every page engine, floors left out, where both have two sizes.
  public func crossovers(_ measure: Crossover.Measure) -> [Crossover] {
    let ranked = series.filter { !$0.isFloor }
    return ranked.filter(\.isWholeFile).flatMap { wholeFile in
      ranked.filter { !$0.isWholeFile }.compactMap {
        Crossover(wholeFile: wholeFile, page: $0, measure: measure)
      }
    }
  }
}
