import Foundation
import StorageContract
import StorageRunFiles
import StorageStatistics

/// The contents of `report.json`: the rows with all columns of `summary.csv`, the winners, the fitted curves, the
/// limits and the crossovers. Infinite values are left out, because JSON has none.
struct RunJSON {
  struct Interval: Encodable {
    var low: Double?
    var high: Double?

    init?(_ interval: MedianInterval?) {
      guard let interval else { return nil }
      low = interval.low.isFinite ? interval.low : nil
      high = interval.high.isFinite ? interval.high : nil
    }
  }

  struct Law: Encodable {
    var constant: Double
    var coefficient: Double
    var exponent: Double
    var exponentInterval: Interval?
    var slope: Double
    var slopeInterval: Interval?
    var residual: Double?

    init?(_ fit: GrowthFit?) {
      guard let fit, let slope = fit.slope else { return nil }
      (constant, coefficient, exponent) = (fit.law.constant, fit.law.coefficient, fit.law.exponent)
      exponentInterval = Interval(fit.exponentInterval)
      self.slope = slope
      slopeInterval = Interval(fit.slopeInterval)
      residual = fit.residual
    }
  }

  struct Series: Encodable {
    var backend: String
    var workload: String
    var durability: String?
    var level: String?
    var sizes: [Int]
    var time: Law?
    var bytesWritten: Law?
    var frameLimit: Double?
    var frameLimitInterval: Interval?
    var frameLimitWords: String?
  }

  /// A row of a group, in the group's order.
  struct Standing: Encodable {
    var backend: String
    var level: String?
    /// Whether it is safer than the level at which it is ranked.
    var exceeds: Bool?
    /// The factor by which it is slower than the best.
    var factor: Double?
    /// The mark against the best: `~` about equal, `?` inconclusive.
    var mark: String?
    var afterPowerCut: String?
    var syncs: Double?
  }

  struct Winner: Encodable {
    var question: String
    var leaders: [String]
    /// Whether several leaders were shown to be about equal. Otherwise the fastest is inconclusive.
    var aboutEqual: Bool?
    var next: String?
    var slower: Double?
    var slowerInterval: Interval?
    var ranking: [Standing]
  }

  struct CrossoverEntry: Encodable {
    var wholeFile: String
    var page: String
    /// The other page engines that do not differ from it at the largest size.
    var alike: [String]?
    var workload: String
    var durability: String?
    var level: String?
    var measure: String
    var records: Double?
    var interval: Interval?
    var fileBytes: Double?
    var words: String
  }

  struct Pair: Encodable {
    var title: String
    var slower: String
    var faster: String
    var ratio: Double?
    var interval: Interval?
  }

  /// The columns that remain texts even if they look like numbers.
  private static let texts: Set<String> = [
    "machine", "run", "backend", "options", "workload", "cache", "durability", "level", "settings", "engine_version",
    "fidelity", "status", "note", "digest", "stream_hash", "dataset", "findings",
  ]

  var schema = schemaVersion
  var run: String
  var machine: String
  var profile: String?
  var command: [String]
  var warnings: [String]
  /// The recommendation and the other sentences of the answer.
  var answer: [String]
  /// The table of recommendations: its header, then its lines.
  var choice: [[String]]
  var verdict: [String]
  /// The source of the cells. Each cell is created when it is written; all of them would take ten times the memory of
  /// the rows.
  private var rows: [SummaryRow]
  var winners: [Winner]
  var series: [Series]
  var crossovers: [CrossoverEntry]
  /// The pairs; nil if the run has none.
  var pairs: [Pair]?

