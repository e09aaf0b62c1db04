import Foundation
@testable import TestSupport
import StorageContract
@testable import StorageReport
import StorageRunFiles
import Testing

@Suite struct AdviceTests {
  /// A row whose six rounds lie within 3 % of a time.
  private func row(
    _ backend: String, _ time: Double, _ durability: Durability? = .shipped, _ level: Level? = .intact,
    workload: String = "save-one", records: Int = 1_000, bytes: Int? = nil, settings: String = "",
    fidelity: Fidelity = .native, spread: Double = 0.01
  ) -> SummaryRow {
    var row = SummaryRow(
      Cell(backend, workload, records: records, durability: durability),
      (1...6).map { time * (1 + spread * (Double($0) - 3.5)) }, level: level, fidelity: fidelity)
    row.p50 = time
    row.settings = settings
    return bytes == nil ? row : row.counting { $0.bytesWrittenSettled = bytes }
  }

  private func model(_ rows: [SummaryRow], _ command: [String] = []) -> ReportModel {
    let cells = rows.map { PlannedCell(cell: $0.cell, level: $0.level, engineVersion: "e") }
    return ReportModel(rows: rows, plan: Plan(command: command, rounds: 6, cells: cells))
  }

  private func advice(
    _ rows: [SummaryRow], _ records: Int = 1_000, _ reads: Double = 0, _ durability: Durability? = nil,
    launch: Double? = nil, bytes: Int? = nil
  ) -> Advice {
    Advice(
      AppDescription(
        records: records, readsPerSave: reads, recordBytes: bytes, durability: durability, launchBudget: launch),
      by: model(rows))
  }

  private func names(_ advice: Advice) -> [[String]] { advice.levels.map { $0.candidates.map(\.fullName) } }

