import CStorageInstrument
import Foundation
import StorageContract

/// A task that tries schedules in a child process. A schedule is one order in which two processes use a store.
struct ScheduleTask: ChildTask {
  private let subject: CheckedBackend
  private let history: String
  private let base: [Int]
  private let directory: String
  private let limit: Int
  private let seed: UInt64
  private let crashCase: CrashCase
  /// Whether the task searches for a shorter case with the same verdict on the store. Otherwise, it tries orders of the
  /// system calls of two processes, until the backend breaks a guarantee.
  private let shortens: Bool
  private let processor: Int
  /// The path of the directory to which the store is copied after two processes have used the store; nil for no copy.
  private let leaving: String?

  /// The minimum timeout, in seconds, of a child process that runs one crash-test case.
  private static let secondsOfAPair = 120
  /// The timeout, in seconds, of each process that uses the store, unless the crash test has a shorter one.
  private static let secondsOfASchedule = 10

  init(
    _ trials: CrashTrials, _ crashCase: CrashCase, shortens: Bool = false, processor: Int = 0, leaving: String? = nil
  ) {
    (subject, history, base) = (trials.subject, trials.historyFile, trials.allSaves)
    (directory, limit, seed) = ("\(trials.directory)/schedules-\(processor)", trials.limit, trials.seed)
    (self.crashCase, self.shortens, self.processor, self.leaving) = (crashCase, shortens, processor, leaving)
  }

  /// Runs the task in a new child process.
  func result() throws -> ExploredSchedules {
    let directories = ChildDirectories(directory: directory)
    try? FileManager.default.removeItem(atPath: directory)
    try directories.make()
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let ending = try ChildLaunch(directories: directories, limit: max(limit, Self.secondsOfAPair)).perform(self)
    if let explored = ending.answer(ExploredSchedules.self) { return explored }
    throw CrashTestError("the schedules of \(subject.name) cannot be tried: \(ending.obstacle ?? ending.sentence)")
  }

  func perform(in child: ChildProcess) throws {
    // Pinned before any fork, so that both processes of a schedule share the processor.
    ci_schedule_prepare(UInt32(processor))
    child.confineBeforeForks()
    let history = try StoredHistory(reading: history).history
    let run = try ScheduleRun(
      subject, history, base: base, in: child.directories.store, limit: min(limit, Self.secondsOfASchedule))
    var search = ScheduleSearch(run: run, seed: seed, locks: crashCase["lock"] == "yes")
    let explored = try shortens ? search.smallest(crashCase) : search.explore(crashCase)
    // The directory of the store contains the files that the last run of the two processes left.
    if let leaving { try DirectoryFiles.replace(leaving, by: run.environment.directory) }
    child.answer(explored)
  }
}

/// The results of one crash-test case. The case tries one or more schedules: orders in which two processes use a store.
struct ExploredSchedules: Codable {
  var schedules = 0
  /// Whether the planned switch from one process to the other occurred. False if the first process makes too few calls.
  var isReached = true
  /// The largest number of system calls and memory accesses that the two processes made in one run.
  var points = 0
  /// The first finding that breaks a guarantee of the backend, such as a lost save; nil if there is none.
  var found: CrashFinding?
  /// The number of flaws, such as lost saves, that break no guarantee of the backend.
  var permitted = 0
  var firstPermitted: CrashFinding?
}

/// A search for an order of the system calls of two processes in which the backend breaks a guarantee. Tries kills or
/// switches at many calls, or random orders (probabilistic concurrency testing: Burckhardt et al., ASPLOS 2010).
struct ScheduleSearch {
  let run: ScheduleRun
  let seed: UInt64
  let locks: Bool
  fileprivate var explored = ExploredSchedules()

  /// The number of random schedules (orders of the calls of two processes) to try for each crash-test case.
  private static let drawn = 20
  /// The number of random schedules (orders of the calls of two processes) to try for each crash-test case with a power
  /// cut.
  private static let drawnWithCuts = 4
  /// The time limit of the search for a shorter crash-test case. The child process has a longer timeout.
  private static let shortening = Duration.seconds(60)

  /// Tries the order of calls that a case names, or many orders until the backend breaks a guarantee.
  mutating func explore(_ crashCase: CrashCase) throws -> ExploredSchedules {
    let programs = try ScheduledPrograms(crashCase)
    if let plan = try SchedulePlan(crashCase) {
      _ = try attempt(programs, plan)
      explored.isReached = plan.lengths.first.map { $0 <= run.made(by: plan.first) } ?? true
    } else {
      let event = try SchedulePlan.event(crashCase)
      if try !all(programs, event), event == .waits { _ = try drawPriorities(programs, event) }
    }
    return explored
  }

