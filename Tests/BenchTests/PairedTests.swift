import Foundation
import StorageContract
import StorageReport
import StorageRunFiles
import StorageStatistics
import StorageWorkloads
import Testing

@testable import StorageBench

/// A machine whose probes are written down beforehand.
final class ScriptedMachine: MachineSampling, @unchecked Sendable {
  private let loops: [Double]
  private let stolen: Double
  private(set) var taken = 0

  init(_ loops: [Double] = [50e6], stolen: Double = 0) {
    self.loops = loops
    self.stolen = stolen
  }

  func sample() -> ProbeSample {
    defer { taken += 1 }
    return ProbeSample(
      started: Double(taken), loop: loops[taken % loops.count], write: 1e6, steal: stolen * Double(taken) * 100,
      ticks: Double(taken) * 100)
  }
}

@Suite struct PairedTests {
  private let place: TemporaryDirectory
  private let catalog = Catalog(backends: [PageBackend.self], workloads: Workloads.all)

  init() throws { place = try TemporaryDirectory() }

  /// Who ran what, in order.
  private final class Log: @unchecked Sendable {
    struct Entry: Equatable {
      var isHead: Bool
      var cell: String
    }
    private let lock = NSLock()
    private var list: [Entry] = []
    var entries: [Entry] { lock.withLock { list } }
    func add(_ entry: Entry) -> Int {
      lock.withLock {
        list.append(entry)
        return list.count
      }
    }
  }

  private let log = Log()

  private func names(_ plan: PairedPlan) -> [String] { plan.head.cells.map(\.cell.name) }

  private func plan(_ backends: [String] = ["a", "b", "c", "d"], rounds: Int? = nil) -> PairedPlan {
    let plan = Plan(rounds: 12, cells: backends.map { PlannedCell.sample("page", "save-one").named($0) })
    var paired = PairedPlan(base: plan, head: plan)
    paired.rounds = rounds
    return paired
  }

  /// Runs a plan; each side's operations take what the test says, in nanoseconds.
  private func run(
    _ plan: PairedPlan, margins: [String] = [], inject: String? = nil, machine: ScriptedMachine = ScriptedMachine(),
    judgesCounts: Bool = true, syncs: Int = 0, headSyncs: Int? = nil,
    time: @escaping @Sendable (_ isHead: Bool, _ cell: String, _ launch: Int) throws -> Double
  ) async throws -> Comparison {
    let log = log
    func side(_ name: String, isHead: Bool, _ plan: Plan) throws -> PairedSide {
      let directory = RunDirectory(path: "\(place.path)/\(name)")
      try FileManager.default.createDirectory(at: directory.url, withIntermediateDirectories: true)
      try directory.begin(plan, MachineEnvironment(machine: "m"))
      let launcher = ScriptedLauncher { request in
        var response = TrialResponse.ordinary(request)
        if request.task == .cost { response.cost?.syncs = isHead ? headSyncs ?? syncs : syncs }
        if request.task == .cost { response.cost?.syncsSettled = isHead ? headSyncs ?? syncs : syncs }
        guard request.task == .timed else { return .answered(response) }
        let launch = log.add(.init(isHead: isHead, cell: request.cell.name))
        let nanoseconds = try time(isHead, request.cell.name, launch) * (1 + (request.slowdown ?? 0))
        response.timing = .sample(nanoseconds)
        return nanoseconds < 0 ? .killed(signal: 11) : .answered(response)
      }
      return PairedSide(
        plan: plan, directory: directory, scratch: try Scratch("\(place.path)/scratch-\(name)", isOwn: true),
        launcher: launcher)
    }
    let base = try side("base", isHead: false, plan.base)
    let head = try side("head", isHead: true, plan.head)
    let control = RunDirectory(path: "\(place.path)/control")
    try FileManager.default.createDirectory(at: control.url, withIntermediateDirectories: true)
    let names = names(plan)
    let measurements = try await PairedRunner(
      plan: plan, catalog: catalog, base: base, head: head, control: control,
      margins: try Margins(margins, names: names),
      slowdowns: try inject.map { try Injection($0, names: names).slowdowns(names) } ?? [:], sampler: machine,
      observer: EventList()
    ).run()
    return try PairedGate(
      plan: plan, measurements: measurements, base: ReportModel(reading: base.directory),
      head: ReportModel(reading: head.directory), names: ("base", "head"), judgesCounts: judgesCounts,
      subject: plan.confirms ? .pairs : .noise
    ).comparison()
  }

