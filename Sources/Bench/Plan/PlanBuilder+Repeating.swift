import Foundation
import StorageContract
import StorageRunFiles
import StorageTrial

/// Repeating the plan of a run.
extension PlanBuilder {
  /// The cells of a plan that is repeated, in its order, as this build and this machine see them.
  ///
  /// - Throws: ``UsageError`` naming the flag that would choose other cells, or what this build does not know.
  func cells(_ plan: Plan, _ numbers: Numbers) throws -> [PlannedCell] {
    let others: [(String, Any?)] = [
      ("--backend", cells.backend), ("--workload", cells.workload), ("--records", cells.records),
      ("--record-bytes", cells.recordBytes), ("--payload", cells.payload), ("--durability", cells.durability),
      ("--threads", cells.threads), ("--cache", cells.cache), ("--aged", cells.aged), ("--memory", cells.memory),
      ("--dataset", cells.dataset), ("--profile", profile),
    ]
    if let (flag, _) = others.first(where: { $0.1 != nil }) {
      throw UsageError(
        "--plan repeats the cells of a run, of which \(flag) would make others; leave out one of the two")
    }
    if let part = plan.shard, shard != nil {
      throw UsageError("--plan names the shard \(part) of a run, which is not divided again; leave out --shard")
    }
    if let path = plan.dataset, dataset?.hash != plan.datasetHash {
      throw UsageError("\(path) has changed since the run; a repetition needs the same records")
    }
    return try plan.cells.map { before in
      guard try catalog.backendSpec("\(before.cell.backend)") == before.cell.backend,
        try catalog.workloadSpec("\(before.cell.workload)") == before.cell.workload
      else { throw UsageError("--plan: \(before.cell.name) names an option at its default, which no plan does") }
      var planned = try plannedCell(before.cell)
      // What was left out on purpose stays out; what is missing here is found out anew.
      if planned.refusal == nil, before.refusal?.status == .skipped { planned.refusal = before.refusal }
      planned.untimed = before.untimed
      planned.readDurability = before.readDurability
      return try withoutRAMDisk(planned, numbers)
    }
  }

  /// Where the stores of a repetition lie: where those of the run lay, unless that was the run's own directory.
  ///
  /// - Parameter file: The path of the plan.
  static func scratch(of plan: Plan, file: String) -> String? {
    let place = URL(fileURLWithPath: plan.scratch)
    return place.lastPathComponent == OwnedDirectory.storesName ? place.deletingLastPathComponent().path : nil
  }
}
