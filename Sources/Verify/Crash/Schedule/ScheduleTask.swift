import CStorageInstrument
import Foundation
import StorageContract

/// A task for a child process on one processor: it tries schedules of pairs of programs. A schedule is one order in
/// which two processes, each with a program, use a store.
struct ScheduleTask: ChildTask {
  enum Work: String, Codable {
    /// Tries schedules (orders in which two processes use a store) of each pair of programs, until a schedule breaks a
    /// promise.
    case search
    /// Shortens a case: searches for the shortest programs and the fewest switches between the processes that still
    /// give the case's verdict.
    case shorten
  }

  var work: Work
  var type: String
  var options: String
  /// The options with which the store is made. The processes of a schedule open it with ``options``.
  var baseOptions: String
  var durability: Durability
  var history: String
  var base: [Int]
  var level: Level
  var cases: [String]
  var seed: UInt64
  var processor: Int
  /// The directory into which the store is copied after the last schedule, or nil.
  var leaving: String?
  var limit: Int

  func perform(in child: ChildProcess) {
    do {
      // Pinned before any fork, so that both processes of a schedule share the processor.
      ci_schedule_prepare(UInt32(processor))
      try child.confineBeforeForks()
      guard let type = _typeByName(type) as? any StorageBackend.Type else {
        throw UsageError("the backend of the schedules was not found")
      }
      let history = try StoredHistory(reading: history).history
      let environment = StoreEnvironment(
        directory: child.directories.store, options: Options(verbatim: options), durability: durability,
        collections: history.collections)
      var search = ScheduleSearch(
        run: try ScheduleRun(
          type, history, base: base, baseOptions: Options(verbatim: baseOptions), environment, level: level,
          limit: limit), seed: seed
      )
      var answer = ScheduleAnswer()
      for text in cases {
        let crashCase = try CrashCase(parsing: text)
        let explored = try work == .search ? search.explore(crashCase) : search.smallest(crashCase)
        answer.explored.append(explored)
        if explored.found != nil { break }
      }
      if let leaving { try search.run.leave(in: leaving) }
      child.answer(answer)
    } catch {
      child.answer(ScheduleAnswer(obstacle: "\(error)"))
    }
  }
}

struct ScheduleAnswer: Codable {
  /// The results of trying schedules (orders in which two processes use a store) of one pair of programs.
  struct Explored: Codable {
    var schedules = 0
    /// Whether the process that runs first made enough points to reach the first switch of the case's plan. True for a
    /// case without a plan. A point is a call or a memory access at which a process can be made to wait.
    var isReached = true
    /// The number of logged events in the schedule that has the most. The events are the calls, memory accesses, marks
    /// and waits of both processes.
    var points = 0
    /// The first schedule that broke a promise, with which a search ends; nil if each schedule kept all promises.
    var found: Found?
    /// The number of schedules with a flaw that the backend's design permits, such as a lost save. ``firstPermitted``
    /// is the first of these schedules.
    var permitted = 0
    var firstPermitted: Found?
  }

  struct Found: Codable {
    var crashCase: CrashCase
    var flaw: ScheduleFlaw
    var story: [String]
    /// A description of the power cut; empty if there is none.
    var call = ""
  }

  var obstacle: String?
  var explored: [Explored] = []
}

/// A search for a schedule that breaks a promise. A schedule is one order in which two processes, each with a program,
/// use a store. A process can be made to wait at each of its points, which are calls and memory accesses.
///
/// All schedules with two switches are tried first. One process runs until it has made some number of points, then the
/// other one runs to its end, then the first one continues. The search tries number after number. It skips a number if
/// the outcome must be the same as with the last tried number, because none of the points in between conflicts with a
/// point of the other process.
///
/// Then random schedules are tried, by probabilistic concurrency testing (Burckhardt et al., ASPLOS 2010). The two
/// processes have priorities, which change twice, so a schedule has three turns.
struct ScheduleSearch {
  let run: ScheduleRun
  let seed: UInt64
  private var explored = ScheduleAnswer.Explored()
  private var locks = false

  /// The number of schedules with random priorities that are tried for each pair of programs.
  private static let drawn = 20
  /// The number of schedules of each pair of programs during which the power is cut. Each leaves hundreds of states.
  private static let drawnWithCuts = 4
  /// The time limit of the search for shorter programs. It lets the child process end before its timeout.
  private static let shortening = Duration.seconds(60)

  init(run: ScheduleRun, seed: UInt64) { (self.run, self.seed) = (run, seed) }

  /// Tries the schedule that a case describes. If the case has programs but no schedule, tries schedules of these
  /// programs until one breaks a promise.
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

  /// Adds a flaw to the results. Returns whether it breaks a promise.
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

  /// Tries all schedules in which one process is killed before one of its points and the other one continues. No point
  /// is skipped, since a new process may read data that the other process does not use.
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
    // Its length gives the range of the random switches.
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

  /// Shortens a case as long as the verdict stays the same: removes steps from the programs, then switches between the
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
      // The same switches first, because they often stay if a later step is removed.
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
