import Foundation
import StorageContract

/// A sync that fails once. ``PlannedFault/Aftermath`` lists the contents that the file may have afterwards.
struct FailedSyncFault: SavingFault {
  static let id = "fsync"
  static let summary = "a sync fails once: the new content stays, or is lost, or only the next sync reports the error"

  static func cases(_ trials: CrashTrials, _ rehearsal: Rehearsal, count: Int, seed: UInt64) throws -> [CrashCase] {
    var random = SeededRandom(seed: seed)
    let cases = rehearsal.drawn(&random) { $0.call.isSync }.flatMap { point in
      // Changes of names and mapped writes cannot be undone. Undoing the growth of mapped lock files would end the
      // process.
      let hasContent = [.sync, .write].contains(point.call.kind) && !DiskLog.isRebuilt(point.call.name)
      return (hasContent ? PlannedFault.Aftermath.allCases : [.kept]).map { point.crashCase(id, $0.rawValue) }
    }
    return Array(cases.prefix(count))
  }

  static func plan(_ crashCase: CrashCase) throws -> PlannedFault {
    try crashCase.call(.fail(EIO, try crashCase.kind("aftermath", of: "fault \(id)")))
  }

  // A save whose sync failed may stay in the store, since the error shows the caller that the save is in doubt.
  static func rules(_ subject: CheckedBackend, _ crashCase: CrashCase) -> SavingJudge.Rules {
    let isReverted = crashCase.kind == PlannedFault.Aftermath.reverted.rawValue
    return SavingJudge.Rules(mustGoOn: false, mustTakeBack: false, takesBack: isReverted)
  }
}
