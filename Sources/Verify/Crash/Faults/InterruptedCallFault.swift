import Foundation
import StorageContract

/// A call that a signal interrupts before it has done anything. The store may repeat it.
struct InterruptedCallFault: SavingFault {
  static let id = "eintr"
  static let summary = "a call is interrupted once by a signal, and has done nothing"
  static let mustGoOn = true

  static func cases(
    _ trials: CrashTrials, _ rehearsal: Rehearsal, count: Int, seed: UInt64
  ) throws -> [CrashCase] {
    var random = SeededRandom(seed: seed)
    // The manual pages list EINTR for these calls, but not for rename and unlink.
    let interruptible: Set<LoggedCall.Kind> = [
      .open, .create, .write, .truncate, .allocate, .sync, .syncDirectory,
    ]
    return rehearsal.drawn(&random) { interruptible.contains($0.call.kind) }.prefix(count).map { point in
      CrashCase(id).with("save", point.place).with("call", point.number)
    }
  }

  static func plan(_ crashCase: CrashCase) throws -> PlannedFault {
    .calls(
      FaultPlan(action: .fail(EINTR, .kept), call: try crashCase.number("call")), at: try crashCase.place())
  }
}
