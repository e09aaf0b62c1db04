@testable import TestSupport
import StorageContract
@testable import StorageReport
import StorageRunFiles
import StorageStatistics
import Testing

/// Each kind of sentence has a run where it must appear and one where it must not. On noise nothing is recommended.
@Suite struct AnswerTests {
  /// The pace of a machine that is not quite steady, the same for all rows of a round.
  private static let drift = [1.0, 1.3, 0.9, 1.1, 1.2, 1.0]
  /// Factors that change sides from round to round.
  private static let noise: [[Double]] = [
    [0.7, 1.4, 1.1, 0.8, 1.3, 0.9], [1.3, 0.8, 0.9, 1.4, 0.7, 1.2], [0.9, 1.1, 1.4, 0.7, 1.0, 1.3],
  ]

  private func row(
    _ backend: String, _ time: Double, _ durability: Durability? = .shipped, _ level: Level? = .intact,
    workload: String = "save-one", records: Int = 10_000, settings: String = "",
    rounds: [Double] = AnswerTests.drift, isWholeFile: Bool = false, fidelity: Fidelity = .native
  ) -> SummaryRow {
    let medians = rounds.map { $0 * time }
    var row = SummaryRow(
      Cell(backend, workload, records: records, durability: durability), medians, level: level, fidelity: fidelity)
    row.p50 = Quantile.median(of: medians.sorted())
    row.p50Interval = MedianInterval(of: medians.sorted())
    row.settings = settings
    row.isWholeFile = isWholeFile
    return row
  }

  private func model(_ rows: [SummaryRow], libraries: [String: String] = [:]) -> ReportModel {
    let workloads = [
      PlannedWorkload(name: "save-one", words: WorkloadWords("a save", .save, limit: .frame)),
      PlannedWorkload(name: "read-one", words: WorkloadWords("a read", .read, limit: .frame)),
      PlannedWorkload(name: "launch-warm", words: WorkloadWords("a launch", .launch)),
    ]
    let backends = libraries.map { PlannedBackend(name: $0.key, safety: "", deviations: [], runsOn: $0.value) }
    return ReportModel(rows: rows, plan: Plan(rounds: 6, cells: [], backends: backends, workloads: workloads))
  }

  private func answer(_ rows: [SummaryRow], libraries: [String: String] = [:]) -> Section? {
    model(rows, libraries: libraries).section(AnswerSection.id)
  }

  private func sentences(
    _ rule: (ReportModel) -> [RichText], _ rows: [SummaryRow], libraries: [String: String] = [:]
  ) -> [String] {
    rule(model(rows, libraries: libraries)).map(\.text)
  }

  private func counted(_ row: SummaryRow, bytes: Int) -> SummaryRow {
    row.counting(8) { $0.bytesWrittenSettled = bytes * 8 }
  }

  // MARK: - The recommendation

  private func choice(_ rows: [SummaryRow]) -> [[String]] { answer(rows)?.tables.first?.texts ?? [] }