  init(_ report: RunReport) {
    let model = report.model
    run = model.directory.name
    machine = model.environment.machine
    profile = model.plan.profile
    command = model.plan.command
    warnings = model.warnings
    let answered = report.document.sections.first { $0.id == AnswerSection.id }
    answer = answered?.lists.flatMap(\.items).map(\.text) ?? []
    choice = answered?.tables.flatMap { [$0.columns.map(\.title)] + $0.rows.map { $0.map(\.words.text) } } ?? []
    let section = report.document.sections.first { $0.id == VerdictSection.id }
    verdict =
      (section?.lead ?? []).map(\.text).filter { line in !Term.allCases.contains { line.hasPrefix($0.definition.text) }
      }
      + (section?.lists.filter { $0.media.contains(.page) }.flatMap(\.items).map(\.text) ?? [])
    rows = model.rows
    winners = model.groups.compactMap { group in
      guard let (leaders, next) = group.contest.decision else { return nil }
      return Winner(
        question: group.title, leaders: leaders.map(\.member.cell.backend.description),
        aboutEqual: leaders.count > 1 ? leaders.allSatisfy(\.isAboutEqual) : nil,
        next: next?.member.cell.backend.description, slower: next?.slower.ratio,
        slowerInterval: Interval(next?.slower.interval),
        ranking: group.ranking.map { row in
          Standing(
            backend: row.cell.backend.description, level: row.level?.rawValue,
            exceeds: group.exceeds(row) ? true : nil, factor: group.factor(of: row), mark: group.mark(of: row),
            afterPowerCut: row.level == nil ? nil : row.afterPowerCut,
            syncs: row.level == nil ? nil : row.perOperation(\.syncs))
        })
    }
    series = model.series.filter { $0.rows.count > 1 }.map { series in
      let limit = SizeLimit(SizeLimit.frame, of: series)
      let isSave = series.durability != nil && series.time != nil
      var place: Double?
      if case .at(let records)? = limit.at { place = records }
      return Series(
        backend: series.backend.description, workload: "\(series.pattern.workload)",
        durability: series.durability?.rawValue, level: series.level?.rawValue, sizes: series.rows.map(\.cell.records),
        time: Law(series.time), bytesWritten: Law(series.bytesWritten), frameLimit: isSave ? place : nil,
        frameLimitInterval: isSave ? Interval(limit.interval) : nil, frameLimitWords: isSave ? limit.inFull : nil)
    }
    crossovers = Contest.all(in: model.series).flatMap { contest in
      Crossover.Measure.allCases.flatMap { contest.told($0) }.map { crossover, pages in
        var place: (records: Double, interval: MedianInterval?)?
        if case .at(let records, let interval) = crossover.place { place = (records, interval) }
        return CrossoverEntry(
          wholeFile: crossover.wholeFile.backend.description, page: crossover.page.backend.description,
          alike: pages.count > 1 ? pages.dropFirst().map(\.backend.description) : nil, workload: "\(contest.workload)",
          durability: contest.durability?.rawValue, level: contest.level?.rawValue,
          measure: crossover.measure.rawValue, records: place?.records, interval: Interval(place?.interval),
          fileBytes: place.flatMap { crossover.fileSize(at: $0.records) },
          words: CrossoverSentences.inFull(crossover, contest, pages))
      }
    }
    let pairs = RowPairing.all(in: model.rows).map { pairing in
      Pair(
        title: pairing.pair.title, slower: pairing.slower.cell.name, faster: pairing.faster.cell.name,
        ratio: pairing.comparison?.ratio.ratio, interval: Interval(pairing.comparison?.ratio.interval))
    }
    self.pairs = pairs.isEmpty ? nil : pairs
  }

  /// Returns a row with all columns.
  private static func cell(_ row: SummaryRow) -> [String: JSONValue] {
    Dictionary(
      uniqueKeysWithValues: SummaryColumn.all.map {
        ($0.name, JSONValue($0.text(row), isText: texts.contains($0.name)))
      }
        + [("cell", .text(row.cell.name))]
        + (row.likeness.map { [("likeness", .text("\($0.shape.rawValue): \($0.reason)"))] } ?? []))
  }

  /// Writes the file's text with sorted keys.
  func write(to append: @escaping TextFile.Append) throws {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    var object = try JSONPieces(encoder, to: append)
    try object.list("answer", answer)
    try object.list("cells", rows.lazy.map(Self.cell))
    try object.list("choice", choice)
    try object.member("command", command)
    try object.list("crossovers", crossovers)
    try object.member("machine", machine)
    try object.member("pairs", pairs)
    try object.member("profile", profile)
    try object.member("run", run)
    try object.member("schema", schema)
    try object.list("series", series)
    try object.list("verdict", verdict)
    try object.list("warnings", warnings)
    try object.list("winners", winners)
    try object.end()
    try append("\n")
  }
}

/// A field of `summary.csv` as JSON: a number, a text, or null if empty.
private enum JSONValue: Encodable {
  case text(String)
  case number(Double)
  case whole(Int)
  case none

  init(_ text: String, isText: Bool) {
    if text.isEmpty {
      self = .none
    } else if isText {
      self = .text(text)
    } else if let whole = Int(text), String(whole) == text {
      self = .whole(whole)
    } else if let number = Double(text), number.isFinite {
      self = .number(number)
    } else {
      self = .text(text)
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .text(let text): try container.encode(text)
    case .number(let number): try container.encode(number)
    case .whole(let whole): try container.encode(whole)
    case .none: try container.encodeNil()
    }
  }
}
