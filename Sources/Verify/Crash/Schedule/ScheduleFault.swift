import CStorageInstrument
import Foundation
import StorageContract

/// A fault in which two processes use one store alternately. A schedule is a chosen order of their system calls. The
/// result counts each tried schedule as a case.
struct ScheduleFault: CrashFault {
  static let id = "schedule"
  static let summary = "two processes take turns using the store, in many orders"
  // Libraries in common use have such a failure: SQLite before 3.51.3.
  static let isUsual = false
  static let makesOperation = false

  /// The number of child processes that try crash-test cases at the same time, equal on all machines.
  private static let processes = 4
  /// The maximum number of crash-test cases with each kind of event: a kill, a suspension or a power cut.
  private static let pairsWithEvents = 8
  /// The maximum number of different crash-test cases to draw at random. 101,200 different cases are possible, so a
  /// draw seldom repeats an earlier case.
  private static let mostPairs = 10_000

  static func exemption(_ subject: CheckedBackend) -> String? {
    if let reason = subject.leavesNothing { return reason }
    if ci_schedule_steps() < 0 { return "a build with a sanitizer does not see the locks of the processes" }
    if subject.type is any Scheduled.Type { return nil }
    if subject.type is any Concurrent.Type, subject.type is any Sharing.Type {
      return subject.type.description.mapped(subject.options) == .none
        ? "it uses threads, and a schedule orders processes with one thread each"
        : "its locks are in its map, where the kernel cannot take them while a schedule protects the map"
    }
    let isWhole = subject.type.description.kind(subject.options) == .wholeFile
    return isWhole ? nil : "the suite has no method to share its store between processes"
  }

  static func cases(_ trials: CrashTrials, _ rehearsal: Rehearsal, count: Int, seed: UInt64) throws -> [CrashCase] {
    var random = SeededRandom(seed: seed)
    var seen: Set<ScheduledPrograms> = []
    var cases: [CrashCase] = []
    while cases.count < min(count, mostPairs) {
      let programs = ScheduledPrograms(&random)
      if programs.hasSave, seen.insert(programs).inserted {
        // If the engine has no locks, every other crash-test case uses a lock file.
        let locks = !(trials.subject.type is any Scheduled.Type) && cases.count % 2 == 1
        let crashCase = CrashCase(id).with("programs", programs)
        cases.append(locks ? crashCase.with("lock", "yes") : crashCase)
      }
    }
    // Crash-test cases without an event come first, so that they find the same flaws as in a test without events.
    let events = [SchedulePlan.Event.killed, .suspended].flatMap { event in
      cases.prefix(pairsWithEvents).map { $0.with(event) }
    }
    return cases + events + withCuts(cases, trials.subject, rehearsal)
  }

  /// Returns some of `cases`, each with an added power cut. Returns none if the backend's store cannot be judged after
  /// a power cut.
  private static func withCuts(
    _ cases: [CrashCase], _ subject: CheckedBackend, _ rehearsal: Rehearsal
  ) -> [CrashCase] {
    guard subject.level >= .intact, PowerFault.exemption(subject) == nil, !rehearsal.mapsFiles else { return [] }
    let isScheduled = subject.type is any Scheduled.Type
    return cases.filter { isScheduled || $0["lock"] == "yes" }.prefix(pairsWithEvents).map { $0.with(.cut) }
  }

  static func findings(_ cases: [CrashCase], _ trials: CrashTrials, progress: (Int) -> Void) throws -> [CrashFinding?] {
    for crashCase in cases { _ = (try ScheduledPrograms(crashCase), try SchedulePlan(crashCase)) }
    let processes = ScheduleProcesses(trials)
    var findings: [CrashFinding?] = []
    var (tried, points, isFound) = (0, 0, false)
    for start in stride(from: 0, to: cases.count, by: self.processes) where !isFound {
      let some = Array(cases[start..<min(cases.count, start + self.processes)])
      try Task.checkCancellation()
      let explored = try concurrently(some.count) { try processes.perform(.search, some[$0], processor: $0) }
      for (crashCase, one) in zip(some, explored) {
        var kept = CrashFinding(crashCase: crashCase, verdict: .kept, isBroken: false)
        kept.isReached = one.isReached
        findings += Array(repeating: kept, count: one.schedules - one.permitted - (one.found == nil ? 0 : 1))
        if let first = one.firstPermitted {
          // Only the first of the permitted flaws is explained.
          findings.append(finding(first))
          findings += Array(repeating: finding(first), count: one.permitted - 1)
        }
        if let found = one.found { findings.append(finding(found)) }
        isFound = isFound || one.found != nil
        (tried, points) = (tried + 1, max(points, one.points))
      }
      progress(start + some.count)
    }
    trials.remarks = remarks(tried, points, trials.subject)
    return findings
  }

