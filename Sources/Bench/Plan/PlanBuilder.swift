import Contract
import Foundation
import Report
import Workloads

/// Turns what the user asked for into a plan, refusing what cannot be: before anything is created.
struct PlanBuilder {
  let catalog: Catalog
  var cells: CellOptions
  let profile: Profile?
  /// Whether the scratch directory's file system forgets everything at a power cut.
  let isRAMDisk: Bool
  let allowsRAMDisk: Bool

  /// A time budget for all rounds together, in nanoseconds, in place of a number of rounds.
  var budget: Int64?
  var rate: Double?
  var once = false
  var keepStores = false
  var shard: Shard?
  var label: String?
  var command: [String] = []
  /// Absolute.
  var scratch = ""

  /// The records of the data set, once for all cells.
  var dataset: Dataset?

  /// Builds the plan.
  ///
  /// - Throws: ``UsageError`` naming the flag and the mend.
  func plan() throws -> Plan {
    let profile = self.profile ?? (cells.workload == nil && cells.records == nil ? .quick : nil)
    let numbers = try Numbers(cells, profile: profile)
    var planned = try plannedCells(profile, numbers)
    let total = planned.count
    let skips = cells.skip.map { Glob($0) }
    planned.removeAll { cell in skips.contains { $0.matches(cell.cell.name) } }
    let places = shard.map { shard in planned.indices.filter { shard.takes(planned[$0].cell.name) } }
    if let places { planned = places.map { planned[$0] } }
    guard !planned.isEmpty else {
      throw UsageError(
        shard == nil || total == 0
          ? "no cell is left to run; loosen --skip, --backend or --workload"
          : "this shard has no cell of the \(total); run with fewer shards")
    }
    var plan = Plan(
      profile: profile?.rawValue, label: label, command: command, seed: numbers.seed,
      rounds: once ? 0 : try rounds(numbers, cells: planned), trialTime: numbers.trialTime,
      cellLimit: numbers.cellLimit, rate: rate, payload: numbers.payload.rawValue,
      dataset: cells.dataset.map { URL(fileURLWithPath: $0).path }, datasetHash: dataset?.hash, once: once,
      keepStores: keepStores, shard: shard?.description, scratch: scratch, cells: planned,
      backends: try planned.map(\.cell.backend).unique.map(plannedBackend))
    plan.places = places
    return plan
  }

  private func plannedBackend(_ spec: Spec) throws -> PlannedBackend {
    let description = try catalog.backend(spec.id).description
    return PlannedBackend(
      name: spec.description, safety: description.safety, deviations: description.deviations(spec.options))
  }

  private func rounds(_ numbers: Numbers, cells: [PlannedCell]) throws -> Int {
    guard let budget else { return numbers.rounds }
    let round = Estimate.roundSeconds(cells, trialTime: numbers.trialTime)
    return max(1, min(20, Int(Double(budget) / 1e9 / max(0.001, round))))
  }

  private func plannedCells(_ profile: Profile?, _ numbers: Numbers) throws -> [PlannedCell] {
    let blocks =
      profile?.blocks ?? [Profile.Block(workloads: cells.workload ?? "save-one", records: [1_000])]
    let backends = try chosenBackends(profile)
    let chosen = try cells.workload.map { try catalog.workloadSpecs($0) }
    if let dataset, cells.records != nil {
      throw UsageError("--records cannot be combined with --dataset, which has \(dataset.count) records; leave out one")
    }
    var seen: Set<Cell> = []
    var result: [PlannedCell] = []
    func add(_ workload: Spec, _ block: Profile.Block) throws {
      let records = dataset.map { [$0.count] } ?? numbers.records ?? block.records
      let durabilities = numbers.durabilities ?? block.durabilities
      for count in records {
        for durability in durabilities {
          for backend in backends {
            let planned = try plannedCell(backend, workload, count, durability, numbers)
            if block.onlyWhereSettingsDiffer, numbers.durabilities == nil,
              try hasSettings(of: .shipped, at: durability, backend)
            {
              continue
            }
            if seen.insert(planned.cell).inserted { result.append(planned) }
          }
        }
      }
    }
    for block in blocks {
      for workload in try catalog.workloadSpecs(block.workloads)
      where profile == nil || chosen == nil || chosen!.contains(where: { $0.id == workload.id }) {
        // The user's options for a workload take the place of the profile's.
        for spec in chosen?.filter({ $0.id == workload.id }) ?? [workload] {
          try add(spec == Spec(id: spec.id) ? workload : spec, block)
        }
      }
    }
    // What the profile lacks is added at its own size.
    for spec in chosen ?? [] where !result.contains(where: { $0.cell.workload.id == spec.id }) {
      try add(spec, Profile.Block(workloads: spec.id, records: [1_000]))
    }
    return result
  }