  @Test func `each level that was measured has a line, with what it costs and what else is fast enough`() {
    let rows = [100, 10_000].flatMap { size in
      [
        row("plist", 1e5 * Double(size), records: size, isWholeFile: true), row("sqlite", 600_000, records: size),
        row("lmdb", 900_000, .shipped, .durable, records: size),
      ]
    }
    #expect(
      choice(rows) == [
        ["nothing, even in a power cut", "100 to 10,000", "lmdb", "-", "945 µs"],
        ["the last saves, in a power cut", "100 to 10,000", "sqlite", "-", "630 µs"],
      ])
    // Of the backends that are fast enough, the one that writes least differs by size.
    let other = rows.map { counted($0, bytes: $0.cell.backend.id == "plist" ? $0.cell.records * 100 : 20_000) }
    #expect(
      choice(other).map { Array($0.dropFirst()) } == [
        ["100 to 10,000", "lmdb", "20 kB", "945 µs"], ["100", "plist", "10 kB", "10 ms"],
        ["10,000", "sqlite", "20 kB", "630 µs"],
      ])
    #expect(
      answer(other)?.lists.first { $0.title == "Also fast enough" }?.items.map(\.text)
        == ["intact: sqlite (at 100 records)."])
    #expect(answer(other)?.headline == "To lose nothing in a power cut, take lmdb.")
  }

  @Test func `the line of code that sets the recommended settings is on the page, where one is known`() throws {
    let measured = model([row("sqlite", 600_000), row("lmdb", 900_000)])
    var plan = measured.plan
    plan.backends = [
      PlannedBackend(
        name: "sqlite", safety: "", deviations: [], code: ["shipped": "sqlite3_open()", "durable": "other()"])
    ]
    func lines(_ model: ReportModel) -> [String] {
      model.section(AnswerSection.id)?.lists.filter { $0.title == "In an app" }.flatMap(\.items).map(\.text) ?? []
    }
    #expect(lines(measured) == [])
    let model = ReportModel(rows: measured.rows, plan: plan)
    #expect(lines(model) == ["sqlite: sqlite3_open()"])
    #expect(!TerminalWriter.text(model.document).contains("In an app"))
  }

  @Test func `sizes at which nothing fast enough was measured are named`() {
    func unsaid(_ rows: [SummaryRow]) -> [String] {
      answer(rows)?.lists.filter { $0.title == Unmeasured.title }.flatMap(\.items).map(\.text) ?? []
    }
    let clear = [row("sqlite", 600_000), row("lmdb", 900_000), row("plist", 9e6)]
    let slow = ["sqlite", "lmdb", "plist"].map { row($0, 90e6, records: 100) }
    #expect(unsaid(slow + clear).contains("Recommendation at 100 records: nothing fast enough was measured."))
    #expect(!unsaid(clear).contains { $0.hasPrefix("Recommendation at") })
  }

  @Test func `the size from which a file is slower than a database comes first`() {
    let rows = [100, 1_000, 10_000].flatMap { size in
      [
        row("plist", 1_000 * Double(size), records: size, isWholeFile: true), row("sqlite", 300_000, records: size),
      ]
    }
    let said = sentences(CrossoverSentences.answers, rows)
    #expect(said.count == 1 && said[0].contains("(intact): is slower than sqlite from ~300 records on"), "\(said)")
    #expect(answer(rows)?.sentences.first == said[0])
    #expect(CrossoverSentences.verdicts(model(rows)).map(\.text).contains(said[0]))
    let open = [100, 10_000].flatMap { size in
      [
        row("plist", 600_000, records: size, rounds: Self.noise[0], isWholeFile: true),
        row("sqlite", 600_000, records: size, rounds: Self.noise[1]),
      ]
    }
    #expect(sentences(CrossoverSentences.answers, open).isEmpty)
  }

  @Test func `on noise alone no backend is called faster`() {
    let names = ["sqlite", "lmdb", "plist"]
    let rows = zip(names, zip(Self.noise, Self.noise.reversed())).flatMap { name, noise in
      [
        row(name, 600_000, .shipped, name == "lmdb" ? .durable : .intact, rounds: noise.0),
        row(name, 600_000, .durable, .durable, rounds: noise.1),
        row(name, 2_000, nil, nil, workload: "read-one", rounds: noise.1),
        row(name, 2e6, nil, nil, workload: "launch-warm", rounds: noise.0),
      ]
    }
    let found = answer(rows, libraries: ["lmdb": "sqlite"])
    #expect(found?.sentences.allSatisfy { !$0.contains("fast") } == true)
    #expect(found?.tables[0].texts.last?[2] == "sqlite or plist")
  }

  @Test func `rows of other shapes and machines are not compared`() {
    let lmdb = row("lmdb", 250_000, .shipped, .durable)
    var other = row("sqlite", 750_000)
    #expect(!sentences(PromiseRule.sentences, [lmdb, other]).isEmpty)
    other.machine = "another"
    #expect(sentences(PromiseRule.sentences, [lmdb, other]).isEmpty)
    #expect(choice([lmdb, other, row("plist", 9e6)]).isEmpty)
    other.machine = "m"
    other.cell.recordBytes = 4_000
    #expect(sentences(PromiseRule.sentences, [lmdb, other]).isEmpty)
  }

  @Test func `one backend alone is no choice, and a queue is no measurement`() {
    #expect(choice([row("sqlite", 600_000)]).isEmpty)
    #expect(answer([row("sqlite", 600_000), changed(row("plist", 9e6)) { $0.fellBehind = true }]) == nil)
    // A slow store that cannot keep the screen's pace does not change the other sentences.
    var paced = row("plist", 300_000_000, workload: "paced-save")
    (paced.fellBehind, paced.overFrame) = (true, 40)
    #expect(answer([row("sqlite", 600_000), row("plist", 9e6), paced]) != nil)
  }

  @Test func `a size without an answer is not covered by its neighbours`() {
    let rows = [100, 1_000, 10_000].flatMap { size in
      ["sqlite", "plist"].map { row($0, size == 1_000 ? 90e6 : $0 == "plist" ? 9e6 : 600_000, records: size) }
    }
    #expect(choice(rows).map { $0[1] } == ["100", "10,000"])
  }

  @Test func `what is emulated, a work-alike or a floor is never recommended`() {
    let rows = [
      row("object-graph", 1_000, fidelity: .workAlike), row("memory", 30, .shipped, .volatile),
      row("sqlite", 600_000), row("plist", 9e6),
    ]
    #expect(choice(rows).first?[2] == "sqlite")
    #expect(!choice(rows).joined().contains { $0.contains("object-graph") || $0.contains("memory") })
  }

  // MARK: - Sentences

  @Test func `an exceeded limit is listed, with the backends that keep it`() {
    let rows = [100, 1_000, 10_000].flatMap { size in
      [
        row("plist", 15_900 * Double(size), records: size), row("sqlite", 600_000, records: size),
        row("archive", 30e6 + Double(size), records: size), row("lmdb", 16.7e6, records: size),
      ]
    }
    #expect(
      sentences(LimitRule.sentences, rows) == [
        "A save fits into one frame (16.7 ms) up to ~1,000 records in plist; at every size measured (100 to 10,000) in "
          + "sqlite; not at 100 in archive."
      ])
    // No backend fits.
    #expect(
      sentences(LimitRule.sentences, rows.filter { $0.cell.backend.id == "archive" }) == [
        "A save takes longer than one frame (16.7 ms) at 100 in archive."
      ])
    // Rounds on both sides of the limit, or too few, show nothing.
    #expect(sentences(LimitRule.sentences, rows.filter { $0.cell.backend.id == "lmdb" }).isEmpty)
    #expect(sentences(LimitRule.sentences, [row("plist", 90e6, rounds: [1, 1])]).isEmpty)
    // All backends fit.
    #expect(sentences(LimitRule.sentences, rows.filter { $0.cell.backend.id == "sqlite" }).isEmpty)
  }

  @Test func `rewriting a whole file is listed if it writes far more`() {
    func rows(_ page: Int) -> [SummaryRow] {
      [
        counted(row("plist", 1e6, isWholeFile: true), bytes: 2_500_000),
        counted(row("archive", 1e6, isWholeFile: true), bytes: 3_100_000),
        counted(row("sqlite", 1e6), bytes: page),
      ]
    }
    #expect(
      sentences(RewriteRule.sentences, rows(12_500)) == [
        "Changing one of 10,000 records writes 2.5 MB to 3.1 MB in plist and archive, which rewrite their whole file, and "
          + "12 kB in sqlite."
      ])
    #expect(sentences(RewriteRule.sentences, rows(1_000_000)).isEmpty)
  }

  @Test func `a faster setting that is at least as safe is listed`() {
    let shipped = row("sqlite", 600_000, settings: "journal_mode=delete synchronous=2")
    let set = row("sqlite", 200_000, .durable, .durable, settings: "journal_mode=wal synchronous=2")
    #expect(
      sentences(SettingRule.sentences, [shipped, set]) == [
        "sqlite set to durable (journal_mode=wal) is 3.00× (3.00-3.00) as fast at a save as shipped, and is safer "
          + "(nothing lost)."
      ])
    // Two backends of one engine share a sentence.
    let queue = [
      row("sqlite-queue", 800_000, settings: "journal_mode=delete synchronous=2"),
      row("sqlite-queue", 200_000, .durable, .durable, settings: "journal_mode=wal synchronous=2"),
    ]
    #expect(
      sentences(SettingRule.sentences, [shipped, set] + queue).first?.hasPrefix(
        "sqlite and sqlite-queue set to durable (journal_mode=wal) are 3.00× (3.00-3.00) and 4.00× (4.00-4.00) as fast")
        == true)
    // The same level, but more saves can be lost.
    let many = row("sqlite", 100_000, .intact).counting(100) { $0.syncs = 1 }
    let few = shipped.counting(100) { $0.syncs = 400 }
    #expect(sentences(SettingRule.sentences, [few, many]).isEmpty)
    #expect(sentences(SettingRule.sentences, [few, many, set]).first?.hasPrefix("sqlite set to durable") == true)
    // Slower, less safe, or noise.
    let slow = row("sqlite", 900_000, .durable, .durable)
    let less = row("sqlite", 100_000, .crash, .crash)
    let noisy = row("sqlite", 450_000, .durable, .durable, rounds: Self.noise[1])
    for other in [slow, less, noisy] { #expect(sentences(SettingRule.sentences, [shipped, other]).isEmpty) }
  }

  @Test func `a safer backend that is also faster is listed`() {
    let lmdb = row("lmdb", 250_000, .shipped, .durable)
    let others = [row("sqlite", 750_000), row("defaults", 5e6, .shipped, .fragile)]
    #expect(
      sentences(PromiseRule.sentences, [lmdb] + others) == [
        "lmdb as shipped is safer and faster: after a power cut nothing lost; sqlite and defaults (may lose the "
          + "last save or a crash can empty it) take 3.0× to 20× as long for a save at 10,000 records."
      ])
    // Slower, or as strong.
    #expect(sentences(PromiseRule.sentences, [row("lmdb", 900_000, .shipped, .durable), others[0]]).isEmpty)
    #expect(sentences(PromiseRule.sentences, [row("lmdb", 250_000), others[0]]).isEmpty)
    let noisy = row("lmdb", 600_000, .shipped, .durable, rounds: Self.noise[0])
    #expect(sentences(PromiseRule.sentences, [noisy, others[0]]).isEmpty)
  }

  @Test func `a library that costs more than its engine is listed`() {
    let rows = [
      row("sqlite", 10_000, nil, nil, workload: "read-one"),
      row("sqlite-queue", 60_000, nil, nil, workload: "read-one"), row("sqlite", 600_000), row("sqlite-queue", 620_000),
    ]
    let libraries = ["sqlite-queue": "sqlite"]
    #expect(
      sentences(LibraryRule.sentences, rows, libraries: libraries) == [
        "A read through sqlite-queue takes 6.00× (6.00-6.00) as long as in sqlite, the engine below it: 63 µs and 10 µs at "
          + "10,000 records."
      ])
    // Another engine's library, a small difference, another promise.
    #expect(sentences(LibraryRule.sentences, rows).isEmpty)
    #expect(sentences(LibraryRule.sentences, Array(rows.suffix(2)), libraries: libraries).isEmpty)
    let other = [row("sqlite", 600_000), row("sqlite-queue", 6e6, .shipped, .durable)]
    #expect(sentences(LibraryRule.sentences, other, libraries: libraries).isEmpty)
  }

  @Test func `a fast read that slows the launch is listed`() {
    func rows(_ launch: Double) -> [SummaryRow] {
      [
        row("plist", 240, nil, nil, workload: "read-one", settings: "resident=yes"),
        row("sqlite", 6_000, nil, nil, workload: "read-one"), row("plist", launch, nil, nil, workload: "launch-warm"),
        row("sqlite", 6e6, nil, nil, workload: "launch-warm"),
      ]
    }
    #expect(
      sentences(LaunchRule.sentences, rows(70e6)) == [
        "plist reads fast and launches slowly: a read takes 252 ns, a look-up in memory, against 6.3 µs in sqlite, but "
          + "a launch 74 ms against 6.3 ms, at 10,000 records."
      ])
    #expect(sentences(LaunchRule.sentences, rows(6e6)).isEmpty)
  }

  @Test func `a run of one workload without words has no answer`() {
    let rows = ["sqlite", "lmdb"].map { row($0, $0 == "lmdb" ? 9_000 : 1_000, nil, nil, workload: "find-name") }
    #expect(answer(rows) == nil)
  }
}

@Suite struct ShortReportTests {
  @Test func `a run in short has a recommendation, a table, a legend, its machine and its command`() throws {
    let model = try SampleRun.model()
    let text = MarkdownFormat.text(RunReport(model).short)
    let lines = text.split(separator: "\n")
    #expect(lines.count <= 20)
    #expect(lines.first?.hasPrefix("| you can afford to lose | records | recommended |") == true)
    #expect(text.contains("One small save into a store of N records, each library as it ships"))
    #expect(lines.contains { $0.hasPrefix("| backend | 100 |") })
    #expect(text.contains("2 cores, Example 3000, ext4, a sync costs 86 µs."))
    #expect(text.contains("Made by `storage-bench run`.") && text.contains(Term.timedOnce.words))
    #expect(!text.contains("#") && !text.contains("<details>"))
  }

  @Test func `without a small save it is a line per cell, without cells a sentence`() throws {
    for (run, start) in [
      (SampleRun.withoutSaves, "| cell | p50 |"), (SampleRun.cells { _ in false }, "0 cells: none."),
    ] {
      let model = try SampleRun.model(plan: run.plan, trials: run.trials)
      #expect(MarkdownFormat.text(RunReport(model).short).contains(start))
    }
  }
}