  /// A little noise that repeats itself.
  private static func noise(_ launch: Int) -> Double { 1 + Double(launch * 7 % 11 - 5) / 1_000 }

  @Test func thingsThatAreTheSameAreCalledTheSame() async throws {
    let plan = plan()
    let comparison = try await run(plan) { _, _, launch in 1_000 * Self.noise(launch) }
    #expect(comparison.judgements.map(\.verdict) == Array(repeating: .same, count: 4))
    #expect(comparison.judgements.allSatisfy { $0.time?.pairs == 12 && $0.time?.isConfirmed == false })
    #expect(comparison.status() == ExitStatus.ok)
    #expect(comparison.method?.control.count == 3)
    // Four cells and three controls, in pairs, once.
    #expect(log.entries.count == 12 * 2 * 7)
    #expect(log.entries.count { $0.isHead } == 12 * 4)
  }

  @Test func theSidesOfAPairRunBackToBackInBalancedOrder() async throws {
    _ = try await run(plan(rounds: 12)) { _, _, launch in 1_000 * Self.noise(launch) }
    var basesFirst: [String: Int] = [:]
    var rounds: [String: Int] = [:]
    let entries = log.entries
    for pair in stride(from: 0, to: entries.count, by: 2) {
      #expect(entries[pair].cell == entries[pair + 1].cell)
      guard entries[pair].isHead || entries[pair + 1].isHead else { continue }
      #expect(entries[pair].isHead != entries[pair + 1].isHead)
      rounds[entries[pair].cell, default: 0] += 1
      if !entries[pair].isHead { basesFirst[entries[pair].cell, default: 0] += 1 }
    }
    #expect(rounds.values.allSatisfy { $0 == 12 })
    #expect(basesFirst.values.allSatisfy { $0 == 6 })
    // Rounds are shuffled: their first cells differ.
    #expect(Set((0..<12).map { entries[$0 * 14].cell }).count > 1)
  }

  @Test func whatIsSlowerIsMeasuredAgainAndNamed() async throws {
    let plan = plan()
    let slow = names(plan)[1]
    let comparison = try await run(plan) { isHead, cell, launch in
      1_000 * Self.noise(launch) * (isHead && cell == slow ? 1.2 : 1)
    }
    #expect(comparison.judgements(.slower).map(\.name) == [slow])
    #expect(comparison.judgements(.same).count == 3)
    #expect(comparison.status() == ExitStatus.regression)
    let time = try #require(comparison.judgements[1].time)
    #expect(time.isConfirmed)
    #expect(time.pairs == 12)
    #expect(abs(time.ratio - 1.2) < 0.02)
    // Only the suspect ran twice.
    #expect(log.entries.count { $0.isHead && $0.cell == slow } == 24)
    #expect(log.entries.count { $0.isHead } == 12 * 5)
    // The journal has both stages, and no round twice.
    var rounds: [Int] = []
    _ = try RunDirectory(path: "\(place.path)/head").trials.forEach { trial in
      if trial.cell.name == slow, let round = trial.round { rounds.append(round) }
    }
    #expect(rounds == Array(1...24))
  }

  @Test func aSuspicionThatIsNotConfirmedIsDropped() async throws {
    let plan = plan()
    let name = names(plan)[2]
    let log = log
    let comparison = try await run(plan) { isHead, cell, launch in
      let past = log.entries.count { $0.isHead && $0.cell == name }
      return 1_000 * Self.noise(launch) * (isHead && cell == name && past <= 12 ? 1.3 : 1)
    }
    #expect(comparison.judgements.allSatisfy { $0.verdict == .same })
    // The figure that is shown is that of the second stage.
    #expect(comparison.judgements[2].time?.isConfirmed == true)
    #expect(abs((comparison.judgements[2].time?.ratio ?? 0) - 1) < 0.02)
    #expect(comparison.status() == ExitStatus.ok)
  }

