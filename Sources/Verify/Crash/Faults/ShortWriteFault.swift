import StorageContract

/// A write that does half of what was requested, and reports so.
struct ShortWriteFault: SavingFault {
  static let id = "short-write"
  static let summary = "a write does half of what it was asked for, once"

  static func cases(
    _ trials: CrashTrials, _ rehearsal: Rehearsal, count: Int, seed: UInt64
  ) throws -> [CrashCase] {
    var random = SeededRandom(seed: seed)
    let points = rehearsal.drawn(&random) { $0.call.kind == .write && $0.call.length >= 2 }
    return points.prefix(count).map { CrashCase(id).with("save", $0.place).with("call", $0.number) }
  }

  static func plan(_ crashCase: CrashCase) throws -> PlannedFault {
    .calls(FaultPlan(action: .shorten, call: try crashCase.number("call")), at: try crashCase.place())
  }

  static func mayTear(_ subject: CheckedBackend) -> Bool { subject.deviates(from: .shortWrites) }
}
