import Foundation
import StorageContract
import StorageRunFiles
import StorageStatistics

/// The report of a benchmark run, for people, CI systems and programs.
public struct RunReport: Report {
  /// The run with its plan, its machine and its results.
  public let model: ReportModel
  public let document: Document

  public let name = "report"

  /// The functions that build the report's sections, in page order. `tab` is a collapsed part of the page, or nil.
  static let builders: [(section: @Sendable (ReportModel) -> Section?, tab: Tab?, media: Media)] = [
    (AnswerSection.section, nil, .all),
    (StripSection.section, nil, .page),
    (LevelsSection.section, nil, .page),
    (RewriteSection.section, nil, .page),
    (MemorySection.section, nil, .page),
    (SafetyGridSection.section, nil, .page),
    (CarriesOverSection.section, nil, .page),
    (VerdictSection.section, .details, .all),
    (MatrixSection.section, .details, .page),
    (SignatureSection.section, .details, .all),
    (SaveCostSection.section, .details, .page),
    (LimitsSection.section, .details, .page),
    (GrowthSection.section, .details, .page),
    (BreakSection.section, .details, .page),
    (DiskSection.section, .details, .page),
    (AgeSection.section, .details, .all),
    (LittleMemorySection.section, .details, .page),
    (LatencySection.section, .details, .page),
    (MixSection.section, .details, .all),
    (PaceSection.section, .details, .page),
    (ListsSection.section, .details, .page),
    (TextsSection.section, .details, .page),
    (LaunchSection.section, .details, .page),
    (SharingSection.section, .details, .page),
    (PairsSection.section, .details, .all),
    (SafetySection.section, .details, .page),
    (AdviceSection.section, .details, .page),
    (OriginSection.section, .machine, .all),
    (DriftSection.section, .machine, .page),
    (OverviewSection.section, .details, .terminal),
  ]

  /// A sentence with the number of failed benchmarks and the first failure. Nil if no benchmark failed.
  public var failure: String? {
    let failed = model.rows(.failed)
    guard let first = failed.first else { return nil }
    return "\(Quantity.grouped(failed.count)) of \(Quantity.counted(model.rows.count, "cell")) failed, first "
      + "\(first.cell.name): \(first.note)"
  }

  /// Creates the report of a benchmark run from the model of the run.
  public init(_ model: ReportModel) {
    self.model = model
    var document = Document(
      title: "storage-bench: \(model.title)",
      sections: Self.builders.compactMap { builder in
        var section = builder.section(model)
        section?.lists.removeAll(where: \.items.isEmpty)
        section?.media = builder.media
        section?.tab = builder.tab
        return section
      },
      origin:
        "Every number comes from \(file: "summary.csv") beside this page; point at one, or tap it, for its exact value. Each picture is also a file in charts/. A folded table stays folded on paper: unfold what you want to print.",
      data: try? PageData.text(model)
    ).explained
    if document.sections.contains(where: \.isAnswer) {
      document.heading = "Where should a Swift app keep its data?"
      document.chips = OriginSection.chips(model)
    }
    if let answer = document.sections.first(where: \.isAnswer), let headline = answer.headline {
      document.card = CardChart(
        title: document.title, headline: headline, picture: GrowthCharts.signature(model),
        machine: OriginSection.machine(model).joined(separator: ", "))
    }
    self.document = document
  }

  /// Writes the report as JSON, to `report.json`.
  public func writeJSON(to append: @escaping TextFile.Append) throws { try RunJSON(report: self).write(to: append) }

  /// Writes `summary.csv` (a line for each benchmark) and `trials.csv` (a line for each value that a trial measured).
  /// Returns the two files.
  public func writeTables(to directory: URL) throws -> [URL] {
    let summary = directory.appendingPathComponent("summary.csv")
    let trials = directory.appendingPathComponent("trials.csv")
    try AtomicFile.write(SummaryCSV.text(model.rows), to: summary, replacing: ReportFormat.csv.isOwn)
    // The file is written trial by trial, because the trials of a long run may not fit into memory.
    try AtomicFile.stream(to: trials, replacing: ReportFormat.csv.isOwn) { output in
      try output.append(TrialsCSV.header)
      _ = try model.journal.forEach { try output.append(TrialsCSV.lines(of: $0)) }
    }
    return [summary, trials]
  }

  public var testSuite: TestSuite {
    TestSuite(
      name: model.directory.name,
      cases: model.rows.map { row in
        let reason = row.note.isEmpty ? "no reason given" : row.note
        let outcome: TestSuite.Outcome =
          switch row.status {
          case .ok: .passed(Phrases.line(row))
          case .failed: .failed(reason, type: "failed")
          case .skipped, .notAvailable: .skipped("\(row.status.rawValue): \(reason)")
          }
        return .init(name: row.cell.name, group: "\(row.cell.workload)", outcome: outcome)
      })
  }

