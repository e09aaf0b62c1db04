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
    let isScheduled = trials.subject.type is any Scheduled.Type
    var random = SeededRandom(seed: seed)
    var seen: Set<ScheduledPrograms> = []
    var cases: [CrashCase] = []
    while cases.count < min(count, mostPairs) {
      let programs = ScheduledPrograms(&random)
      if programs.hasSave, seen.insert(programs).inserted {
        // If the engine has no locks, every other crash-test case uses a lock file.
        let locks = !isScheduled && cases.count % 2 == 1
        let crashCase = CrashCase(id).with("programs", programs)
        cases.append(locks ? crashCase.with("lock", "yes") : crashCase)
      }
    }
    // Crash-test cases without an event come first, so that they find the same flaws as in a test without events.
    let events = [SchedulePlan.Event.killed, .suspended].flatMap { event in
      cases.prefix(pairsWithEvents).map { $0.with(event) }
    }
    let isJudgedAfterCuts =
      trials.subject.level >= .intact && PowerFault.exemption(trials.subject) == nil && !rehearsal.mapsFiles
    let locked = cases.filter { isScheduled || $0["lock"] == "yes" }.prefix(isJudgedAfterCuts ? pairsWithEvents : 0)
    return cases + events + locked.map { $0.with(.cut) }
  }

  static func findings(_ cases: [CrashCase], _ trials: CrashTrials, progress: (Int) -> Void) throws -> [CrashFinding?] {
    for crashCase in cases { _ = (try ScheduledPrograms(crashCase), try SchedulePlan(crashCase)) }
    var findings: [CrashFinding?] = []
    var (tried, points, isFound) = (0, 0, false)
    for start in stride(from: 0, to: cases.count, by: processes) where !isFound {
      let some = cases[start..<min(cases.count, start + processes)]
      let tasks = some.enumerated().map { ScheduleTask(trials, $1, processor: $0) }
      try Task.checkCancellation()
      let explored = try concurrently(tasks.count) { try tasks[$0].result() }
      for (crashCase, one) in zip(some, explored) {
        let kept = CrashFinding(crashCase: crashCase, isReached: one.isReached)
        findings += Array(repeating: kept, count: one.schedules - one.permitted - (one.found == nil ? 0 : 1))
        if let first = one.firstPermitted {
          // Only the first of the permitted flaws is explained.
          findings += Array(repeating: first, count: one.permitted)
        }
        if let found = one.found { findings.append(found) }
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
    (try? ScheduleTask(trials, finding.crashCase, shortens: true).result().found) ?? finding
  }

  static func leave(_ crashCase: CrashCase, in directory: String, _ trials: CrashTrials) throws -> String {
    _ = try ScheduleTask(trials, crashCase, leaving: directory).result()
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
    let turns = "The store is left open by a process that ends; then \(words.joined(separator: ", and ")), in turns."
    guard let plan = try? SchedulePlan(crashCase), ![.waits, .cut].contains(plan.event) else { return turns }
    let end = plan.event == .suspended ? ", until process \(2 - plan.first) has ended" : ""
    return turns
      + " Process \(plan.first + 1) is \(plan.event.rawValue) after \(plan.lengths.first ?? 0) calls and accesses\(end)."
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