  private mutating func attempt(_ programs: ScheduledPrograms, _ plan: SchedulePlan) throws -> Bool {
    explored.schedules += 1
    let flaw = try run.perform(programs, plan, locks: locks)
    explored.points = max(explored.points, run.points.count)
    if let flaw { return add(flaw, programs, plan) }
    guard plan.event == .cut else { return false }
    let cuts = try run.cutPower(plan.cut, of: plan.crashCase(programs), seed: seed)
    explored.schedules += cuts.states - 1
    return cuts.flaws.reduce(false) { isBroken, found in
      var plan = plan
      plan.cut = found.cut
      return add(found.flaw, programs, plan, found.sentence) || isBroken
    }
  }

  /// Adds a flaw of the store, such as a lost save, to the results. Returns whether the flaw breaks a guarantee of the
  /// backend.
  private mutating func add(
    _ flaw: CrashFlaw, _ programs: ScheduledPrograms, _ plan: SchedulePlan, _ call: String = ""
  ) -> Bool {
    let crashCase = plan.crashCase(programs)
    let found = CrashFinding(
      crashCase: locks ? crashCase.with("lock", "yes") : crashCase, verdict: flaw.verdict, isBroken: flaw.isBroken,
      expected: "all acknowledged saves of both processes, whole", found: flaw.found, call: call, columns: run.story)
    if flaw.isBroken {
      explored.found = found
    } else {
      explored.permitted += 1
      explored.firstPermitted = explored.firstPermitted ?? found
    }
    return flaw.isBroken
  }

  /// Repeats a test with a switch or another event, such as a kill of one process, each time at another system call or
  /// memory access. Returns whether the backend broke a guarantee.
  private mutating func eachPoint(_ programs: ScheduledPrograms, _ event: SchedulePlan.Event) throws -> Bool {
    for first in 0..<2 {
      var number: Int? = 0
      while let points = number {
        if try attempt(programs, SchedulePlan(first: first, lengths: [points], event: event)) { return true }
        if event == .killed {
          // A kill may matter at every call or access that the process reaches; a switch, only at some.
          number = run.made(by: first) == points ? points + 1 : nil
        } else {
          number = run.next(first, points)
        }
      }
    }
    return false
  }

  private mutating func drawPriorities(_ programs: ScheduledPrograms, _ event: SchedulePlan.Event) throws -> Bool {
    // The moments in the last run at which a switch from one process to the other was possible.
    let points = max(2, run.points.count { $0.is_point != 0 })
    var random = SeededRandom(seed: programs.description.utf8.reduce(seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 })
    for _ in 0..<(event == .cut ? Self.drawnWithCuts : Self.drawn) {
      let changes = [random.number(1...points), random.number(1...points)].sorted()
      let lengths = [changes[0], changes[1] - changes[0]]
      if try attempt(programs, SchedulePlan(first: random.number(0...1), lengths: lengths, event: event)) {
        return true
      }
    }
    return false
  }

  // MARK: - Shortening

  private mutating func all(_ programs: ScheduledPrograms, _ event: SchedulePlan.Event) throws -> Bool {
    guard event == .cut else { return try eachPoint(programs, event) }
    // The length of this schedule gives the range of the random switches.
    _ = try run.perform(programs, SchedulePlan(first: 0, lengths: []), locks: locks)
    return try drawPriorities(programs, event)
  }

  /// Searches for a case with the same verdict and fewer steps or fewer switches between the two processes.
  mutating func smallest(_ crashCase: CrashCase) throws -> ExploredSchedules {
    var programs = try ScheduledPrograms(crashCase)
    guard var plan = try SchedulePlan(crashCase), try attempt(programs, plan), var best = explored.found else {
      return explored
    }
    let end = ContinuousClock.now + Self.shortening
    // A power cut is named by steps of a log, which are different for other programs.
    plan.cut = nil
    var isShorter = true
    while isShorter {
      isShorter = false
      // The present switches are tried first, because they often still cause the failure after a step is removed.
      for triesAll in [false, true] where !isShorter {
        for fewer in programs.shorter where ContinuousClock.now < end {
          guard try triesAll ? all(fewer, plan.event) : attempt(fewer, plan), let found = explored.found,
            found.verdict == best.verdict
          else { continue }
          (best, programs, isShorter) = (found, fewer, true)
          plan = try SchedulePlan(found.crashCase) ?? plan
          plan.cut = nil
          break
        }
      }
    }
    if let lengths = try SchedulePlan(best.crashCase)?.lengths, lengths.count > 1, plan.event != .cut,
      try eachPoint(programs, .waits),
      let found = explored.found, found.verdict == best.verdict
    {
      best = found
    }
    // The best schedule runs again, because the story and the store are those of the last schedule.
    if let plan = try SchedulePlan(best.crashCase), try attempt(programs, plan) { best = explored.found ?? best }
    explored.found = best
    return explored
  }
}
