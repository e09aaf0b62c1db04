import CStorageInstrument
import Foundation
import StorageContract

/// A task that tries schedules in a child process. A schedule is one order in which two processes use a store.
struct ScheduleTask: ChildTask {
  enum Work: String, Codable {
    /// A search for a schedule (an order of the calls of two processes) that breaks a promise of the backend.
    case search
    /// A search for a shorter case that has the same verdict as a given case.
    case shorten
  }

  var work: Work
  var subject: CheckedBackend
  var history: String
  var base: [Int]
  var crashCase: CrashCase
  var seed: UInt64
  var processor: Int
  /// The path of the directory to which the store is copied after two processes have used the store; nil for no copy.
  var leaving: String?
  var limit: Int

  func perform(in child: ChildProcess) {
    do {
      // Pinned before any fork, so that both processes of a schedule share the processor.
      ci_schedule_prepare(UInt32(processor))
      try child.confineBeforeForks()
      let history = try StoredHistory(reading: history).history
      let run = try ScheduleRun(subject, history, base: base, in: child.directories.store, limit: limit)
      var search = ScheduleSearch(run: run, seed: seed)
      let explored = try work == .search ? search.explore(crashCase) : search.smallest(crashCase)
      if let leaving { try run.leave(in: leaving) }
      child.answer(ScheduleAnswer(explored: explored))
    } catch {
      child.answer(ScheduleAnswer(obstacle: "\(error)"))
    }
  }
}

struct ScheduleAnswer: Codable {
  /// The results of all schedules that were tried for one case. A schedule is one order in which two processes use a
  /// store.
  struct Explored: Codable {
    var schedules = 0
    /// Whether the first process reached the switch that the case asks for, such as after 5 calls and accesses with
    /// `points=5`.
    var isReached = true
    /// The largest number of calls and memory accesses that were recorded in one schedule.
    var points = 0
    /// The first schedule that broke a promise, with its flaw; nil if there was none.
    var found: Found?
    /// The number of schedules that left a flaw but broke no promise, such as a lost save of two processes without a
    /// lock.
    var permitted = 0
    var firstPermitted: Found?
  }

  struct Found: Codable {
    var crashCase: CrashCase
    var flaw: ScheduleFlaw
    var story: [String]
    /// A description of the power cut, such as `The power goes after a sync of store.db`; empty if there was none.
    var call = ""
  }

  var obstacle: String?
  /// The results of all schedules that were tried. Nil if an error stopped the task: see ``obstacle``.
  var explored: Explored?
}

/// A search for an order of the calls of two processes that breaks a promise of the backend: kills or switches at each
/// call, and random switches by probabilistic concurrency testing (Burckhardt et al., ASPLOS 2010).
struct ScheduleSearch {
  let run: ScheduleRun
  let seed: UInt64
  private var explored = ScheduleAnswer.Explored()
  private var locks = false

  /// The number of random schedules (orders of the calls of two processes) to try for each case.
  private static let drawn = 20
  /// The number of random schedules (orders of the calls of two processes) to try for each case with a power cut.
  private static let drawnWithCuts = 4
  /// The time limit of the search for a shorter case, less than the timeout of the child process that searches.
  private static let shortening = Duration.seconds(60)

  init(run: ScheduleRun, seed: UInt64) { (self.run, self.seed) = (run, seed) }