  /// The messages for CI systems: errors for failed benchmarks, warnings for doubts, notices for the fastest backends.
  public var annotations: [Annotation] {
    func notice(_ message: String) -> Annotation { Annotation(level: .notice, title: "", message: message) }
    let failures = model.rows(.failed).map {
      Annotation(level: .error, title: "FAILED", message: "\($0.cell.name): \($0.note)")
    }
    let warnings = model.warnings.map { Annotation(level: .warning, title: "", message: $0) }
    let all = failures + warnings + VerdictSentences.winners(model.groups).prefix(9).map { notice($0.text) }
    return all.isEmpty ? [notice(Phrases.count(model.rows))] : all
  }

  public var benchmarks: [BenchmarkSet] {
    var configuration = [(key: "run", value: model.directory.name), ("machine", model.environment.machine)]
    if let cpu = model.environment.system["cpu"] { configuration.append(("cpu", cpu)) }
    let measures = Measure.committed + Measure.all.filter { $0.column == "allocated_bytes" }
    return [
      BenchmarkSet(
        side: nil, configuration: configuration,
        benchmarks: model.rows.filter { $0.status == .ok }.map { row in
          .init(
            name: row.cell.name, operations: row.cost?.countedOperations ?? row.operations,
            times: row.rounds.values.map(\.typical), latency: row.typicalTime,
            interval: row.p50Interval.map { ($0.low, $0.high) }, throughput: row.operationsPerSecond,
            counts: measures.compactMap { measure in
              row.perOperation(measure.path).map { .init(name: measure.name, unit: measure.comparedUnit, value: $0) }
            })
        })
    ]
  }
}

extension ReportModel {
  var title: String {
    runs.isEmpty ? plan.label ?? directory.name : "\(runs.count) runs: \(Phrases.list(runs.map(\.name)))"
  }

  /// Writes the report of the benchmark run; see ``Report/write(formats:to:)`` for the errors.
  ///
  /// - Parameter directory: The directory of the files. Nil for the directory of the run.
  @discardableResult
  public func write(formats: [ReportFormat], to directory: URL? = nil) throws -> [URL] {
    try RunReport(self).write(formats: formats, to: directory ?? self.directory.url)
  }
}

extension RunReport {
  private static let longest = 12
  private static let mostWarnings = 2

  /// The short report of a run: the recommendation, one table, the failed measurements and the machine.
  public var short: Document {
    let choices = ChoiceTable(model)
    var choice = Section(id: "choice", title: "")
    choice.tables = [choices.brief].compactMap { $0 }
    choice.lead = [choices.absence(model)].compactMap { $0 }
    var section = Section(id: "short", title: "")
    var title: [RichText] = []
    if var table = SignatureSection.brief(model) ?? cells {
      if !table.title.isEmpty { title = [RichText(table.title)] }
      table.title = ""
      table.footer.append(RichText.joined(origin, " "))
      section.tables = [table]
    } else {
      section.lead = [RichText(Phrases.count(model.rows))] + origin
    }
    // Definitions of terms are added here, once. The warnings and failures below need none.
    section = Document(title: "", sections: [section]).explained.sections[0]
    let more = model.warnings.count - Self.mostWarnings
    section.lead =
      model.warnings.prefix(Self.mostWarnings).map { "\(strong: "Warning:") \($0)" }
      + (more > 0 ? ["\(Quantity.counted(more, "more warning")) in the report, or with \(code: "-v")."] : [])
      + section.lead + title
    section.lists = [
      .init(items: model.rows(.failed).map { "\(strong: "FAILED") \($0.cell.name): \($0.note)" }, terminalLimit: 3)
    ]
    return Document(title: "", sections: [choice, section])
  }

  private var origin: [RichText] {
    let machine = OriginSection.machine(model)
    let command = model.plan.commandLine
    return [
      machine.isEmpty ? nil : "\(machine.joined(separator: ", ")).",
      Phrases.noise(model).map { "Typical error: \($0)." }, command.isEmpty ? nil : "Made by \(code: command).",
    ].compactMap { $0 }
  }

  private var cells: Table? {
    let section = ["overview", "mix"].compactMap { id in document.sections.first { $0.id == id } }.first
    guard var table = section?.tables.first else { return nil }
    let more = table.rows.count - Self.longest
    table.rows.removeLast(max(0, more))
    table.footer = more > 0 ? ["\(Quantity.grouped(more)) more in the report, or with \(code: "-v")."] : []
    return table
  }
}
