import Foundation
import StorageContract
import StorageStatistics

/// Sentences on crossovers. A crossover is the number of records from which rewriting a whole file costs more than
/// saving in a database.
enum CrossoverSentences {
  /// Returns sentences that compare file stores with databases:
  /// `plist (intact): is slower than sqlite from ~340 records on.`
  static func verdicts(_ model: ReportModel, _ measures: [Crossover.Measure] = Crossover.Measure.allCases) -> [RichText]
  {
    let contests = Contest.all(in: CostSeries.saves(in: model.series))
    return contests.flatMap { contest in
      measures.flatMap { withFirstPage(contest, $0) }.map { sentence($0.crossover, contest, $0.pages) }
    } + alone(contests)
  }

  /// Returns sentences on the speed of saves with default settings:
  /// `plist (intact): is slower than sqlite from ~340 records on.`
  static func answers(_ model: ReportModel) -> [RichText] {
    let contests = Contest.all(in: CostSeries.saves(in: model.series)).filter { $0.durability == .shipped }
    let first = contests.lazy.map { (contest: $0, told: withFirstPage($0, .time)) }.first { !$0.told.isEmpty }
    guard let (contest, told) = first else { return [] }
    return told.filter { $0.crossover.position != .open }.map { sentence($0.crossover, contest, $0.pages) }
  }

  /// Returns the comparisons with the first of the databases.
  private static func withFirstPage(_ contest: Contest, _ measure: Crossover.Measure) -> [Contest.Told] {
    let told = contest.told(measure)
    return told.filter { $0.crossover.page.pattern == told[0].crossover.page.pattern }
  }

  private static func sentence(_ crossover: Crossover, _ contest: Contest, _ pages: [CostSeries]) -> RichText {
    let promise = contest.promise.map { " (\($0))" } ?? ""
    return "\(strong: contest.name(crossover.wholeFile))\(promise): \(inFull(crossover, contest, pages))."
  }

  /// Returns the comparison of a file with databases as text: `is slower than sqlite from ~340 records on`.
  static func inFull(_ crossover: Crossover, _ contest: Contest, _ pages: [CostSeries]) -> String {
    let rivals = Phrases.list(pages.map(contest.name), "or")
    let isTime = crossover.measure == .time
    let more = isTime ? "is slower than \(rivals)" : "writes more bytes than \(rivals)"
    let less = isTime ? "is faster than \(rivals)" : "writes fewer bytes than \(rivals)"
    func inconclusive(below records: Int) -> String {
      Phrases.inconclusive(crossover.verdicts.filter { $0.records < records }.compactMap(\.comparison))
    }
    return switch crossover.position {
    case .at(let records, let interval):
      "\(more) from \(NumberFormat.about(records)) records on\(range(interval, crossover))\(file(crossover, records))"
    case .already(let below):
      "\(more) at \(Quantity.grouped(crossover.smallest)) records already\(file(crossover, Double(crossover.smallest)))\(outside(below, "; extrapolated: from", " records"))"
    case .atTheLatest(let records):
      "\(more) at \(Quantity.grouped(records)) records\(file(crossover, Double(records))); at fewer records \(inconclusive(below: records))"
    case .notYet(let beyond):
      "\(less) at \(Quantity.grouped(crossover.largest)) records still"
        + outside(beyond, "; extrapolated: up to", " records")
    case .open: "whether it \(more) is \(inconclusive(below: .max))"
    }
  }

  private static func range(_ interval: MedianInterval?, _ crossover: Crossover) -> String {
    interval.map { " (\(NumberFormat.sizes($0, smallest: crossover.smallest, largest: crossover.largest)))" } ?? ""
  }

  private static func outside(_ crossing: Crossover.Outside?, _ word: String, _ unit: String = "") -> String {
    crossing.map {
      "\(word) \(NumberFormat.about($0.records))\(unit) (\(NumberFormat.extrapolatedSizes($0.interval)))"
    } ?? ""
  }

  /// Returns the number of records from which a database beats a file, with its interval:
  /// `~340 (300-390), a file of 85 kB`.
  static func inShort(_ crossover: Crossover) -> String {
    switch crossover.position {
    case .at(let records, let interval):
      NumberFormat.about(records) + range(interval, crossover) + file(crossover, records)
    case .already(let below): "under \(Quantity.grouped(crossover.smallest))\(outside(below, ", extrapolated"))"
    case .atTheLatest(let records): "at most \(Quantity.grouped(records))\(file(crossover, Double(records)))"
    case .notYet(let beyond): "over \(Quantity.grouped(crossover.largest))\(outside(beyond, ", extrapolated"))"
    case .open: "inconclusive"
    }
  }

  private static func file(_ crossover: Crossover, _ records: Double) -> String {
    crossover.fileSize(at: records).map { ", a file of \(NumberFormat.bytes($0))" } ?? ""
  }

  /// Returns sentences on file stores with which no database is compared:
  /// `not compared: every database of this run is safer.`
  private static func alone(_ contests: [Contest]) -> [RichText] {
    contests.filter { $0.durability == .shipped }.flatMap { contest -> [RichText] in
      let ranked = contest.series.filter { !$0.isFloor && !$0.timed.isEmpty }
      guard let level = contest.level, ranked.allSatisfy(\.isWholeFile) else { return [] }
      return ranked.map { "\(strong: $0.name) (\(level.rawValue)): not compared: every database of this run is safer." }
    }
  }
}

