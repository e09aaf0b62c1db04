import StorageContract

/// The process is killed while it makes saves.
struct KillFault: SavingFault {
  static let id = "kill"
  static let summary = "the process is killed in any call, and at any time"

  /// One kill in so many is at a random time, beside those in calls.
  private static let callsPerTime = 10

  static func cases(
    _ trials: CrashTrials, _ rehearsal: Rehearsal, count: Int, seed: UInt64
  ) throws -> [CrashCase] {
    var random = SeededRandom(seed: seed)
    let inCalls = inCalls(rehearsal, count, &random)
    // Whoever leaves its calls to another process has hardly any of its own to be killed in.
    let isDaemon = trials.subject.witness == .daemon
    return inCalls
      + (0..<max(1, isDaemon ? count - inCalls.count : count / callsPerTime)).map { _ in
        CrashCase(id, "time").with("time", random.number(0...max(1, rehearsal.duration)))
      }
  }

  /// Every call once before any twice. Only in writes is there more than one place to die.
  private static func inCalls(_ rehearsal: Rehearsal, _ count: Int, _ random: inout SeededRandom) -> [CrashCase] {
    // Nothing has changed between a call and an opening that changes nothing.
    var points = rehearsal.drawn(&random) { $0.call.kind != .open || $0.call.truncates }
    var cases: [CrashCase] = []
    var seen: Set<CrashCase> = []
    // Short writes have few places, so that some draws give what is there already.
    for _ in 0..<count where cases.count < count && !points.isEmpty {
      for point in points where cases.count < count {
        var crashCase = CrashCase(id).with("save", point.place).with("call", point.number)
        if point.call.kind == .write {
          crashCase = crashCase.with("byte", random.number(0...Int(point.call.length)))
        }
        if seen.insert(crashCase).inserted { cases.append(crashCase) }
      }
      points = points.filter { $0.call.kind == .write }
    }
    return cases
  }

  static func plan(_ crashCase: CrashCase) throws -> PlannedFault {
    if crashCase.kind == "time" { return .killed(after: try crashCase.number("time")) }
    let bytes = crashCase["byte"] == nil ? 0 : try crashCase.number("byte")
    return .calls(
      FaultPlan(action: .kill(bytes: bytes), call: try crashCase.number("call")), at: try crashCase.place())
  }

  static func variant(_ crashCase: CrashCase) -> String { isRepeatable(crashCase) ? "" : "at random times" }

  static func isRepeatable(_ crashCase: CrashCase) -> Bool { crashCase.kind != "time" }
}