  @Test func `of what is fast enough the fewest bytes come first, of the rest the shortest time`() {
    let rows = [
      row("lmdb", 100_000, bytes: 20_000), row("sqlite", 900_000, bytes: 4_000), row("plist", 6e6, bytes: 4_000),
      row("archive", 50e6, bytes: 300), row("defaults", 20e6, bytes: 900), row("other", 900e6, bytes: 1),
    ]
    let found = advice(rows)
    #expect(names(found) == [["sqlite", "plist", "lmdb", "defaults", "archive", "other"]])
    #expect(
      found.levels[0].candidates.map(\.speed)
        == [.fastEnough, .fastEnough, .fastEnough, .borderline, .borderline, .tooSlow])
    #expect(found.recommended?.fullName == "sqlite")
    #expect(found.levels[0].alsoFastEnough.map(\.fullName) == ["plist", "lmdb"])
    #expect(found.levels[0].candidates[0].comparison.map { abs($0.ratio.ratio - 9) < 0.1 } == true)
    #expect(found.levels[0].candidates[2].comparison == nil)
  }

  /// One frame is 16.7 ms; four of them are 66.8 ms. A launch may take 100 ms, or 400.
  @Test func `the classes end where they say`() {
    func speed(_ save: Double, reads: Double = 0, read: Double = 0, launch: Double? = nil, budget: Double? = nil)
      -> Speed?
    {
      var rows = [row("sqlite", save, spread: 0)]
      if reads > 0 { rows.append(row("sqlite", read, nil, nil, workload: "read-one", spread: 0)) }
      if let launch { rows.append(row("sqlite", launch, nil, nil, workload: "launch-warm", spread: 0)) }
      return advice(rows, 1_000, reads, launch: budget).levels.first?.candidates.first?.speed
    }
    #expect(speed(16.6e6) == .fastEnough && speed(16.8e6) == .borderline)
    #expect(speed(66.7e6) == .borderline && speed(66.9e6) == .tooSlow)
    #expect(
      speed(6e6, reads: 100, read: 100_000) == .fastEnough && speed(6e6, reads: 100, read: 110_000) == .borderline)
    #expect(speed(1e6, launch: 99e6) == .fastEnough && speed(1e6, launch: 101e6) == .borderline)
    #expect(speed(1e6, launch: 399e6) == .borderline && speed(1e6, launch: 401e6) == .tooSlow)
    // A limit that somebody sets is one.
    #expect(speed(1e6, launch: 99e6, budget: 50e6) == .tooSlow && speed(1e6, launch: 49e6, budget: 50e6) == .fastEnough)
    // The upper end of the interval decides.
    let wide = advice([row("sqlite", 16e6, spread: 0.05)])
    #expect(wide.levels.first?.candidates.first?.speed == .borderline)
  }

  @Test func `each level has its answer, and what is safest is recommended`() {
    let rows = [
      row("sqlite", 9_000, .intact, .intact, bytes: 4_300),
      row("sqlite", 100_000, .durable, .durable, bytes: 4_300),
      row("defaults", 3e6, .shipped, .fragile, bytes: 100),
    ]
    let all = advice(rows)
    #expect(all.levels.map(\.level) == [.durable, .intact, .fragile])
    #expect(all.recommended?.fullName == "sqlite (durable)")
    #expect(names(advice(rows, 1_000, 0, .intact)) == [["sqlite (durable)"], ["sqlite (intact)"]])
    #expect(names(advice(rows, 1_000, 0, .durable)) == [["sqlite (durable)"]])
    #expect(names(advice(rows, 1_000, 0, .shipped)) == [["defaults"]])
    #expect(
      advice(rows, 1_000, 0, .intact).absences == [
        .init(name: "defaults", reason: "at most fragile (a crash can empty it)", isOpen: false)
      ])
    // A fast enough backend comes before a safer one that is too slow.
    let slow = advice([row("plist", 90e6, .durable, .durable), row("sqlite", 9_000)])
    #expect(slow.recommended?.fullName == "sqlite")
  }

  @Test func `backends measured at other sizes have no rank, and the command is shown`() {
    let rows = [100, 10_000].map { row("sqlite", 100_000, records: $0) } + [row("lmdb", 90_000, records: 10_000)]
    let within = advice(rows, 2_000)
    #expect(names(within) == [["sqlite"]])
    #expect(within.levels[0].candidates[0].save.basis == "interpolated between 100 and 10,000 records")
    #expect(
      within.absences == [
        .init(name: "lmdb", reason: "not measured at 2,000 records, only at 10,000", isOpen: true)
      ])
    #expect(within.isIncomplete && within.obstacle == nil)
    #expect(TerminalWriter.text(within.document).contains("lmdb: not measured at 2,000 records, only at 10,000."))
    for records in [50, 20_000] {
      let beyond = advice(rows, records)
      #expect(beyond.levels.isEmpty && beyond.recommended == nil)
      #expect(
        beyond.obstacle
          == "nothing was measured at \(Quantity.grouped(records)) records, only from 100 to 10,000")
      #expect(beyond.measureLine.contains(" -n \(records) "))
    }
    #expect(advice(rows, 10_000).isIncomplete, "launches were not measured")
  }

  @Test func `reads are of a store with the same settings`() {
    let (log, journal) = ("journal_mode=wal synchronous=2", "journal_mode=delete synchronous=2")
    let rows = [
      row("sqlite", 600_000, bytes: 17_000, settings: journal),
      row("sqlite", 9_000, .intact, .intact, bytes: 4_000, settings: "journal_mode=wal synchronous=1"),
      row("sqlite", 7_000, nil, nil, workload: "read-one", settings: journal),
    ]
    let lacking = advice(rows, 1_000, 10)
    #expect(names(lacking) == [["sqlite"]])
    #expect(lacking.absences.map(\.reason) == ["no reads with these settings"])
    let read = row("sqlite:journal=wal", 3_000, nil, nil, workload: "read-one", settings: log)
    let paired = advice(rows + [read], 1_000, 10)
    #expect(names(paired) == [["sqlite (intact)", "sqlite"]])
    #expect(paired.levels[0].candidates.map { $0.total.rounded() } == [39_000, 670_000])
    // Without reads for each save they do not matter.
    #expect(names(advice(rows)) == [["sqlite (intact)", "sqlite"]])
    #expect(
      advice(rows.filter { $0.cell.durability != nil }, 1_000, 5).caveats.first
        == "Reads were not measured: the answer is that of saving alone.")
  }

  @Test func `two spellings of the same settings are one candidate`() {
    let settings = "journal_mode=wal synchronous=2 statements=cached"
    let rows = [
      row("sqlite:journal=wal", 100_000, .shipped, .durable, settings: settings),
      row("sqlite", 101_000, .durable, .durable, settings: settings),
      row("sqlite:log=fresh", 200_000, .durable, .durable, settings: settings + " log=fresh"),
      row("plist", 1e6, settings: "fsync=yes"),
      row("plist", 1e6, .intact, settings: "fsync=yes"),
    ]
    #expect(names(advice(rows)) == [["sqlite (durable)", "sqlite:log=fresh (durable)"], ["plist"]])
  }

  @Test func `a work-alike, and what was timed once, are named and not recommended`() throws {
    let rows = [
      row("object-graph", 2_000, bytes: 2, fidelity: .workAlike),
      changed(row("plist", 1_000, bytes: 1)) { $0.isTimedOnce = true }, row("sqlite", 9_000, bytes: 4_000),
    ]
    let found = advice(rows)
    #expect(found.recommended?.name == "sqlite")
    #expect(found.levels[0].candidates[0].name == "sqlite")
    let words = try #require(AdviceSentences.levels(found).first?.text)
    #expect(words.contains("timed once, so not recommended: plist (1 B and 1.0 µs)"))
    #expect(words.contains("emulated or a work-alike, so not recommended: object-graph (2 B and 2.0 µs)"))
    let none = advice([rows[0]])
    #expect(none.recommended == nil)
    #expect(AdviceSentences.recommendation(none)?.text == "Nothing that was measured is fast enough.")
  }

  @Test func `backends without a clear difference are named together, unless one writes less`() {
    func rivals(_ one: Int?, _ other: Int?) -> [SummaryRow] {
      [row("sqlite", 100_000, bytes: one, spread: 0.1), row("lmdb", 101_000, bytes: other, spread: 0.1)]
    }
    let found = advice(rivals(nil, nil) + [row("plist", 5e6)])
    #expect(found.levels[0].leaders.map(\.name) == ["sqlite", "lmdb"])
    #expect(AdviceSentences.recommendation(found)?.text.hasPrefix("Take sqlite or lmdb: 100 µs a save") == true)
    #expect(advice(rivals(5, 4)).levels[0].leaders.map(\.name) == ["lmdb"])
  }

  @Test func `a recommendation says if it is safer than asked`() {
    let rows = [row("sqlite", 100_000, .durable, .durable), row("lmdb", 50_000, .intact)]
    func words(_ level: Level) -> String { AdviceSentences.recommendation(advice(rows), atLeast: level)?.text ?? "" }
    #expect(words(.intact).hasPrefix("Take sqlite (durable)") && words(.intact).hasSuffix(", safer than asked."))
    #expect(words(.durable).hasPrefix("Take sqlite (durable)") && !words(.durable).contains("safer"))
    #expect(words(.volatile) == words(.durable))
  }

  @Test func `other record sizes are an obstacle from twice as large, and a caveat below`() {
    let rows = [row("sqlite", 100_000), row("lmdb", 90_000)]
    #expect(advice(rows, bytes: 4_000).obstacle?.contains("which do not tell what records of 4,000 bytes cost") == true)
    #expect(advice(rows, bytes: 4_000).measureLine.contains("--record-bytes 4000"))
    for bytes in [50, 100, 200, nil] { #expect(advice(rows, bytes: bytes).obstacle == nil) }
    #expect(advice(rows, bytes: 49).obstacle != nil)
    #expect(advice(rows, bytes: 150).caveats.first?.hasPrefix("The run's records have 100 bytes, not 150; ") == true)
  }

  /// Random runs: each recommendation was measured, at that level and around that size, and is the best by the rules.
  @Test func `random apps are recommended only measured backends, the best first`() throws {
    var random = SystemRandomNumberGenerator()
    var answered = 0
    for app in 0..<200 {
      var rows: [SummaryRow] = []
      for backend in ["plist", "sqlite", "lmdb", "sqlite:journal=wal"] {
        for durability in [Durability.shipped, .intact, .durable] where Bool.random(using: &random) {
          let level = [Level.fragile, .intact, .durable].randomElement(using: &random)!
          let settings = Bool.random(using: &random) ? "\(level)" : "own=\(backend)\(durability)"
          for size in [100, 1_000, 10_000] where Int.random(in: 0..<4, using: &random) > 0 {
            rows.append(
              row(
                backend, pow(10, Double.random(in: 3...8.5, using: &random)), durability, level, records: size,
                bytes: Int.random(in: 1...100, using: &random) * 1_000, settings: settings))
          }
        }
        if Bool.random(using: &random) {
          rows.append(row(backend, 1_000, nil, nil, workload: "read-one", settings: "\(Level.intact)"))
        }
      }
      let records = [50, 100, 1_000, 3_000, 10_000, 30_000].randomElement(using: &random)!
      let reads = [0.0, 10].randomElement(using: &random)!
      let found = advice(rows, records, reads)
      for choice in found.levels {
        var seen: Set<String> = []
        for candidate in choice.candidates {
          let id = candidate.name.split(separator: ":")[0]
          let mine = rows.filter {
            Phrases.name($0) == candidate.name && $0.cell.durability == candidate.durability && $0.level == choice.level
          }
          let sizes = mine.map(\.cell.records)
          #expect(sizes.min()! <= records && records <= sizes.max()!, "\(app): \(candidate.fullName)")
          #expect(candidate.read == nil || reads > 0)
          #expect(seen.insert("\(id) \(mine[0].settings)").inserted, "\(app): \(candidate.fullName) twice")
        }
        guard let first = choice.recommended else { continue }
        answered += 1
        for other in choice.candidates where other.canWin {
          #expect(first.speed <= other.speed)
          if first.speed == .fastEnough, other.speed == .fastEnough { #expect(first.bytes! <= other.bytes!) }
        }
      }
    }
    #expect(answered > 50)
  }

  @Test func `commands that are shown are read back by a shell`() {
    var plan = SampleRun.plan
    plan.command = [
      "storage-bench", "run", "--label", "a|b", "-o", "my runs/it's", "-b", "sqlite:journal=wal,lmdb", "-w", "*",
    ]
    #expect(
      plan.commandLine
        == #"storage-bench run --label 'a|b' -o 'my runs/it'\''s' -b sqlite:journal=wal,lmdb -w '*'"#)
    let rows = [row("sqlite:journal=wal", 100_000)]
    let other = Advice(
      AppDescription(records: 50, readsPerSave: 1), by: model(rows, ["/opt/my tools/our-bench", "run"]))
    #expect(
      other.measureLine
        == "our-bench run -b sqlite:journal=wal -w save-one,read-one,launch-warm:until=screen -n 50 --durability shipped,intact,durable"
    )
  }
}
