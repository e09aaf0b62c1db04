import Foundation
@testable import SampleRuns
import StorageContract
@testable import StorageReport
import StorageRunFiles
import StorageStatistics
import Testing

@Suite struct AdviceTests {
  private func law(_ constant: Double, _ coefficient: Double) -> GrowthModel {
    GrowthModel(constant: constant, coefficient: coefficient, exponent: 1)
  }

  /// A run of saves over three sizes, with reads and launches at the largest, from laws.
  private func model(
    reads: [String: Double] = ["plist": 100, "sqlite": 10_000, "lmdb": 400],
    launches: [String: Double] = [:], rounds: Int = 12, sizes: [Int] = [100, 1000, 10_000]
  ) -> ReportModel {
    let engines: [SyntheticRun.Engine] = [
      .init(id: "plist", isWholeFile: true, time: law(100_000, 1000)), .init(id: "sqlite", time: law(600_000, 0)),
      .init(id: "lmdb", level: .durable, time: law(200_000, 0)),
      .init(id: "defaults", level: .fragile, isWholeFile: true, time: law(50_000, 500)),
    ]
    let saves = SyntheticRun(engines: engines, sizes: sizes, rounds: rounds)
    func only(_ times: [String: Double], _ workload: String, _ seed: UInt64) -> ReportModel {
      SyntheticRun(
        engines: times.sorted { $0.key < $1.key }.map { .init(id: $0.key, level: nil, time: law($0.value, 0)) },
        sizes: [10_000], rounds: rounds, workload: workload, durability: nil, seed: seed
      ).model
    }
    var parts = [saves.model]
    if !reads.isEmpty { parts.append(only(reads, "read-one", 2)) }
    if !launches.isEmpty { parts.append(only(launches, "launch-warm:until=screen", 3)) }
    return ReportModel(
      directory: RunDirectory(path: "results/synthetic"),
      plan: Plan(rounds: rounds, cells: parts.flatMap(\.plan.cells)),
      environment: MachineEnvironment(machine: "m"), rows: parts.flatMap(\.rows), trials: 1)
  }

  private func advice(
    _ records: Int, _ reads: Double, _ durability: Durability = .shipped, launch: Double? = nil,
    of model: ReportModel
  ) -> Advice {
    Advice(
      AppDescription(records: records, readsPerSave: reads, durability: durability, launchBudget: launch), by: model)
  }

  @Test func `reads decide where there are many`() throws {
    let few = advice(1000, 0, of: model())
    #expect(few.rankings.map(\.level) == [.durable, .intact, .fragile])
    // 600 us against 1.1 ms; with 100 reads of 10 us against 0.1 us, 1.6 ms against 1.11 ms.
    #expect(few.rankings[1].candidates.map(\.name) == ["lmdb", "sqlite", "plist"])
    #expect(few.rankings[1].candidates.map(\.exceeds) == [true, false, false])
    #expect(few.rankings[0].candidates.map(\.exceeds) == [false])
    let many = advice(1000, 100, of: model())
    #expect(many.rankings[1].candidates.map(\.name) == ["lmdb", "plist", "sqlite"])
    #expect(abs(many.rankings[1].candidates[1].total / 1_110_000 - 1) < 0.05)
    let distance = try #require(many.rankings[1].candidates[2].slower)
    #expect(abs(distance.ratio / (1600.0 / 240) - 1) < 0.05)
    #expect(!many.rankings[1].candidates[1].isLeader)
    #expect(many.refusals.map(\.reason) == ["reads were not timed"])
  }

