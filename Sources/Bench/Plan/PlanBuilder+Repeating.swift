import Foundation
import StorageContract
import StorageRunFiles

extension PlanBuilder {
  func cells(repeating plan: Plan) throws -> [PlannedCell] {
    if let part = plan.shard, options.shard != nil {
      throw UsageError("--plan names the shard \(part) of a run, which cannot be divided further; leave out --shard")
    }
    if let path = plan.dataset, dataset?.hash != plan.datasetHash {
      throw UsageError(
        "\(path) has changed since the run that --plan repeats; restore the file, or start a new run without --plan")
    }
    return try plan.cells.map { before in
      guard try catalog.backendSpec("\(before.cell.backend)") == before.cell.backend,
        try catalog.workloadSpec("\(before.cell.workload)") == before.cell.workload
      else {
        throw UsageError(
          "--plan: \(before.cell.name) sets an option to its default value, so one cell has two names; remove that option from the plan"
        )
      }
      var planned = try plannedCell(before.cell)
      // A benchmark that the earlier run skipped on purpose stays skipped.
      if planned.refusal == nil, before.refusal?.status == .skipped { planned.refusal = before.refusal }
      planned.untimed = before.untimed
      planned.readDurability = before.readDurability
      return try withoutRAMDisk(planned, rounds: rounds(nil))
    }
  }

  static func requireSameCells(_ arguments: [String], words: String) throws {
    let others = Set(try CommandTree(of: CellOptions.self).flags.map(\.flag)).union(["--profile"])
      .subtracting(RunOptions.besideRepetition)
    for word in try RunOptions.tree.words(arguments) where others.contains(word.item?.flag ?? "") {
      throw UsageError(
        "\(words) and cannot be combined with \(word.spelling), which changes them; leave out one"
      )
    }
  }

  /// Returns the directory that `--scratch` named when this plan was run; nil without the option.
  static func scratch(of plan: Plan) -> String? {
    let directory = URL(fileURLWithPath: plan.scratch)
    return directory.lastPathComponent == OwnedDirectory.storesName ? directory.deletingLastPathComponent().path : nil
  }
}
