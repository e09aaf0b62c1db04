import Foundation
import StorageContract

/// A call that fails once because of the device.
struct FailedCallFault: SavingFault {
  static let id = "eio"
  static let summary = "a write, opening, sync, rename or any other call fails once with an input/output error"

  static func cases(
    _ trials: CrashTrials, _ rehearsal: Rehearsal, count: Int, seed: UInt64
  ) throws -> [CrashCase] {
    var random = SeededRandom(seed: seed)
    return rehearsal.drawn(&random) { _ in true }.prefix(count).map { point in
      CrashCase(id).with("save", point.place).with("call", point.number)
    }
  }

  static func plan(_ crashCase: CrashCase) throws -> PlannedFault {
    .calls(
      FaultPlan(action: .fail(EIO, .kept), call: try crashCase.number("call")), at: try crashCase.place())
  }

  // A store that may die of a full disk may die of any failed write.
  static func mayCrash(_ subject: CheckedBackend) -> Bool { subject.deviates(from: .fullDisk) }
}
