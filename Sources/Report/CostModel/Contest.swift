import StorageContract
import StorageStatistics

/// The series that compete: the same work, where the same must survive.
public struct Contest: Sendable {
  /// What was asked; nil for reads.
  public let durability: Durability?
  /// The level that all promise at least; nil for reads.
  public let level: Level?
  /// The series, floors among them, in the plan's order.
  public let series: [CostSeries]

  /// The contests of a run, in the order in which they first come up; see ``Competition``.
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