  private static func remarks(_ pairs: Int, _ points: Int, _ subject: CheckedBackend) -> [String] {
    var remarks = ["\(pairs) pairs of programs were tried, with at most \(points) calls and accesses each."]
    let options = options(subject)
    if options != subject.options {
      remarks.append("The store was opened as \(Spec(id: subject.type.description.id, options: options)).")
    }
    if ci_schedule_steps() == 0 {
      remarks.append("On this processor only calls are points, and no accesses to shared maps.")
    }
    return remarks
  }

  /// Returns the options with which two processes open the store. Some engines get options for more frequent
  /// checkpoints.
  static func options(_ subject: CheckedBackend) -> Options {
    (subject.type as? any Scheduled.Type)?.busyOptions(subject.options) ?? subject.options
  }

  static func smallest(_ finding: CrashFinding, _ trials: CrashTrials) throws -> CrashFinding? {
    // A child process that exceeds its timeout has found no shorter crash-test case.
    let found = try? ScheduleProcesses(trials).perform(.shorten, finding.crashCase).found
    return found.map(self.finding) ?? finding
  }

  static func leave(_ crashCase: CrashCase, in directory: String, _ trials: CrashTrials) throws -> String {
    _ = try ScheduleProcesses(trials).perform(.search, crashCase, leaving: directory)
    return directory
  }

  static func variant(_ crashCase: CrashCase) -> String {
    let words = [
      crashCase["lock"] == "yes" ? "with a lock file" : "",
      crashCase.kind.isEmpty ? "" : crashCase.kind == "cut" ? "a power cut" : "one process \(crashCase.kind)",
    ]
    return words.filter { !$0.isEmpty }.joined(separator: ", ")
  }

  static func sentence(_ crashCase: CrashCase, _ point: Rehearsal.Point?) -> String {
    guard let programs = try? ScheduledPrograms(crashCase) else { return "" }
    let words = programs.steps.enumerated().map { process, steps in
      let list = steps.isEmpty ? ["nothing"] : steps.map(\.words)
      return "process \(process + 1) makes \(list.joined(separator: ", "))"
    }
    let plan = try? SchedulePlan(crashCase)
    let event = plan.flatMap { plan in
      let end = plan.event == .suspended ? ", until process \(2 - plan.first) has ended" : ""
      return [.waits, .cut].contains(plan.event)
        ? nil
        : " Process \(plan.first + 1) is \(plan.event.rawValue) after \(plan.lengths.first ?? 0) calls and accesses\(end)."
    }
    return "The store is left open by a process that ends; then \(words.joined(separator: ", and ")), in turns."
      + (event ?? "")
  }

  private static func finding(_ found: ScheduleAnswer.Found) -> CrashFinding {
    var finding = CrashFinding(crashCase: found.crashCase, verdict: found.flaw.verdict, isBroken: found.flaw.isBroken)
    finding.expected = "all acknowledged saves of both processes, whole"
    finding.found = found.flaw.found
    finding.columns = found.story
    finding.call = found.call
    return finding
  }
}

/// A launcher of child processes. Each child process runs one crash-test case, in which two more processes use one
/// store.
private struct ScheduleProcesses: Sendable {
  private let subject: CheckedBackend
  private let history: String
  private let base: [Int]
  private let directory: String
  private let limit: Int
  private let seed: UInt64

  /// The minimum timeout, in seconds, of a child process that runs one crash-test case.
  private static let secondsOfAPair = 120
  /// The timeout, in seconds, of each of the two processes that use the store. A shorter timeout of the crash test
  /// takes precedence.
  private static let secondsOfASchedule = 10

  init(_ trials: CrashTrials) {
    (subject, history, base) = (trials.subject, trials.historyFile, trials.allSaves)
    (directory, limit, seed) = (trials.directory, trials.limit, trials.seed)
  }

  func perform(
    _ work: ScheduleTask.Work, _ crashCase: CrashCase, processor: Int = 0, leaving: String? = nil
  ) throws -> ScheduleAnswer.Explored {
    let directories = ChildDirectories(directory: "\(directory)/schedules-\(processor)")
    try? FileManager.default.removeItem(atPath: directories.directory)
    try directories.make()
    defer { try? FileManager.default.removeItem(atPath: directories.directory) }
    let task = ScheduleTask(
      work: work, subject: subject, history: history, base: base, crashCase: crashCase, seed: seed,
      processor: processor, leaving: leaving, limit: min(limit, Self.secondsOfASchedule))
    let ending = try ChildLaunch(directories: directories, limit: max(limit, Self.secondsOfAPair)).perform(task)
    let answer = ending.answer(ScheduleAnswer.self)
    guard let explored = answer?.explored else {
      let reason = answer?.obstacle ?? ending.sentence
      throw CrashTestError("the schedules of \(subject.name) cannot be tried: \(reason)")
    }
    return explored
  }
}

extension CrashCase {
  /// Returns a crash-test case in which the two processes take the same steps, such as saves, but with another event,
  /// such as a kill.
  fileprivate func with(_ event: SchedulePlan.Event) -> CrashCase {
    ["programs", "lock"].reduce(CrashCase(ScheduleFault.id, event.rawValue)) { changed, name in
      self[name].map { changed.with(name, $0) } ?? changed
    }
  }
}