enum GrowthPhrases {
  static func tenfold(_ fit: GrowthFit?) -> String? {
    guard let fit, let slope = fit.slope else { return nil }
    return isFlat(fit) ? same : "about \(multiple(slope)) times"
  }

  static func slope(_ fit: GrowthFit?) -> String? {
    guard let fit, let slope = fit.slope, let words = tenfold(fit) else { return nil }
    let ends = fit.slopeInterval.map { " (\(number($0.low)) to \(number($0.high)))" } ?? ""
    return "\(words), slope \(number(slope))\(ends)"
  }

  /// Returns a sentence on the growth of costs: `10 times the records cost about 10 times the bytes`. Nil if nothing
  /// was measured.
  static func sentence(bytes: GrowthFit?, time: GrowthFit?) -> String? {
    let known = [(what: "bytes", fit: bytes), ("time", time)].compactMap { what, fit in
      fit.flatMap { fit in tenfold(fit).map { (what: what, fit: fit, tenfold: $0) } }
    }
    guard let last = known.last else {
      guard let size = (time ?? bytes)?.curve.knots.first?.x else { return nil }
      return "how the cost grows is not known: it was measured at \(Quantity.grouped(Int(size))) records only"
    }
    if known.count == 2, known[0].tenfold == last.tenfold, bend(known[0].fit) == nil {
      let what = last.tenfold == same ? "bytes and time" : "the bytes and the time"
      return "\(tenTimes) \(last.tenfold) \(what)\(details(last.fit))"
    }
    let parts = known.map { "\($0.tenfold) \($0.tenfold == same ? "" : "the ")\($0.what)\(details($0.fit))" }
    return "\(tenTimes) \(parts.joined(separator: " and "))"
  }

  /// Returns the formula of a cost for N records: `440 µs + 5.2 µs × N^1.04`. `unit` formats a cost. Nil if only one
  /// store size was measured.
  static func law(_ fit: GrowthFit?, _ unit: (Double) -> String) -> String? {
    guard let fit, fit.slope != nil else { return nil }
    let law = fit.law
    let power =
      law.coefficient >= 0.01
      ? "\(unit(law.coefficient)) × N^\(number(law.exponent))"
      : "\(unit(law.coefficient * pow(1_000, law.exponent))) × (N/1,000)^\(number(law.exponent))"
    return law.constant > 0 ? "\(unit(law.constant)) + \(power)" : power
  }

  /// Returns the typical deviation of measured costs from the fitted curve, as text: `3 %`. A curve through only a few
  /// store sizes has no deviation.
  static func residual(_ fit: GrowthFit) -> String {
    guard let residual = fit.residual else { return "none: \(fit.curve.knots.count) sizes fix it" }
    return NumberFormat.percent(residual)
  }

  static let tenTimes = "10 times the records cost"

  private static let same = "about the same"

  /// The relative change of a cost, from the smallest to the largest store, below which the cost counts as constant.
  static let flat = 0.1

  private static func isFlat(_ fit: GrowthFit) -> Bool {
    guard let slope = fit.slope, let first = fit.curve.knots.first, let last = fit.curve.knots.last else {
      return false
    }
    return abs(slope) * log(last.x / first.x) < log(1 + flat)
  }

  /// Returns the confidence interval of a growth factor as text: ` (8.3 to 13)`. A different growth factor of large
  /// stores is added: ` (8.3 to 13; 15 from 1,000 records on)`.
  private static func details(_ fit: GrowthFit) -> String {
    let interval = fit.slopeInterval.map { slope in
      let isOpen = !isFlat(fit) && slope.low <= 0 && slope.high >= 0
      return "\(multiple(slope.low)) to \(multiple(slope.high))\(isOpen ? ", inconclusive" : "")"
    }
    let parts = [interval, bend(fit)].compactMap { $0 }
    return parts.isEmpty ? "" : " (\(parts.joined(separator: "; ")))"
  }

  /// Returns the cost factor of ten times the records in large stores: `9.9 from 1,000 records on`. Nil if small stores
  /// have about the same factor.
  private static func bend(_ fit: GrowthFit) -> String? {
    guard fit.hasConstant, let slope = fit.slope, let last = fit.curve.knots.last,
      let before = fit.curve.knots.dropLast().last
    else { return nil }
    let step = log(last.y / before.y) / log(last.x / before.x)
    guard abs(step - slope) * log(10) > log(1 + flat) else { return nil }
    return "\(multiple(step)) from \(Quantity.grouped(Int(before.x))) records on"
  }

  /// Returns the factor by which a cost grows with ten times the records: `9.5` for a slope of 0.98.
  private static func multiple(_ slope: Double) -> String {
    let multiple = pow(10, slope)
    return multiple < 1.995 ? NumberFormat.fixed(multiple, 2) : String(NumberFormat.ratio(multiple).dropLast())
  }

  static func number(_ slope: Double) -> String { NumberFormat.fixed(abs(slope) < 0.005 ? 0 : slope, 2) }
}