  @Test func `every place names its rows and how far they are`() throws {
    let candidates = advice(2000, 10, of: model()).rankings[1].candidates
    let plist = try #require(candidates.first { $0.name == "plist" })
    #expect(plist.save.basis == .between(1000, 10_000))
    #expect(plist.save.cells == "plist/save-one/*/shipped")
    #expect(abs(plist.save.time / 2_100_000 - 1) < 0.05)
    #expect(plist.read?.basis == .atMost(10_000))
    #expect(plist.read?.cells == "plist/read-one/10000/-")
    #expect(
      AdviceSentences.basis(plist).text
        == "save: plist/save-one/*/shipped, interpolated between 1,000 and 10,000 records; "
        + "read: plist/read-one/10000/-, measured at 10,000 records only: at most that")
  }

  @Test func `what lies beyond the data is said, and how far`() throws {
    let far = advice(50_000, 10, of: model())
    let plist = try #require(far.rankings[1].candidates.first { $0.name == "plist" })
    #expect(plist.save.basis == .extrapolated(from: 10_000, factor: 5))
    #expect(plist.save.isExtrapolated)
    #expect(abs(plist.save.time / 50_100_000 - 1) < 0.1)
    #expect(far.caveats.contains { $0.hasPrefix("The run's data does not reach 50,000 records for") })
    #expect(TerminalWriter.text(far.document).contains("EXTRAPOLATED 5.0x beyond the 10,000 records measured"))
    #expect(far.measure == "storage-bench run -w save-one,read-one,launch-warm:until=screen -n 50000")
    // More than ten times beyond, nothing is said.
    let further = advice(100_001, 10, of: model())
    #expect(further.rankings.isEmpty)
    #expect(further.refusals.allSatisfy { $0.reason.hasSuffix("too far from 100,001") })
    // How saves grow cannot be told from one size.
    let one = advice(20_000, 0, of: model(sizes: [10_000]))
    #expect(one.rankings.isEmpty)
    // Neither from two: within reach, but nobody knows whether the curve is straight.
    let two = advice(20_000, 0, of: model(sizes: [1000, 10_000]))
    #expect(two.rankings.isEmpty)
    #expect(
      two.refusals.first?.reason
        == "was measured from 1,000 to 10,000 records only, which does not show what it takes at 20,000")
    // One of which nothing is known keeps another from being called the only one.
    var rows = model().rows
    rows.removeAll { $0.cell.backend.id == "sqlite" && $0.cell.records == 100 }
    let base = model()
    let partial = advice(
      20_000, 0,
      of: ReportModel(
        directory: base.directory, plan: base.plan, environment: base.environment,
        rows: rows.filter { ["plist", "sqlite"].contains($0.cell.backend.id) }, trials: 1))
    let words = AdviceSentences.verdicts(partial).map(\.text)
    #expect(words.count == 1 && words[0].contains("; what sqlite would take is not known"), "\(words)")
    #expect(!words[0].contains("no other native backend"))
    let smaller = advice(2000, 0, of: model(sizes: [10_000]))
    #expect(smaller.rankings[1].candidates.allSatisfy { $0.save.basis == .atMost(10_000) })
  }

  @Test func `a level that was asked for takes all that promise as much, and marks who does more`() {
    let intact = advice(1000, 0, .intact, of: model())
    #expect(intact.rankings.count == 1)
    #expect(intact.rankings[0].candidates.map(\.name) == ["lmdb", "sqlite", "plist"])
    #expect(intact.rankings[0].candidates.map(\.exceeds) == [true, false, false])
    #expect(intact.refusals == [.init(name: "defaults", reason: "promises fragile only (a crash can empty it)")])
    let durable = advice(1000, 0, .durable, of: model())
    #expect(durable.rankings[0].candidates.map(\.name) == ["lmdb"])
  }

  @Test func `the launch budget puts out who is too slow, and says where it is not known`() {
    let launches = ["plist": 90e6, "sqlite": 8e6, "lmdb": 7e6]
    let measured = advice(10_000, 1, launch: 50_000_000, of: model(launches: launches))
    #expect(measured.refusals.contains { $0.name == "plist" && $0.reason.hasPrefix("needs 9") })
    // At a tenth of the records 90 ms is a bound, and no reason to put it out.
    let smaller = advice(1000, 1, launch: 50_000_000, of: model(launches: launches))
    #expect(smaller.rankings[1].candidates.contains { $0.name == "plist" })
    #expect(smaller.caveats.contains("Whether plist keep the launch budget is not known at this size."))
    #expect(
      advice(1000, 1, launch: 1, of: model()).caveats.contains(
        "Launches were not measured: the budget was not applied."))
  }

  @Test func `too few rounds judge no distance`() {
    let few = advice(1000, 0, of: model(rounds: 3))
    #expect(few.rankings[1].candidates.allSatisfy { $0.slower == nil && $0.verdict == nil })
    #expect(
      AdviceSentences.verdicts(few)[1].text.hasSuffix("the rounds are too few to tell how far the others are behind."))
  }

  @Test func `a lookalike is not ranked, whatever it takes`() {
    var rows = model().rows
    for index in rows.indices where rows[index].cell.backend.id == "lmdb" { rows[index].fidelity = .lookalike }
    let base = model()
    let changed = ReportModel(
      directory: base.directory, plan: base.plan, environment: base.environment, rows: rows, trials: 1)
    let ranking = advice(1000, 0, of: changed).rankings[1]
    #expect(ranking.candidates.map(\.name) == ["sqlite", "plist", "lmdb+"])
    #expect(ranking.place(0) == 1 && ranking.place(2) == nil)
    let words = AdviceSentences.verdicts(advice(1000, 0, of: changed))[1].text
    #expect(words.contains("lmdb+^ (nothing lost, 1 sync a save), unranked, takes 0.3"))
  }

  /// The page's tables and `advise` agree on who competes, in which order, by which factor and with which mark.
  @Test(arguments: 1...6) func `advice and page rank alike`(seed: UInt64) throws {
    var checked = 0
    for noise in [SyntheticRun.Noise.normal(0.01), .normal(0.08), .bursts] {
      let (plan, trials) = SyntheticRun.everyKind(noise: noise, seed: seed)
      var builder = SummaryBuilder(plan: plan, machine: "m", run: "r")
      for trial in trials { builder.add(trial) }
      var rows = builder.rows
      for index in rows.indices where rows[index].cell.backend.id == "sqlite-queue" {
        rows[index].fidelity = .lookalike
      }
      let model = ReportModel(
        directory: RunDirectory(path: "results/r"), plan: plan, environment: SampleRun.environment, rows: rows,
        trials: 1)
      for group in model.groups where group.workload.id == "save-one" {
        let durability = try #require(group.durability)
        let advice = advice(group.records, 0, durability, of: model)
        let ranking = try #require(advice.rankings.first { $0.level == group.level })
        let page = group.ranking.map { row in
          let factor = group.factor(of: row).map(NumberFormat.ratio) ?? "-"
          return "\(group.name(row)) \(factor) \(group.mark(of: row) ?? "")"
        }
        let advised = ranking.candidates.enumerated().map { place, candidate in
          let factor = candidate.slower.map(\.ratio) ?? 1
          let marks: [RowVerdict: String] = [.aboutEqual: "~", .inconclusive: "?", .faster: "?"]
          let mark = candidate.isNative ? candidate.verdict.flatMap { marks[$0] } : nil
          return "\(candidate.name)\(candidate.exceeds ? "^" : "") \(NumberFormat.ratio(factor)) \(mark ?? "")"
        }
        // Advice lists what is no native engine below the others.
        #expect(advised.filter { !$0.hasPrefix("sqlite-queue+") } == page.filter { !$0.hasPrefix("sqlite-queue+") })
        #expect(Set(advised) == Set(page))
        checked += advised.count
      }
    }
    #expect(checked > 100)
  }

  @Test func `a lookalike is no rival, and the timer's own differences are none`() throws {
    func candidate(_ id: String, _ times: [Double], _ fidelity: Fidelity = .native, resolution: Double = 25)
      -> SummaryRow
    {
      var row = SummaryRow(
        cell: SampleRun.save(Spec(id: id), 1000), machine: "m", run: "r", level: .intact, engineVersion: "e",
        fidelity: fidelity, seed: 1)
      for (round, time) in times.enumerated() {
        row.rounds[round + 1] = RoundTiming(typical: time, resolution: resolution)
      }
      row.processes = times.count
      row.p50 = times.sorted()[times.count / 2]
      return row
    }
    func ranking(_ rows: [SummaryRow]) throws -> Advice.Ranking {
      let model = ReportModel(
        directory: RunDirectory(path: "results/r"), plan: Plan(rounds: 6, cells: []),
        environment: SampleRun.environment,
        rows: rows, trials: 1)
      return try #require(advice(1000, 0, of: model).rankings.first)
    }
    // Clear of 1 by more than half of the interval's width, and by less than three quarters: of two, one is slower.
    let (base, head) = ([1e6, 1e6, 1e6, 1e6, 1e6, 1e6], [1.2e6, 1.2e6, 1.3e6, 1.3e6, 1.6e6, 1.6e6])
    let two = try ranking([candidate("lmdb", base), candidate("sqlite", head)])
    #expect(two.candidates[1].verdict == .slower)
    let imitated = try ranking([
      candidate("lmdb", base), candidate("sqlite", head), candidate("object-graph", head, .lookalike),
    ])
    #expect(imitated.candidates[1].verdict == .slower)
    let three = try ranking([candidate("lmdb", base), candidate("sqlite", head), candidate("plist", head)])
    #expect(three.candidates[1].verdict == .inconclusive)
    // 20 ns more is less than one reading of the clock.
    let short = try ranking([
      candidate("lmdb", base.map { $0 / 1e4 }), candidate("sqlite", base.map { $0 / 1e4 * 1.2 }),
    ])
    #expect(short.candidates[1].verdict == .inconclusive)
  }

  /// From 100, 1,000 and 10,000 records to 30,000: the truth is in what is said, however the curve bends.
  @Test(arguments: [0.0, 0.1, 0.2, 0.3]) func `an estimate beyond the sizes holds the truth on convex curves`(
    bend: Double
  ) throws {
    let time = { (x: Double) in 8000 * x * pow(10, bend * pow(log10(x / 100), 2) / 2) }
    func series(_ id: String, _ time: (Double) -> Double, isWholeFile: Bool) -> [SummaryRow] {
      [100, 1000, 10_000].map { size in
        var row = SummaryRow(
          cell: SampleRun.save(Spec(id: id), size), machine: "m", run: "r", level: .intact, engineVersion: "e",
          fidelity: .native, seed: 1)
        for round in 1...6 {
          row.rounds[round] = RoundTiming(typical: time(Double(size)) * (0.97 + 0.01 * Double(round)), resolution: 25)
        }
        row.p50 = time(Double(size))
        row.isWholeFile = isWholeFile
        return row
      }
    }
    let rows = series("plist", time, isWholeFile: true) + series("sqlite", { _ in 6e5 }, isWholeFile: false)
    let model = ReportModel(
      directory: RunDirectory(path: "results/r"), plan: Plan(rounds: 6, cells: []), environment: SampleRun.environment,
      rows: rows, trials: 1)
    let ranking = try #require(advice(30_000, 0, of: model).rankings.first)
    let plist = try #require(ranking.candidates.first { $0.name == "plist" })
    let interval = try #require(plist.save.interval)
    #expect(interval.low <= time(30_000) && time(30_000) <= interval.high)
    let slower = try #require(plist.slower?.interval)
    #expect(slower.low <= time(30_000) / 6e5 && time(30_000) / 6e5 <= slower.high)
    let text = TerminalWriter.text(advice(30_000, 0, of: model).document).replacing("\n  ", with: " ")
    #expect(text.contains("EXTRAPOLATED 3.0x beyond the 10,000"))
  }

  /// A launch at one size, loading everything at several: what reads a whole file grows with it.
  @Test func `a whole-file launch grows as loading everything does`() throws {
    func rows(_ id: String, _ workload: String, _ times: [(Int, Double)], isWholeFile: Bool) -> [SummaryRow] {
      times.map { size, time in
        var row = SummaryRow(
          cell: Cell(backend: Spec(id: id), workload: Spec(verbatim: workload), records: size, durability: nil),
          machine: "m", run: "r", level: nil, engineVersion: "e", fidelity: .native, seed: 1)
        for round in 1...6 {
          row.rounds[round] = RoundTiming(typical: time * (0.97 + 0.01 * Double(round)), resolution: 25)
        }
        row.p50 = time
        row.isWholeFile = isWholeFile
        return row
      }
    }
    let launch = "launch-warm:until=screen"
    func estimate(_ isWholeFile: Bool, at records: Int) -> Estimate? {
      let series = CostSeries.all(
        in: rows("plist", launch, [(1000, 20e6)], isWholeFile: isWholeFile)
          + rows("plist", "load-all", [(100, 1e6), (1000, 10e6), (10_000, 130e6)], isWholeFile: isWholeFile))
      return Estimate(launch: series[0], loading: series[1], at: records)
    }
    let larger = try #require(estimate(true, at: 10_000))
    #expect(abs(larger.time / 260e6 - 1) < 1e-9)
    #expect(larger.basis == .loading(from: 1000) && larger.isExtrapolated)
    #expect(larger.interval.map { $0.low < 260e6 && 260e6 < $0.high } == true)
    #expect(larger.cells == "plist/launch-warm:until=screen/1000/- plist/load-all/*/-")
    // What was measured stays, smaller sizes are bounded by it, and a database need not read everything.
    #expect(estimate(true, at: 1000)?.basis == .measured)
    #expect(estimate(true, at: 500)?.basis == .atMost(1000))
    #expect(estimate(false, at: 10_000)?.basis == .atLeast(1000, factor: 10))
  }

  @Test func `the command to measure it is of the program that made the run, and keeps its backends`() {
    let run = model()
    var plan = run.plan
    plan.command = ["/opt/my tools/our-bench", "run", "-b", "sqlite,lmdb"]
    let model = ReportModel(
      directory: run.directory, plan: plan, environment: run.environment, rows: run.rows, trials: run.trials)
    let measure = advice(50_000, 10, of: model).measure ?? ""
    #expect(measure.hasPrefix("our-bench run -b \(plan.backendNames.joined(separator: ",")) -w save-one"))
    #expect(advice(50_000, 10, of: run).measure?.contains(" -b ") == false)
  }

  @Test func `commands that are shown are read back by a shell`() {
    var plan = SampleRun.plan
    plan.command = [
      "storage-bench", "run", "--label", "a|b", "-o", "my runs/it's", "-b", "sqlite:journal=wal,lmdb", "-w", "*",
    ]
    #expect(
      plan.commandLine
        == #"storage-bench run --label 'a|b' -o 'my runs/it'\''s' -b sqlite:journal=wal,lmdb -w '*'"#)
  }

  @Test func `reads that were not measured are a caveat, and other record sizes too`() {
    let advice = Advice(AppDescription(records: 1000, readsPerSave: 5, recordBytes: 4000), by: model(reads: [:]))
    #expect(advice.caveats.contains("Reads were not measured: the ranks are those of saving alone."))
    #expect(advice.caveats.contains { $0.hasPrefix("The run's records have 100 bytes, not 4,000; ") })
    #expect(advice.obstacle?.contains("which do not tell what records of 4,000 bytes cost") == true)
    for bytes in [50, 100, 200, nil] {
      let app = AppDescription(records: 1000, readsPerSave: 5, recordBytes: bytes)
      #expect(Advice(app, by: model(reads: [:])).obstacle == nil)
    }
    #expect(
      Advice(AppDescription(records: 1000, readsPerSave: 5, recordBytes: 49), by: model(reads: [:])).obstacle != nil)
    #expect(advice.measure?.hasSuffix("-n 1000 --record-bytes 4000") == true)
  }
}
