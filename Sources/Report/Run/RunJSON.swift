import Foundation
import StorageContract
import StorageRunFiles
import StorageStatistics

/// The writer of a run's report as JSON (`report.json`). Infinite values are omitted, because JSON cannot represent
/// infinity.
struct RunJSON {
  /// The columns of `summary.csv` that are strings in JSON even if a value looks like a number, such as a version.
  private static let texts: Set<String> = [
    "machine", "run", "backend", "options", "workload", "cache", "durability", "level", "settings", "engine_version",
    "fidelity", "status", "note", "digest", "stream_hash", "dataset", "findings",
  ]

  let report: RunReport
  private var model: ReportModel { report.model }

  /// Writes the text of `report.json`. The members of its JSON object are sorted by key.
  func write(to append: @escaping TextFile.Append) throws {
    let answer = report.document.sections.first { $0.id == AnswerSection.id }
    var object = try JSONPieces(.pretty, to: append)
    try object.list("answer", answer?.lists.flatMap(\.items).map(\.text) ?? [])
    // Each benchmark's object is created when it is written. All together would take ten times the memory of the rows.
    try object.list("cells", model.rows.lazy.map(Self.cell))
    try object.list(
      "choice", answer?.tables.flatMap { [$0.columns.map(\.title)] + $0.rows.map { $0.map(\.words.text) } } ?? [])
    try object.member("command", model.plan.command)
    try object.list("crossovers", crossovers)
    try object.member("machine", model.environment.machine)
    let pairs = pairs
    try object.member("pairs", pairs.isEmpty ? nil : pairs)
    try object.member("profile", model.plan.profile)
    try object.member("run", model.directory.name)
    try object.member("schema", schemaVersion)
    try object.list("series", series)
    try object.list("verdict", verdict)
    try object.list("warnings", model.warnings)
    try object.list("winners", winners)
    try object.end()
    try append("\n")
  }

  private static func interval(_ interval: MedianInterval?) -> JSONObject? {
    interval.map { ["low": $0.low, "high": $0.high].filter(\.value.isFinite).mapValues { JSONValue(value: $0) } }
  }

  private static func law(_ fit: GrowthFit?) -> JSONObject? {
    guard let fit, let slope = fit.slope else { return nil }
    return JSONObject([
      "constant": fit.law.constant, "coefficient": fit.law.coefficient, "exponent": fit.law.exponent,
      "exponent_interval": interval(fit.exponentInterval), "slope": slope,
      "slope_interval": interval(fit.slopeInterval), "residual": fit.residual,
    ])
  }

  private var verdict: [String] {
    guard let section = report.document.sections.first(where: { $0.id == VerdictSection.id }) else { return [] }
    return section.lead.map(\.text).filter { line in !Term.allCases.contains { line.hasPrefix($0.definition.text) } }
      + section.lists.filter { $0.media.contains(.page) }.flatMap(\.items).map(\.text)
  }

  private var winners: [JSONObject] {
    model.groups.compactMap { group in
      guard let (leaders, next) = group.contest.decision else { return nil }
      return JSONObject([
        "question": group.title, "leaders": leaders.map(\.member.cell.backend.description),
        "about_equal": leaders.count > 1 ? leaders.allSatisfy(\.isAboutEqual) : nil,
        "next": next?.member.cell.backend.description, "slower": next?.slower.ratio,
        "slower_interval": Self.interval(next?.slower.interval),
        "ranking": group.ranking.map { row in
          JSONObject([
            "backend": row.cell.backend.description, "level": row.level?.rawValue,
            "exceeds": group.exceeds(row) ? true : nil, "factor": group.factor(of: row), "mark": group.mark(of: row),
            "after_power_cut": row.level == nil ? nil : row.afterPowerCut,
            "syncs": row.level == nil ? nil : row.perOperation(\.syncs),
          ])
        },
      ])
    }
  }

  private var series: [JSONObject] {
    model.series.filter { $0.rows.count > 1 }.map { series in
      // Only saves have a frame limit.
      let isTimedSave = series.durability != nil && series.time != nil
      let limit = isTimedSave ? SizeLimit(SizeLimit.frame, of: series) : nil
      var size: Double?
      if case .at(let records)? = limit?.at { size = records }
      return JSONObject([
        "backend": series.backend.description, "workload": "\(series.pattern.workload)",
        "durability": series.durability?.rawValue, "level": series.level?.rawValue,
        "sizes": series.rows.map(\.cell.records), "time": Self.law(series.time),
        "bytes_written": Self.law(series.bytesWritten), "frame_limit": size,
        "frame_limit_interval": Self.interval(limit?.interval), "frame_limit_words": limit?.inFull,
      ])
    }
  }

  private var crossovers: [JSONObject] {
    Contest.all(in: model.series).flatMap { contest in
      Crossover.Measure.allCases.flatMap { contest.told($0) }.map { crossover, pages in
        var position: (records: Double, interval: MedianInterval?)?
        if case .at(let records, let interval) = crossover.position { position = (records, interval) }
        return JSONObject([
          "whole_file": crossover.wholeFile.backend.description, "page": crossover.page.backend.description,
          "alike": pages.count > 1 ? pages.dropFirst().map(\.backend.description) : nil,
          "workload": "\(contest.workload)", "durability": contest.durability?.rawValue,
          "level": contest.level?.rawValue, "measure": crossover.measure.rawValue, "records": position?.records,
          "interval": Self.interval(position?.interval),
          "file_bytes": position.flatMap { crossover.fileSize(at: $0.records) },
          "words": CrossoverSentences.inFull(crossover, contest, pages),
        ])
      }
    }
  }

  private var pairs: [JSONObject] {
    RowPairing.all(in: model.rows).map { pairing in
      JSONObject([
        "title": pairing.pair.title, "slower": pairing.slower.cell.name, "faster": pairing.faster.cell.name,
        "ratio": pairing.comparison?.ratio.ratio, "interval": Self.interval(pairing.comparison?.ratio.interval),
      ])
    }
  }

  private static func cell(_ row: SummaryRow) -> JSONObject {
    var members = Dictionary(
      uniqueKeysWithValues: SummaryColumn.all.map { ($0.name, value($0.text(row), isText: texts.contains($0.name))) })
    members["cell"] = JSONValue(value: row.cell.name)
    members["likeness"] = row.likeness.map { JSONValue(value: "\($0.shape.rawValue): \($0.reason)") }
    return members
  }

  private static func value(_ text: String, isText: Bool) -> JSONValue {
    if text.isEmpty { return JSONValue(value: String?.none) }
    if !isText, let whole = Int(text), String(whole) == text { return JSONValue(value: whole) }
    if !isText, let number = Double(text), number.isFinite { return JSONValue(value: number) }
    return JSONValue(value: text)
  }
}
