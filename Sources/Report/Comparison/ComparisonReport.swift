import StorageContract
import StorageStatistics

/// The comparison as a report, which can be written in all formats except CSV and PNG.
extension Comparison: Report {
  public var name: String { "comparison" }

  public var document: Document {
    Document(
      title: "storage-bench: \(title)",
      sections: [outcome, changes, RunCurves.section(self), rest, times, judging].compactMap { $0 }
    ).explained
  }

  /// The report reduced to the result and the changes, for a comment on a pull request.
  public var short: Document {
    Document(
      title: "",
      sections: [outcome, changes].compactMap { $0 }.map { section in
        var section = section
        (section.title, section.charts) = ("", [])
        return section
      })
  }

  private var title: String {
    switch subject {
    case .costs: "costs compared with the committed ones"
    case .rules, .noise: subject.rawValue
    case .runs: "two runs"
    case .pairs: "side by side"
    }
  }

  private var outcome: Section {
    let headline =
      subject == .noise
      ? "The smallest change that is detectable on this machine." : ComparisonSentences.headline(self)
    var section = Section(id: "result", title: "Result", lead: ["\(strong: headline)"])
    section.isAnswer = true
    if subject != .rules, subject != .noise {
      section.lead.append("Base: \(code: base.name). Head: \(code: head.name).")
    }
    if let unfit = ComparisonSentences.unfit(self) { section.lead.append("\(strong: unfit)") }
    let remarks = [missing, ComparisonSentences.advice(self), ComparisonSentences.detectable(self)].compactMap { $0 }
    section.lead += (remarks + notes).map { RichText($0) }
    section.charts = [forest].compactMap { $0 }
    return section
  }

  private var changes: Section? {
    let shown = worstFirst { !Self.isQuiet($0) }
    guard !shown.isEmpty else { return nil }
    var section = Section(id: "changes", title: "What is not as before", tables: [table("", shown)])
    let items = shown.map { judgement -> RichText in
      let details = ComparisonSentences.details(judgement)
      let mark = ComparisonSentences.mark(judgement.verdict)
      let name: RichText = Self.isRed(judgement) ? "\(strong: mark)" : "\(mark)"
      return "\(name) \(judgement.name)\(details.isEmpty ? "" : ": \(details)")"
    }
    section.lists = [.init(items: items, media: .terminal)]
    return section
  }

  private var rest: Section? {
    let shown = worstFirst(where: Self.isQuiet)
    guard !shown.isEmpty else { return nil }
    return Section(id: "rest", title: "The rest", media: .page, tables: [table("As before", shown, isFolded: true)])
  }

  private var times: Section? {
    let timed = judgements.filter { $0.time != nil }
    guard !timed.isEmpty else { return nil }
    let table = Table(
      "", of: timed,
      [.words("cell") { RichText([.code($0.name)]) }] + timeColumns + [
        .words("interval") { $0.time.map { ComparisonSentences.interval($0) ?? "-" } },
        .number("pairs") { $0.time.map { $0.pairs > 0 ? String($0.pairs) : "-" } },
        .words(subject == .noise ? "detectable from" : "verdict", verdict),
      ])
    return Section(id: "times", title: "Times", media: .terminal, tables: [table])
  }

  private var timeColumns: [ItemColumn<Judgement>] {
    let isPaired = judgements.contains { ($0.time?.pairs ?? 0) > 0 }
    return [
      .number("base") { $0.time.map { NumberFormat.time($0.base) } },
      .number("head") { $0.time.map { NumberFormat.time($0.head) } },
      .number(isPaired ? "by pairs" : "change") { $0.time.map { NumberFormat.change($0.ratio) } },
    ]
  }

  /// Returns the verdict on a benchmark's time as text: `SLOWER`, or `same (from 5.2 %)` with the smallest detectable
  /// change.
  private func verdict(_ judgement: Judgement) -> String {
    let detectable = ComparisonSentences.detectable(judgement)
    if subject == .noise { return detectable ?? "-" }
    if judgement.time?.pairs == 0 { return "advice" }
    return ComparisonSentences.mark(judgement.verdict) + (detectable.map { " (from \($0))" } ?? "")
  }

  private var judging: Section? {
    guard let words = ComparisonSentences.method(self) else { return nil }
    var section = Section(id: "method", title: "How times were judged", lead: [RichText(words)])
    if let control = method?.control, !control.isEmpty {
      let flagged = control.filter { $0.verdict == .slower || $0.verdict == .faster }
      func names(_ judgements: [Judgement]) -> RichText { .joined(judgements.map { "\(code: $0.name)" }, ", ") }
      let words: RichText =
        flagged.isEmpty
        ? "Compared with themselves at the same time, without a false alarm: \(names(control))."
        : "Compared with themselves at the same time: \(names(control)); \(names(flagged)) raised a false alarm."
      section.lists = [.init(items: [words], media: .page)]
    }
    return section
  }

  private static func isQuiet(_ judgement: Judgement) -> Bool {
    judgement.verdict.result == .fine && judgement.verdict != .notAvailable
  }

  private static func isRed(_ judgement: Judgement) -> Bool {
    judgement.verdict.result == .failure || judgement.verdict.result == .regression
  }

  private func worstFirst(where isShown: (Judgement) -> Bool) -> [Judgement] {
    ChangeVerdict.allCases.flatMap { verdict in judgements(verdict).filter(isShown) }
  }