  private func chosenBackends(_ profile: Profile?) throws -> [Spec] {
    if let text = cells.backend { return try catalog.backendSpecs(text) }
    if profile?.takesAllBackends == true { return catalog.backends.map { Spec(id: $0.description.id) } }
    return catalog.defaultBackends
  }

  /// Whether a backend's settings at a durability are those it ships with: the row would say nothing new.
  private func hasSettings(of shipped: Durability, at durability: Durability, _ spec: Spec) throws -> Bool {
    guard let required = durability.requiredLevel else { return true }
    // What is shipped at the highest level is not changed by asking for it.
    let backend = try catalog.backend(spec.id)
    guard case .level(let level) = backend.promise(shipped, spec.options) else { return false }
    return level == .durable && level >= required
  }

  private func plannedCell(
    _ backend: Spec, _ workload: Spec, _ records: Int, _ durability: Durability, _ numbers: Numbers
  ) throws -> PlannedCell {
    let description = try catalog.workloadType(workload.id).description
    let planned = try plannedCell(
      Cell(
        backend: backend, workload: workload, records: records,
        recordBytes: dataset?.recordBytes ?? numbers.recordBytes,
        durability: description.access == .reads ? nil : durability, threads: 1,
        cache: description.cache ?? numbers.cache))
    // Asked for by name it is an error; in a profile the other rows are still worth having.
    if planned.refusal?.status == .skipped, numbers.durabilities != nil, let reason = planned.refusal?.note {
      throw UsageError("--durability \(durability.rawValue): \(reason); give --scratch a disk, or --allow-ram-disk")
    }
    return planned
  }

  /// A cell with what is known of it before it runs, or why it cannot be run.
  ///
  /// - Throws: ``UsageError`` if its backend or workload does not exist.
  func plannedCell(_ cell: Cell) throws -> PlannedCell {
    let type = try catalog.backend(cell.backend.id)
    let description = try catalog.workloadType(cell.workload.id).description
    let reads = description.access == .reads
    let durability = cell.durability ?? .shipped
    var refusal: PlannedCell.Refusal?
    var level: Level?
    switch type.promise(durability, cell.backend.options) {
    case .level(let promised): level = reads ? nil : promised
    case .unavailable(let reason):
      if !reads { refusal = PlannedCell.Refusal(status: .notAvailable, note: reason) }
    }
    let isVolatile = type.promise(.shipped, cell.backend.options) == .level(.volatile)
    if isVolatile, description.needsPersistence {
      refusal = PlannedCell.Refusal(status: .notAvailable, note: "nothing is left for another process to read")
    }
    if let missing = type.description.missing() {
      refusal = PlannedCell.Refusal(status: .notAvailable, note: missing)
    } else if refusal == nil, !reads, isRAMDisk, !allowsRAMDisk, (durability.requiredLevel ?? .volatile) >= .intact {
      refusal = PlannedCell.Refusal(
        status: .skipped, note: "\(scratch) is in memory, where nothing is durable")
    }
    return PlannedCell(
      cell: cell, level: level, fidelity: type.description.isLookalike ? .lookalike : .native,
      engineVersion: type.description.missing() == nil ? type.description.engineVersion() : "", refusal: refusal,
      isFloor: isVolatile, isWholeFile: type.description.kind(cell.backend.options) == .wholeFile)
  }
}