  /// Tries the schedule of a case. If the case names no schedule, tries many until the store breaks a promise of the
  /// backend.
  mutating func explore(_ crashCase: CrashCase) throws -> ScheduleAnswer.Explored {
    explored = ScheduleAnswer.Explored()
    let programs = try ScheduledPrograms(crashCase)
    locks = crashCase["lock"] == "yes"
    if let plan = try SchedulePlan(crashCase) {
      _ = try attempt(programs, plan)
      let made = run.points.count { $0.is_point != 0 && Int($0.process) == plan.first }
      explored.isReached = plan.lengths.first.map { $0 <= made } ?? true
    } else {
      let event = try SchedulePlan.event(crashCase)
      if try !all(programs, event), event == .waits { try drawPriorities(programs, Self.drawn) }
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

  /// Adds a flaw of the store, such as a lost save, to the results, and returns whether the flaw breaks a promise.
  private mutating func add(
    _ flaw: ScheduleFlaw, _ programs: ScheduledPrograms, _ plan: SchedulePlan, _ call: String = ""
  ) -> Bool {
    let crashCase = plan.crashCase(programs)
    let found = ScheduleAnswer.Found(
      crashCase: locks ? crashCase.with("lock", "yes") : crashCase, flaw: flaw, story: run.story, call: call)
    if flaw.isBroken {
      explored.found = found
    } else {
      explored.permitted += 1
      explored.firstPermitted = explored.firstPermitted ?? found
    }
    return flaw.isBroken
  }

  private mutating func twoSwitches(_ programs: ScheduledPrograms, _ event: SchedulePlan.Event = .waits) throws -> Bool
  {
    for first in 0..<2 {
      var number: Int? = 0
      while let points = number {
        if try attempt(programs, SchedulePlan(first: first, lengths: [points], event: event)) { return true }
        number = run.next(first, points)
      }
    }
    return false
  }

  /// Tries schedules in which one process is killed, before each of its calls and memory accesses, and the other
  /// continues.
  private mutating func killAtEachPoint(_ programs: ScheduledPrograms) throws -> Bool {
    for first in 0..<2 {
      var (number, made) = (0, 0)
      repeat {
        if try attempt(programs, SchedulePlan(first: first, lengths: [number], event: .killed)) { return true }
        made = run.points.count { $0.is_point != 0 && Int($0.process) == first }
        number += 1
      } while made == number - 1
    }
    return false
  }

  private mutating func cutPower(_ programs: ScheduledPrograms) throws -> Bool {
    // The length of this schedule gives the range of the random switches.
    _ = try run.perform(programs, SchedulePlan(first: 0, lengths: []), locks: locks)
    return try drawPriorities(programs, Self.drawnWithCuts, .cut)
  }

  @discardableResult
  private mutating func drawPriorities(
    _ programs: ScheduledPrograms, _ count: Int, _ event: SchedulePlan.Event = .waits
  ) throws -> Bool {
    let points = max(2, run.pointCount)
    var random = SeededRandom(seed: programs.description.utf8.reduce(seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 })
    for _ in 0..<count {
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
    switch event {
    case .killed: try killAtEachPoint(programs)
    case .cut: try cutPower(programs)
    case .waits, .suspended: try twoSwitches(programs, event)
    }
  }

  /// Searches for a case with the verdict of `crashCase`, but with fewer steps, such as saves, or fewer switches of the
  /// processes.
  mutating func smallest(_ crashCase: CrashCase) throws -> ScheduleAnswer.Explored {
    explored = ScheduleAnswer.Explored()
    var programs = try ScheduledPrograms(crashCase)
    locks = crashCase["lock"] == "yes"
    guard var plan = try SchedulePlan(crashCase), try attempt(programs, plan), var best = explored.found else {
      return explored
    }
    let end = ContinuousClock.now + Self.shortening
    // The steps of the log change with the programs.
    plan.cut = nil
    var isShorter = true
    while isShorter {
      isShorter = false
      // The present switches are tried first, because they often still cause the failure after a step is removed.
      for triesAll in [false, true] where !isShorter {
        for fewer in programs.shorter where ContinuousClock.now < end {
          guard try triesAll ? all(fewer, plan.event) : attempt(fewer, plan), let found = explored.found,
            found.flaw.verdict == best.flaw.verdict
          else { continue }
          (best, programs, isShorter) = (found, fewer, true)
          plan = try SchedulePlan(found.crashCase) ?? plan
          plan.cut = nil
          break
        }
      }
    }
    if let lengths = try SchedulePlan(best.crashCase)?.lengths, lengths.count > 1, plan.event != .cut,
      try twoSwitches(programs),
      let found = explored.found, found.flaw.verdict == best.flaw.verdict
    {
      best = found
    }
    // The best schedule runs again, because the story and the store are those of the last schedule.
    if let plan = try SchedulePlan(best.crashCase), try attempt(programs, plan) { best = explored.found ?? best }
    explored.found = best
    return explored
  }
}