  private func table(_ title: String, _ shown: [Judgement], isFolded: Bool = false) -> Table {
    let isTimed = shown.contains { $0.time != nil }
    let showsDetectable = shown.contains { ComparisonSentences.detectable($0) != nil }
    var columns: [ItemColumn<Judgement>] = [
      .words("verdict") {
        Table.Field(RichText(ComparisonSentences.mark($0.verdict)), kind: Self.isRed($0) ? .failed : .value)
      },
      .words(subject == .rules ? "rule" : "cell") { RichText([.code($0.name)]) },
    ]
    if isTimed {
      columns += timeColumns
      columns.append(
        .words("interval") { $0.time.map { ComparisonSentences.interval($0) ?? ($0.pairs == 0 ? "advice" : "-") } })
    }
    if showsDetectable { columns.append(.number("smallest change detectable", ComparisonSentences.detectable)) }
    columns.append(.words("details") { ComparisonSentences.countsAndNote($0) })
    return Table(title, of: shown, columns, isFolded: isFolded, media: .page)
  }

  /// A chart of the new times divided by the old times, with a row for each benchmark. Nil for fewer than two rows, or
  /// if a build is compared with itself.
  private var forest: IntervalChart? {
    let rows = judgements.compactMap { judgement -> (margin: Double, row: IntervalChart.Row)? in
      guard let time = judgement.time, time.pairs > 0, let low = time.low, let high = time.high else { return nil }
      let row = IntervalChart.Row(
        name: judgement.name, value: time.ratio, interval: MedianInterval(low: low, high: high),
        text: NumberFormat.change(time.ratio),
        hover: "\(judgement.name): \(ComparisonSentences.time(time)), \(ComparisonSentences.mark(judgement.verdict))")
      return (time.margin, row)
    }.sorted { $0.row.value > $1.row.value }
    guard rows.count > 1, subject != .noise, let margin = rows.map(\.margin).min() else { return nil }
    return IntervalChart(
      id: "changes", title: "Time of the head by that of the base",
      summary: rows.map { "\($0.row.name) \($0.row.text)" }.joined(separator: "; ") + ".",
      note: "Median ratio of the pairs with its 96 % interval; right of 1 is slower. Grey: within the margin.",
      rows: rows.map(\.row), unit: NumberFormat.ratio, reference: 1, band: 1 / (1 + margin)...1 + margin)
  }

  /// The comparison as test cases for a CI system. A regression fails, and a benchmark that was not judged is skipped.
  public var testSuite: TestSuite {
    let remarks = [ComparisonSentences.unfit(self), missing, ComparisonSentences.detectable(self)].compactMap { $0 }
    return TestSuite(name: subject.rawValue, cases: judgements.map(Self.testcase), output: remarks + notes)
  }

  private static func testcase(_ judgement: Judgement) -> TestSuite.Case {
    let details = ComparisonSentences.details(judgement)
    let message = details.isEmpty ? judgement.verdict.rawValue : details
    let outcome: TestSuite.Outcome =
      switch judgement.verdict.result {
      case .failure: .error(message, type: "failed")
      case .regression: .failed(message, type: judgement.verdict.rawValue)
      case .notJudged: .skipped(message)
      case .improvement, .fine:
        judgement.verdict == .notAvailable ? .skipped(message) : .passed(details.isEmpty ? nil : details)
      }
    // CI systems list test cases by group, here by backend.
    let group = judgement.name.split(separator: "/", maxSplits: 1).first.map(String.init) ?? ""
    return .init(name: judgement.name, group: group, outcome: outcome)
  }

  /// The messages for a CI system: errors for regressions and failures, warnings for benchmarks without a judgement,
  /// notices for improvements.
  public var annotations: [Annotation] {
    let levels: [GateResult: Annotation.Level] = [
      .failure: .error, .regression: .error, .notJudged: .warning, .improvement: .notice,
    ]
    let found = worstFirst { levels[$0.verdict.result] != nil }.map { judgement in
      Annotation(
        level: levels[judgement.verdict.result] ?? .notice, title: ComparisonSentences.mark(judgement.verdict),
        message: "\(judgement.name): \(ComparisonSentences.details(judgement))")
    }
    let remarks: [(Annotation.Level, String?)] = [
      (.warning, ComparisonSentences.unfit(self)), (.warning, missing), (.notice, ComparisonSentences.detectable(self)),
    ]
    return found + remarks.compactMap { level, words in words.map { Annotation(level: level, title: "", message: $0) } }
  }

  public var benchmarks: [BenchmarkSet] {
    [("base", base), ("head", head)].map { name, side in
      let isBase = name == "base"
      let machine = side.machine.map { [(key: "machine", value: $0)] } ?? []
      return BenchmarkSet(
        side: name, configuration: [(key: "compared", value: side.name)] + machine,
        benchmarks: judgements.map { judgement in
          let times = judgement.time.map { isBase ? $0.baseProcesses : $0.headProcesses } ?? []
          let interval = MedianInterval(of: times.sorted())
          return .init(
            name: judgement.name, operations: judgement.counts.first?.operations ?? 1, times: times,
            latency: judgement.time.map { isBase ? $0.base : $0.head }, interval: interval.map { ($0.low, $0.high) },
            counts: judgement.counts.map { change in
              let total = Double(isBase ? change.base : change.head)
              return .init(name: change.metric, unit: change.unit, value: total / Double(max(1, change.operations)))
            })
        })
    }
  }
}
