import Foundation
import StorageRunFiles
import Testing

@testable import StorageBench
@testable import StorageTrial

@Suite struct RunnerTests: ScriptedRuns {
  let directory = TemporaryDirectory()
  let observer = EventList()

  @Test(arguments: [(60_000_000.0, [false, true, true]), (40_000_000.0, [false, false, false])])
  func whatIsKnownToBeSlowIsNotWarmedUpAgain(nanoseconds: Double, expected: [Bool]) async throws {
    let launcher = ScriptedLauncher { .answered(.ordinary($0, nanoseconds: nanoseconds, operations: 1)) }
    #expect(try await run(plan(["a"]), launcher))
    #expect(launcher.launches.filter { $0.task == .timed }.map(\.isSlow) == expected)
  }

  @Test func roundsAreInterleavedAndCountsComeAfterTheFirst() async throws {
    let plan = plan()
    let launcher = ScriptedLauncher()
    #expect(try await run(plan, launcher))
    let all = plan.cells.map(\.cell.name)
    let trials = try trials()
    #expect(
      trials.map(\.pass) == Array(repeating: .timed, count: 3) + Array(repeating: .cost, count: 3)
        + Array(repeating: .timed, count: 6))
    #expect(trials.filter { $0.pass == .timed }.map { $0.round! } == [1, 1, 1, 2, 2, 2, 3, 3, 3])
    #expect(trials.filter { $0.pass == .timed }.map { $0.position! } == [1, 2, 3, 1, 2, 3, 1, 2, 3])
    for round in 1...3 {
      let cells = trials.filter { $0.round == round }.map(\.cell.name)
      #expect(Set(cells) == Set(all))
      let order = plan.order(round: round)
      #expect(cells == order.map { all[$0] })
    }
    #expect(trials.allSatisfy { $0.status == .ok })
  }

  /// Counts and the first round have the plan's seed. All cells of a round have the same stream.
  @Test func eachRoundHasADifferentOperationStream() async throws {
    let launcher = ScriptedLauncher()
    let plan = plan(["a", "b"])
    #expect(try await run(plan, launcher))
    func streams(_ launches: [ScriptedLauncher.Launch]) -> [UInt64?] {
      launches.filter { $0.task == .timed }.map(\.stream)
    }
    let found = streams(launcher.launches)
    #expect(found.count == 6 && found[0] == nil && found[1] == nil)
    #expect(found[2] == found[3] && found[4] == found[5])
    #expect(Set(found).count == 3)
    #expect(launcher.launches.filter { $0.task != .timed }.allSatisfy { $0.stream == nil })
    // A resumed run continues with the streams of the missing rounds.
    let lines = try Data(contentsOf: directory.run.trialsURL).split(separator: 0x0A)
    try Data(lines.dropLast(3).map { $0 + [0x0A] }.joined()).write(to: directory.run.trialsURL)
    let second = ScriptedLauncher()
    #expect(try await run(plan, second))
    #expect(streams(second.launches) == Array(found.suffix(3)))
  }

  /// A run that began before rounds had separate streams is finished with one stream.
  @Test func anOlderPlanKeepsItsOneStream() async throws {
    var object = try #require(
      try JSONSerialization.jsonObject(with: JSONEncoder().encode(plan(["a"]))) as? [String: Any])
    #expect(object.removeValue(forKey: "streamPerRound") != nil)
    let old = try JSONDecoder().decode(Plan.self, from: JSONSerialization.data(withJSONObject: object))
    #expect(old.streamPerRound == nil)
    let launcher = ScriptedLauncher()
    #expect(try await run(old, launcher))
    #expect(launcher.launches.count { $0.task == .timed } == 3 && launcher.launches.allSatisfy { $0.stream == nil })
  }

  @Test func whatIsNotSteadyIsTimedOnceMoreForLonger() async throws {
    let launcher = ScriptedLauncher { request in
      var response = TrialResponse.ordinary(request)
      // One cell becomes slower within each trial, even within longer ones.
      response.timing?.halves = "\(request.cell.backend)" == "page:size=97" ? 1.2 : 1.01
      return .answered(response)
    }
    var plan = plan(["a", "b"])
    plan.rounds = 6
    #expect(try await run(plan, launcher))
    let timed = try trials().filter { $0.pass == .timed }
    #expect(timed.count == 18)
    #expect(timed.prefix(12).allSatisfy { $0.lengthened == nil })
    #expect(timed.suffix(6).allSatisfy { $0.lengthened == true && "\($0.cell.backend)" == "page:size=97" })
    #expect(timed.suffix(6).map(\.round) == [1, 2, 3, 4, 5, 6])
    let times = launcher.launches.filter { $0.task == .timed }.map(\.trialTime)
    #expect(times.prefix(12).allSatisfy { $0 == plan.trialTime })
    #expect(times.suffix(6).allSatisfy { $0 == min(4 * plan.trialTime, Plan.longestRepeat) })
    // Running a complete run again adds nothing.
    #expect(try await run(plan, launcher))
    #expect(try trials().count { $0.pass == .timed } == 18)
  }

  @Test func trialsAreLengthenedUpToFourTimesAndToALimit() {
    var planned = PlannedCell.sample("page", "save-one", records: 10)
    var plan = Plan(rounds: 6, trialTime: 20_000_000, cells: [planned])
    #expect(plan.trialTime(planned) == 20_000_000 && plan.trialTime(planned, isLengthened: true) == 80_000_000)
    planned.keepsLog = true
    #expect(plan.trialTime(planned) == 20_000_000)
    plan.logTrialTime = 120_000_000
    #expect(plan.trialTime(planned) == 60_000_000)
    planned.level = .durable
    #expect(plan.trialTime(planned) == 120_000_000 && plan.trialTime(planned, isLengthened: true) == 200_000_000)
    plan.trialTime = 500_000_000
    #expect(plan.trialTime(planned) == 500_000_000 && plan.trialTime(planned, isLengthened: true) == 500_000_000)
  }

  @Test func timedTrialsRunAlone() async throws {
    let launcher = ScriptedLauncher(duration: 3_000_000)
    try await run(plan(["a", "b", "c", "d", "e"]), launcher)
    for launch in launcher.launches {
      switch launch.task {
      case .timed:
        #expect(launch.besideClock == [])
        #expect(launch.beside.allSatisfy { $0 == .timed })
        #expect(launch.beside.count < Parallelism.besideNoClock)
      case .cost, .verify:
        #expect(!launch.beside.contains(.timed))
        #expect(launch.beside.count { $0 == .cost } <= (launch.task == .cost ? 2 : 3))
        #expect(launch.beside.count { $0 == .verify } <= (launch.task == .verify ? 0 : 1))
      default: #expect(!launch.beside.contains(.timed))
      }
    }
    // While no clock runs, trials overlap.
    #expect(launcher.launches.contains { $0.beside == [.timed] })
    // Cost passes overlap, too, with at most one verification.
    #expect(launcher.launches.contains { $0.task == .cost && $0.beside == [.cost] })
  }

  /// Trials do not wait for one that takes long to prepare. It is timed when it is prepared.
  @Test func whoTakesLongToPrepareIsPaused() async throws {
    let launcher = ScriptedLauncher { .answered(.ordinary($0)) }
    launcher.slow = { $0.cell.name.contains("size=98") ? 200_000_000 : 1_000_000 }
    #expect(try await run(plan(["a", "b", "c", "d", "e"], rounds: 4), launcher))
    #expect(launcher.pauseCount > 0)
    #expect(launcher.launches.allSatisfy { $0.besideClock?.isEmpty ?? true })
    #expect(launcher.timed.count == 20)
  }

  /// When a clock starts, the trial before is over: its process has exited, its directory is removed, and its line is
  /// in the journal. A trial that fails before its clock starts does not affect the others.
  @Test(arguments: [nil, "size=98"])
  func aClockStartsWhenTheTrialBeforeIsOver(failing: String?) async throws {
    let plan = plan(["a", "b", "c", "d", "e"])
    let launcher = ScriptedLauncher(duration: 2_000_000) { request in
      request.cell.name.contains(failing ?? "none") && request.task == .timed
        ? .killed(signal: 11) : .answered(.ordinary(request))
    }
    let journal = directory.run.trialsURL
    launcher.clockStarts = { request, earlier in
      #expect(earlier.allSatisfy { !FileManager.default.fileExists(atPath: $0) })
      let lines = (try? String(contentsOf: journal, encoding: .utf8))?.split(separator: "\n") ?? []
      #expect(lines.count { $0.contains("\"pass\":\"timed\"") } == earlier.count)
    }
    #expect(try await run(plan, launcher) == (failing == nil))
    #expect(launcher.launches.count { $0.besideClock != nil } == (failing == nil ? 15 : 13))
    #expect(launcher.launches.allSatisfy { $0.besideClock?.isEmpty ?? true })
  }

  @Test func aFixtureIsBuiltOnce() async throws {
    let cells = ["save-one", "read-one", "import"].map { PlannedCell.sample("page", $0) } + [.sample(records: 200)]
    let launcher = ScriptedLauncher()
    try await run(plan(cells), launcher)
    #expect(launcher.launches.filter { $0.task == .fixture }.map(\.cell.records).sorted() == [100, 200])
    #expect(launcher.launches.filter { $0.task == .fixture }.allSatisfy { $0.cell.durability == nil })
  }

  @Test(arguments: [false, true])
  func theLimitOfACellIsForWhatIsTimed(once: Bool) async throws {
    let launcher = ScriptedLauncher()
    try await run(plan(["a"], rounds: 2, once: once), launcher)
    for launch in launcher.launches {
      #expect(launch.limit == (launch.task == .timed ? .duration(1_000_000_000) : .usualSilence), "\(launch.task)")
    }
    #expect(Set(launcher.launches.map(\.task)) == (once ? [.fixture, .once] : [.fixture, .timed, .cost, .verify]))
  }

  @Test func aFailingCellStopsItselfOnly() async throws {
    let plan = plan()
    let launcher = ScriptedLauncher { request in
      request.cell.name == plan.cells[1].cell.name && request.task == .timed
        ? .killed(signal: 11) : .answered(.ordinary(request))
    }
    #expect(try await !run(plan, launcher))
    let failed = try trials().filter { $0.cell == plan.cells[1].cell }
    #expect(failed.count == 1)
    #expect(failed[0].status == .failed)
    #expect(failed[0].note == "killed by signal 11 (SIGSEGV)")
    #expect(failed[0].timing == nil)
    for index in [0, 2] {
      let others = try trials().filter { $0.cell == plan.cells[index].cell }
      #expect(others.count == 4)
      #expect(others.allSatisfy { $0.status == .ok })
    }
  }

  @Test(
    arguments: [
      (LaunchOutcome.killed(signal: 6), "killed by signal 6 (SIGABRT)"),
      (.killed(signal: 9), "killed by signal 9 (SIGKILL)"),
      (.exited(code: 3, errors: "first\nFatal error: x\n"), "ended with exit code 3 and no answer: Fatal error: x"),
      (.exited(code: 0, errors: ""), "ended with exit code 0 and no answer"),
    ], [TrialRequest.Task.timed, .cost, .verify, .fixture])
  func whatHappenedIsSaid(happened: (outcome: LaunchOutcome, note: String), task: TrialRequest.Task) async throws {
    let (outcome, note) = happened
    let launcher = ScriptedLauncher { $0.task == task ? outcome : .answered(.ordinary($0)) }
    try await run(plan(["a"], rounds: 1), launcher)
    let failed = try trials().filter { $0.status == .failed }
    #expect(failed.count == 1)
    #expect(failed.first?.note?.hasSuffix(note) == true, "\(task): \(failed.first?.note ?? "no note")")
    if task == .fixture {
      #expect(failed.first?.note?.hasPrefix("building the store that trials start from: ") == true)
    }
  }

  @Test func silenceIsNamed() {
    #expect(
      LaunchOutcome.exceededLimit.sentence(limit: .silence(2_000_000_000))
        == "was silent for 2.0 s and was killed: no operation ended, nothing was read or written")
  }

  @Test func aTrialThatTellsAFailureFails() async throws {
    let launcher = ScriptedLauncher { request in
      var response = TrialResponse.ordinary(request)
      if request.task == .verify { response.failure = "record 7 is missing" }
      return .answered(response)
    }
    #expect(try await !run(plan(["a"]), launcher))
    let cost = try #require(try trials().first { $0.pass == .cost })
    #expect(cost.status == .failed)
    #expect(cost.note == "record 7 is missing")
    #expect(cost.cost == nil)
    // The failure comes after the first round and ends the cell's rounds.
    #expect(launcher.timed.count == 1)
  }

  /// A full disk is no failure of the backend. If the disk has free space, the backend has failed.
  @Test(arguments: [TrialRequest.Task.timed, .fixture, .cost, .verify], [4 << 20, 400 << 20])
  func `only a disk without room ends the run`(task: TrialRequest.Task, free: Int) async throws {
    let scratch = try Scratch(directory.path + "/scratch")
    for outcome in [LaunchOutcome.full, .killed(signal: SIGBUS), .killed(signal: SIGSEGV)] {
      let launcher = ScriptedLauncher { $0.task == task ? outcome : .answered(.ordinary($0)) }
      let session = RunSession(
        plan: plan(["a"]), directory: directory.run, scratch: scratch, catalog: .page, launcher: launcher)
      let trials = TrialRun(session, freeBytes: { _ in free })
      func run() async throws -> Trial {
        task == .cost || task == .verify
          ? try await trials.verify(trials.count(0)) : try await trials.run(0, .timed, round: 1, position: 1)
      }
      if free < 32 << 20, outcome != .killed(signal: SIGSEGV) {
        let error = await #expect(throws: FileWriteError.self) { try await run() }
        #expect(
          error?.reason.contains("no space left for \(plan(["a"]).cells[0].cell.name)") == true,
          "\(error?.reason ?? "")")
      } else {
        #expect(try await run().status == .failed)
      }
    }
  }

  @Test func onceIsUntimed() async throws {
    let launcher = ScriptedLauncher()
    #expect(try await run(plan(once: true), launcher))
    #expect(try trials().map(\.pass) == [.once, .once, .once])
    #expect(launcher.launches.allSatisfy { $0.beside.isEmpty })
  }

  @Test func whatTakesTooLongIsTimedOnce() async throws {
    let slow = PlannedCell.sample("page", "save-all")
    let fast = PlannedCell.sample("page", "save-one")
    let launcher = ScriptedLauncher { request in
      request.cell == slow.cell
        ? .answered(.ordinary(request, nanoseconds: 300_000_000, operations: 1)) : .answered(.ordinary(request))
    }
    #expect(try await run(plan([slow, fast]), launcher))
    #expect(launcher.timed.filter { $0 == slow.cell.name }.count == 1)
    #expect(launcher.timed.filter { $0 == fast.cell.name }.count == 3)
    #expect(launcher.launches.count { $0.task == .cost } == 2)
  }

  @Test func whatWouldTakeTooLongIsNotTried() async throws {
    // 100 records take 1 ms and 1,000 take 100 ms, so 10,000 would take 10 s. The limit is 1 s.
    let cells = [100, 1_000, 10_000].map { PlannedCell.sample(records: $0) }
    let launcher = ScriptedLauncher { request in
      let records = Double(request.cell.records)
      return .answered(.ordinary(request, nanoseconds: 100 * records * records))
    }
    #expect(try await run(plan(cells), launcher))
    let skipped = try trials().filter { $0.status == .skipped }
    #expect(skipped.map(\.cell.records) == [10_000])
    #expect(skipped[0].note == "not timed: predicted 10 s an operation, over --cell-limit 1.0 s")
    #expect(!launcher.launches.contains { $0.task == .timed && $0.cell.records == 10_000 })
    // Counts do not depend on time and are still taken.
    #expect(launcher.launches.contains { $0.task == .cost && $0.cell.records == 10_000 })
    #expect(launcher.timed.count == 6)
  }

  @Test func eventsTellTheRun() async throws {
    try await run(plan(["a", "b"], rounds: 2), ScriptedLauncher())
    let events = observer.events
    guard case .began(let start) = events.first else { return #expect(Bool(false), "no beginning") }
    #expect(start.total == 6)
    #expect(start.done == 0)
    var firsts: [String] = []
    var dones: [Int] = []
    for case .ended(let trial, let isFirst, let progress) in events {
      if isFirst { firsts.append(trial.cell.name) }
      dones.append(progress.done)
      #expect(progress.total == 6)
    }
    #expect(Set(firsts).count == 2)
    #expect(firsts.count == 2)
    #expect(dones == Array(1...6))
  }
}

extension LaunchOutcome {
  /// A process that reports a full disk.
  fileprivate static var full: Self {
    var response = TrialResponse()
    (response.failure, response.isFullDisk) = ("no space left: it is full", true)
    return .answered(response)
  }
}