  @Test func fasterIsNoReasonToFail() async throws {
    let comparison = try await run(plan()) { isHead, _, launch in 1_000 * Self.noise(launch) * (isHead ? 0.8 : 1) }
    #expect(comparison.judgements(.faster).count == 4)
    #expect(comparison.status() == ExitStatus.ok)
  }

  @Test func marginsHoldForTheirCells() async throws {
    let plan = plan()
    let names = names(plan)
    let comparison = try await run(plan, margins: ["30%@\(names[0])", "8"]) { isHead, _, launch in
      1_000 * Self.noise(launch) * (isHead ? 1.1 : 1)
    }
    // The last one that matches holds for all.
    #expect(comparison.judgements(.slower).count == 4)
    let second = try await PairedTests().run(plan, margins: ["8%", "30%@\(names[0])"]) { isHead, _, launch in
      1_000 * Self.noise(launch) * (isHead ? 1.1 : 1)
    }
    #expect(second.judgements(.slower).map(\.name) == Array(names.dropFirst()))
    #expect(second.judgements[0].time?.margin == 0.3)
  }

  @Test func aDrillSlowsTheHeadOfItsCellsOnly() async throws {
    let plan = plan()
    let target = names(plan)[3]
    let comparison = try await run(plan, inject: "1.2@\(target)") { _, _, launch in 1_000 * Self.noise(launch) }
    #expect(comparison.judgements(.slower).map(\.name) == [target])
    #expect(comparison.judgements(.same).count == 3)
  }

  @Test func syncingCellsGetTwentyPairs() async throws {
    let comparison = try await run(plan(["a"]), syncs: 10) { _, _, launch in 1_000 * Self.noise(launch) }
    #expect(comparison.judgements[0].time?.pairs == 20)
    #expect(comparison.method?.syncingRounds == 20)
  }

  @Test func anUnfitMachineJudgesNoTime() async throws {
    for machine in [ScriptedMachine([50e6, 90e6, 60e6, 120e6]), ScriptedMachine(stolen: 0.2)] {
      let comparison = try await PairedTests().run(plan(), machine: machine) { isHead, _, launch in
        1_000 * Self.noise(launch) * (isHead ? 1.5 : 1)
      }
      #expect(comparison.judgements(.unmeasurable).count == 4)
      #expect(comparison.method?.unfit != nil)
      #expect(comparison.status() == ExitStatus.unjudged)
      #expect(comparison.status(passesUnjudged: true) == ExitStatus.ok)
    }
  }

  @Test func probesAreTakenBeforeBetweenAndAfterRounds() async throws {
    let machine = ScriptedMachine()
    _ = try await run(plan(["a"], rounds: 6), machine: machine) { _, _, launch in 1_000 * Self.noise(launch) }
    #expect(machine.taken == 7)
  }

  @Test func aControlThatDiffersFromItselfJudgesNoTime() {
    let judged = PairedGateSample.flagged(plan(["a"]), place)
    #expect(judged.method?.unfit?.contains("differ from itself") == true)
    #expect(judged.judgements(.unmeasurable).count == 1)
    #expect(judged.status() == ExitStatus.unjudged)
  }

  @Test func countsOfTwoBuildsAreJudgedEvenOnAnUnfitMachine() async throws {
    let comparison = try await run(
      plan(["a"]), machine: ScriptedMachine(stolen: 0.5), syncs: 1, headSyncs: 2
    ) { _, _, launch in 1_000 * Self.noise(launch) }
    #expect(comparison.judgements(.more).count == 1)
    #expect(comparison.status() == ExitStatus.regression)
    // Two backends differ in theirs by nature.
    let backends = try await PairedTests().run(plan(["a"]), judgesCounts: false, syncs: 1, headSyncs: 2) {
      _, _, launch in
      1_000 * Self.noise(launch)
    }
    #expect(backends.judgements.map(\.verdict) == [.same])
    #expect(backends.status() == ExitStatus.ok)
  }

