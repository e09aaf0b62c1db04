import Foundation
import StorageContract
import StorageReport
import StorageRunFiles

/// A comparison of this build's numbers of writes, syncs and allocations with the committed file `costs.csv`.
struct CostCheck {
  let file: CostFile
  let path: String
  let tolerances: Tolerances

  /// Returns the benchmarks (cells) to run for the check: one for each line of `costs.csv`.
  ///
  /// - Throws: `UsageError` for a line that this build cannot run; ``ExitStatus/Failure`` for a missing library.
  func plannedCells(_ builder: PlanBuilder) throws -> [PlannedCell] {
    try file.lines.map { line in
      let location = "\(path), line \(line.number)"
      do {
        // Names are parsed as on the command line, so that an unknown option in a name is an error.
        let cell = line.cell
        guard try builder.catalog.backendSpec("\(cell.backend)") == cell.backend,
          try builder.catalog.workloadSpec("\(cell.workload)") == cell.workload
        else {
          throw UsageError(
            "\(cell.name) gives an option its default value, so one cell has two names; leave that option out")
        }
        let planned = try builder.plannedCell(cell)
        if let missing = try builder.catalog.backend(cell.backend.id).description.missing(for: cell.backend.options) {
          throw ExitStatus.Failure(ExitStatus.unavailable, "\(location): \(cell.backend.engine): \(missing)")
        }
        if let refusal = planned.refusal {
          throw UsageError(
            "\(cell.name) cannot be run: \(refusal.note); leave it out with --skip, or remove the line")
        }
        let reads =
          try builder.catalog.workloadType(cell.workload.id).description.access(cell.workload.options) == .reads
        guard reads == (cell.durability == nil) else {
          throw UsageError(
            reads
              ? "\(cell.workload) only reads and has no durability; write - in its place"
              : "\(cell.workload) saves; write its durability, such as shipped, in place of -")
        }
        let counted = try builder.catalog.countedOperations(of: cell)
        guard counted == line.operations else {
          throw UsageError(
            "ops=\(line.operations), but this build counts \(counted) operations of \(cell.name); "
              + "count again with 'check \(path) --update'")
        }
        return planned
      } catch let error as UsageError {
        throw UsageError("\(location): \(error.description)")
      }
    }
  }

  /// Compares the numbers of writes, syncs and allocations in a run with those in `costs.csv`, line by line.
  ///
  /// - Throws: `UsageError` for a line of `costs.csv` with an impossible number, such as 0 writes for a save.
  func comparison(_ model: ReportModel) throws -> Comparison {
    let rows = Dictionary(model.rows.map { ($0.cell, $0) }, uniquingKeysWith: { first, _ in first })
    let here = CostHeader(model)
    // Builds that differ in one of these facts make different numbers of allocations.
    let differing = ["swift", "architecture", "mode"].filter { file.header.facts[$0] != here.facts[$0] }
    let judgements = try file.lines.map { line -> Judgement in
      guard let row = rows[line.cell], row.status == .ok, let cost = row.cost else {
        return Judgement(name: line.cell.name, verdict: .failed, note: rows[line.cell]?.note ?? "it was not run")
      }
      return try judge(line, row, cost, obstacle(line, here), comparesAllocations: differing.isEmpty)
    }
    var comparison = Comparison(
      subject: .costs, base: .init(name: path), head: .init(name: "this build", machine: model.environment.machine),
      judgements: judgements)
    comparison.notes = notes(comparison, here, differing)
    if let note = Tolerances.note(model.rows) { comparison.notes.append(note) }
    return comparison
  }

  private func judge(
    _ line: CostLine, _ row: SummaryRow, _ cost: Cost, _ obstacle: String?, comparesAllocations: Bool
  ) throws -> Judgement {
    if let name = cost.impossibleZero(at: row.level) {
      return Judgement(
        name: line.cell.name, verdict: .failed, note: "this build counts no \(name), which is impossible; run 'doctor'")
    }
    var committed = cost
    for metric in Measure.committed { committed[keyPath: metric.path] = line.counts[metric.name] }
    if let name = committed.impossibleZero(at: row.level) {
      throw UsageError(
        "\(path), line \(line.number): \(name)=0 is impossible, because \(line.cell.name) saves something; "
          + "count again with 'check \(path) --update'")
    }
    var judgement = Judgement(name: line.cell.name, verdict: .same)
    for metric in Measure.committed where metric.name != "allocations" || comparesAllocations {
      let (base, head) = (committed[keyPath: metric.path], cost[keyPath: metric.path])
      if let change = metric.change(from: committed, to: cost, tolerance: tolerances.share(metric, in: row)) {
        judgement.counts.append(change)
        judgement.verdict = judgement.verdict.worse(change.verdict)
      } else if base != nil || head != nil && (metric.name != "allocations" || listsAllocations) {
        judgement.verdict = judgement.verdict.worse(.unmeasurable)
        judgement.note =
          base == nil ? "line \(line.number) lists no \(metric.name)" : "this build cannot count \(metric.name) here"
      }
    }
    let isUncompared = judgement.counts.isEmpty && judgement.note.isEmpty
    if let obstacle = obstacle ?? (isUncompared ? "it lists allocations only, which are not compared here" : nil) {
      judgement.verdict = .unmeasurable
      judgement.note = obstacle
    }
    return judgement
  }

  /// Whether `costs.csv` has numbers of memory allocations. A debug build does not write these numbers.
  private var listsAllocations: Bool { file.lines.contains { $0.counts["allocations"] != nil } }

  private func obstacle(_ line: CostLine, _ here: CostHeader) -> String? {
    if let there = file.header.facts["page_size"], there != here.facts["page_size"] {
      return "counted with memory pages of \(there) bytes, here they have \(here.facts["page_size"] ?? "?")"
    }
    let id = line.cell.backend.engine
    guard let there = file.header.engines[id] else { return "the header does not tell engine.\(id)" }
    guard let now = here.engines[id], now != there else { return nil }
    return "counted with \(there), this is \(now)"
  }

  private func notes(_ comparison: Comparison, _ here: CostHeader, _ differing: [String]) -> [String] {
    var notes: [String] = []
    let update = "'check \(path) --update'"
    if !comparison.judgements(.regression).isEmpty {
      notes.append("If the change is meant: \(update), and commit the file with the reason.")
    }
    if !comparison.judgements(.improvement).isEmpty { notes.append("Lower than committed: lock it in with \(update).") }
    if !comparison.judgements(.notJudged).isEmpty {
      notes.append("Not judged: read the differences, and commit what \(update) writes here.")
    }
    if !differing.isEmpty, listsAllocations {
      let facts = differing.map { "\($0) \(file.header.facts[$0] ?? "?") there, \(here.facts[$0] ?? "?") here" }
      notes.append("Allocations are not compared: \(facts.joined(separator: "; ")).")
    }
    return notes
  }
}
