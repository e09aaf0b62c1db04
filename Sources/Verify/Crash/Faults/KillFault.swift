import StorageContract

/// A kill of the process while it makes saves, in a chosen system call or at a random time.
struct KillFault: SavingFault {
  static let id = "kill"
  static let summary = "the process is killed in any call, and at any time"

  /// A ratio: the number of kills in a system call, divided by the number of kills at a random time.
  private static let callsPerTime = 10

  static func cases(_ trials: CrashTrials, _ rehearsal: Rehearsal, count: Int, seed: UInt64) throws -> [CrashCase] {
    var random = SeededRandom(seed: seed)
    let inCalls = inCalls(rehearsal, count, &random)
    // A backend whose daemon writes for it makes hardly any calls in which its own process could be killed.
    let isDaemon = trials.subject.witness == .daemon
    return inCalls
      + (0..<max(1, isDaemon ? count - inCalls.count : count / callsPerTime)).map { _ in
        CrashCase(id, "time").with("time", random.number(0...max(1, rehearsal.duration)))
      }
  }

  private static func inCalls(_ rehearsal: Rehearsal, _ count: Int, _ random: inout SeededRandom) -> [CrashCase] {
    // The opening of an existing file without emptying the file changes nothing, and is left out.
    var points = rehearsal.drawn(&random) { $0.call.kind != .open || $0.call.truncates }
    var cases: [CrashCase] = []
    var seen: Set<CrashCase> = []
    // Short writes have few positions, so some draws repeat an existing case.
    for _ in 0..<count where cases.count < count && !points.isEmpty {
      for point in points where cases.count < count {
        var crashCase = point.crashCase(id)
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
    return try crashCase.call(.kill(bytes: bytes))
  }

  static func variant(_ crashCase: CrashCase) -> String { isRepeatable(crashCase) ? "" : "at random times" }

  static func isRepeatable(_ crashCase: CrashCase) -> Bool { crashCase.kind != "time" }
}