  @Test func whoFailsIsSaid() async throws {
    let plan = plan(["a", "b"])
    let names = names(plan)
    let head = try await run(plan) { isHead, cell, launch in
      isHead && cell == names[0] ? -1 : 1_000 * Self.noise(launch)
    }
    #expect(head.judgements.map(\.verdict) == [.failed, .same])
    #expect(head.status() == ExitStatus.failed)
    let base = try await PairedTests().run(plan) { isHead, cell, launch in
      !isHead && cell == names[0] ? -1 : 1_000 * Self.noise(launch)
    }
    #expect(base.judgements[0].verdict == .unmeasurable)
    #expect(base.judgements[0].note.hasPrefix("the base failed: killed by signal 11"))
    #expect(base.status() == ExitStatus.unjudged)
  }

  @Test func noiseTellsTheSmallestSlowdownAndNoVerdict() async throws {
    var plan = plan(["a"])
    plan.confirms = false
    plan.controls = 0
    let comparison = try await run(plan) { isHead, _, launch in 1_000 * Self.noise(launch) * (isHead ? 1.2 : 1) }
    #expect(comparison.judgements[0].verdict == .same)
    #expect((comparison.judgements[0].time?.smallestTold ?? 0) >= 0.2)
    #expect(comparison.notes.contains { $0.contains("--margin 2") })
    #expect(log.entries.count == 24)
  }

  @Test func budgetsGiveEightToTwentyPairs() {
    let plan = plan()
    #expect(plan.rounds(within: 1_000_000) == 8)
    #expect(plan.rounds(within: 3_600_000_000_000) == 20)
    let middle = (1...200).map { plan.rounds(within: Int64($0) * 500_000_000) }
    #expect(Set(middle) == [8, 10, 12, 14, 16, 18, 20])
    #expect(middle == middle.sorted())
  }

  @Test func marginsAndFactorsAreReadWithCare() throws {
    let names = ["sqlite/save-one/1000/shipped", "lmdb/read-one/1000/-"]
    let margins = try Margins(["7.5%", "12%@lmdb/*"], names: names)
    #expect(margins.share(names[0]) == 0.075)
    #expect(margins.share(names[1]) == 0.12)
    #expect(try Margins([], names: names).share(names[0]) == 0.05)
    for text in ["", "x", "0", "-5", "5%@plist/*", "5 percent", "1e3", "nan"] {
      #expect(throws: UsageError.self, "\(text)") { try Margins([text], names: names) }
    }
    #expect(try Injection("1.2@sqlite/*", names: names).slowdowns(names).keys.sorted() == [0])
    #expect(abs((try Injection("1.2", names: names).slowdowns(names)[1] ?? 0) - 0.2) < 1e-12)
    for text in ["1", "0.5", "x", "1.2@plist*", "inf", "101"] {
      #expect(throws: UsageError.self, "\(text)") { try Injection(text, names: names) }
    }
  }
}

/// A comparison whose control has raised a false alarm.
private enum PairedGateSample {
  static func flagged(_ plan: PairedPlan, _ place: TemporaryDirectory) -> Comparison {
    func cellResult(_ ratio: Double) -> PairedMeasurements.CellResult {
      let pairs = (0..<12).map { (base: 1_000.0, head: 1_000 * ratio + Double($0)) }
      guard let stage = PairedStage(pairs: pairs, margin: 0.05, resolution: 2) else { return .init(index: 0) }
      return PairedMeasurements.CellResult(
        index: 0, verdict: PairedVerdict(first: stage, second: stage),
        change: TimeChange(
          base: 1_000, head: 1_000 * ratio, ratio: ratio, low: ratio, high: ratio, pairs: 12, margin: 0.05))
    }
    let samples = (0..<13).map { ProbeSample(started: Double($0), loop: 50e6, write: 1e6) }
    let measurements = PairedMeasurements(cells: [cellResult(1.3)], control: [cellResult(1.3)], samples: samples)
    let row = SummaryRow(
      cell: plan.head.cells[0].cell, machine: "m", run: "r", level: .intact, engineVersion: "1", fidelity: .native,
      seed: 1)
    let model = ReportModel(
      directory: place.run, plan: plan.head, environment: MachineEnvironment(machine: "m"), rows: [row], trials: 1)
    return PairedGate(
      plan: plan, measurements: measurements, base: model, head: model, names: ("base", "head"), judgesCounts: true,
      subject: .pairs
    ).comparison()
  }
}
