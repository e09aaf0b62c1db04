import StorageContract
import StorageReport
import StorageRunFiles

/// What `--dry-run` shows.
enum DryRun {
  /// The cells with their levels, the number of trials, and rough needs of time and disk.
  static func text(_ plan: Plan) -> String {
    var lines = plan.cells.map { planned in
      if let refusal = planned.refusal { return "\(planned.cell.name)  \(refusal.status.rawValue): \(refusal.note)" }
      return planned.cell.name + (planned.level.map { "  \($0.rawValue)" } ?? "")
        + (planned.untimed.map { "  counted only: \($0)" } ?? "")
    }
    let runnable = plan.cells.count { $0.refusal == nil }
    let timed = plan.cells.count { $0.refusal == nil && $0.untimed == nil }
    let trials = plan.once ? runnable : timed * plan.rounds + runnable
    lines.append("")
    lines.append(
      "\(plan.cells.count) cells, \(Quantity.grouped(trials)) trials, about \(Int(Estimate.seconds(plan).rounded(.up))) s, "
        + "about \(NumberFormat.bytes(Double(Estimate.bytes(plan)))) of disk in \(plan.scratch)")
    return lines.joined(separator: "\n") + "\n"
  }
}
