import Foundation
import StorageContract
import StorageReport
import StorageRunFiles
import StorageTrial
import StorageWorkloads

/// Turns what the user asked for into a plan, refusing what cannot be: before anything is created.
struct PlanBuilder {
  let catalog: Catalog
  var options: RunOptions
  /// Whether the scratch directory's file system forgets everything at a power cut.
  var isRAMDisk = false

  /// The lines of a plan file's `cells`, in place of a profile's.
  var blocks: [Profile.Block]?
  /// The plan of a run that is to be repeated, in place of both.
  var repeated: Plan?
  /// Whether saves into a log are timed for ``logTrialTime`` at least, where no trial time is asked for.
  var timesLogsLonger = false
  var command: [String] = []
  /// Absolute.
  var scratch = ""

  /// Why no process can be given little memory here, or nil; asked where a cell wants it.
  var memoryObstacle: @Sendable () -> String? = { nil }

  /// The records of the data set, once for all cells.
  var dataset: Dataset?

  /// Nanoseconds in which SQLite's log is checkpointed twice at `durable`, on a disk whose sync takes 80 us.
  private static let logTrialTime: Int64 = 200_000_000

  /// The options about cells.
  var cells: CellOptions {
    get { options.cells }
    set { options.cells = newValue }
  }

  /// Creates a builder for what the options of `run` say.
  init(catalog: Catalog, options: RunOptions) {
    self.catalog = catalog
    self.options = options
  }

  /// Creates a builder for a command that has the options about cells only.
  ///
  /// - Parameters:
  ///   - profile: What holds where the options say nothing.
  ///   - arguments: Flags of `run` that hold for the command.
  init(catalog: Catalog, cells: CellOptions, profile: Profile? = nil, arguments: [String] = []) throws {
    self.init(catalog: catalog, options: try RunOptions.parse(arguments))
    options.cells = cells
    options.profile = profile
  }

  /// Builds the plan.
  ///
  /// - Throws: ``UsageError`` naming the flag and the fix.
  func plan() throws -> Plan {
    let isUnsaid = cells.workload == nil && cells.records == nil && blocks == nil && repeated == nil
    let profile = options.profile ?? (isUnsaid ? .quick : nil)
    var planned = try repeated.map(cells(repeating:)) ?? plannedCells(profile)
    planned = try cells.withoutSkipped(planned, cell: \.cell)
    if let threads = cells.threads, threads > 1, !planned.contains(where: { takesThreads($0.cell.workload) }) {
      throw UsageError("--threads \(threads): no workload of this run works on several threads; leave --threads out")
    }
    try requireAge(planned)
    guard !planned.isEmpty else {
      throw UsageError("no cell is left to run; loosen --skip, --backend or --workload")
    }
    // What is asked of all cells is asked before they are divided, and all parts have as many rounds.
    let trialTime = cells.trialTime ?? repeated?.trialTime ?? profile?.trialTime ?? Plan.usualTrialTime
    let count =
      try options.budget.map { try rounds(within: $0, planned, trialTime) }
      ?? rounds(profile)
    // A part may have no cell, and is a run all the same: a job array has no way to leave one out.
    let matrix = options.shard.map { _ in Self.matrix(planned) } ?? repeated?.matrix
    let places = options.shard.map { shard in planned.indices.filter { shard.takes(planned[$0].cell.name) } }
    if let places { planned = places.map { planned[$0] } }
    let once = options.once || repeated?.once == true
    var plan = Plan(
      profile: profile?.id ?? repeated?.profile, label: options.label ?? repeated?.label, command: command,
      seed: cells.seed ?? repeated?.seed ?? 1, rounds: once ? 0 : count, trialTime: trialTime,
      cellLimit: cells.cellLimit ?? repeated?.cellLimit ?? Plan.usualCellLimit, rate: options.rate ?? repeated?.rate,
      payload: cells.payload?.rawValue ?? repeated?.payload ?? Plan.usualPayload,
      dataset: cells.dataset.map { URL(fileURLWithPath: $0).path } ?? repeated?.dataset, datasetHash: dataset?.hash,
      datasetMap: cells.map.isEmpty ? repeated?.datasetMap : cells.map,
      once: once, keepStores: options.keepStores || repeated?.keepStores == true,
      costOnDisk: options.costOnDisk || repeated?.costOnDisk == true,
      shard: options.shard?.description ?? repeated?.shard, scratch: scratch, cells: planned,
      backends: try planned.map(\.cell.backend).unique.map(plannedBackend),
      workloads: try planned.map(\.cell.workload).unique.compactMap(plannedWorkload))
    // A repeated plan does the same operations.
    if let repeated { plan.streamPerRound = repeated.streamPerRound }
    plan.datasetMapping = dataset?.mapping
    plan.logTrialTime = leastLogTime
    plan.matrix = matrix
    plan.places = places ?? (cells.skip.isEmpty ? repeated?.places : nil)
    return plan
  }

  private var leastLogTime: Int64? {
    guard cells.trialTime == nil else { return nil }
    if let repeated { return repeated.logTrialTime }
    return timesLogsLonger ? Self.logTrialTime : nil
  }

  /// A hash of the names of all cells, in their order, with their number.
  private static func matrix(_ cells: [PlannedCell]) -> String {
    var hash = StableHash()
    for cell in cells { hash.add(cell.cell.name) }
    return "\(cells.count)-\(hash.text)"
  }

  private func takesThreads(_ workload: Spec) -> Bool {
    (try? catalog.workloadType(workload.id).description.takesThreads) ?? false
  }

  private func plannedBackend(_ spec: Spec) throws -> PlannedBackend {
    let description = try catalog.backend(spec.id).description
    return PlannedBackend(
      name: spec.description, safety: description.safety, deviations: description.deviations(spec.options),
      runsOn: description.runsOn(spec.options), opensWith: description.opensWith(spec.options))
  }

  private func plannedWorkload(_ spec: Spec) throws -> PlannedWorkload? {
    let words = try catalog.workloadType(spec.id).description.words
    guard var said = words(spec.options) else { return nil }
    // Options that change what is done, and of which the words say nothing.
    if !spec.options.isEmpty, said == words(Spec(id: spec.id).options) { said.operation += " (\(spec.options))" }
    return PlannedWorkload(name: spec.description, words: said)
  }

  /// Timed trials of each cell, as far as no budget says so.
  func rounds(_ profile: Profile?) -> Int { cells.rounds ?? repeated?.rounds ?? profile?.rounds ?? 6 }

  /// So many rounds as fit into a time.
  ///
  /// - Parameter budget: Nanoseconds for all rounds together.
  private func rounds(within budget: Int64, _ cells: [PlannedCell], _ trialTime: Int64) throws -> Int {
    let parts = Double(options.shard?.count ?? 1)
    let round =
      PlanEstimate.roundSeconds(cells, ofDataset: dataset != nil) {
        Plan.trialTime($0, usual: trialTime, log: leastLogTime)
      } / parts
    let left = Double(budget) / 1e9 - PlanEstimate.onceSeconds(cells, ofDataset: dataset != nil) / parts
    return max(1, min(20, Int(left / max(0.001, round))))
  }

  private func plannedCells(_ profile: Profile?) throws -> [PlannedCell] {
    let named = self.blocks ?? profile?.blocks
    let blocks = named ?? [Profile.Block(workloads: cells.workload ?? "save-one", records: [1_000])]
    let chosen = try cells.workload.map { try catalog.workloadSpecs($0) }
    if let dataset, cells.records != nil {
      throw UsageError("--records cannot be combined with --dataset, which has \(dataset.count) records; leave out one")
    }
    for (flag, isGiven) in [("--record-bytes", cells.recordBytes != nil), ("--payload", cells.payload != nil)]
    where dataset != nil && isGiven {
      throw UsageError(
        "\(flag) cannot be combined with --dataset, whose records have payloads of their own; leave out one")
    }
    var seen: Set<Cell> = []
    var result: [PlannedCell] = []
    func add(_ workload: Spec, _ block: Profile.Block) throws {
      let records = try sizes(workload, block)
      let chosen = try chosenBackends(block, profile)
      let backends = block.addsVariants ? chosen.flatMap(Profile.withVariants) : chosen
      let durabilities = cells.durability ?? block.durabilities
      for count in records {
        for durability in durabilities {
          for (backend, conditions) in backends.flatMap({ backend in conditions.map { (backend, $0) } }) {
            if let ids = block.onlyFor, cells.durability == nil, !ids.contains(backend.id) { continue }
            var planned = try plannedCell(backend, workload, count, durability, block, conditions)
            if block.onlyWhereSettingsDiffer, cells.durability == nil,
              try hasSettings(of: .shipped, at: durability, backend)
            {
              continue
            }
            if cells.records == nil, dataset == nil { profile?.limits.forEach { planned.keep(to: $0) } }
            if seen.insert(planned.cell).inserted {
              result.append(try withoutRAMDisk(planned, rounds: rounds(profile)))
            }
          }
        }
      }
    }
    for block in blocks {
      for workload in try catalog.workloadSpecs(block.workloads)
      where named == nil || chosen == nil || chosen!.contains(where: { $0.id == workload.id }) {
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

  private func chosenBackends(_ block: Profile.Block, _ profile: Profile?) throws -> [Spec] {
    if let text = cells.backend ?? block.backends { return try catalog.backendSpecs(text) }
    return profile?.backends == .withFloors ? catalog.defaultBackendsAndFloors : catalog.defaultBackends
  }

  /// The ages and limits of memory that each cell is run with.
  private var conditions: [(aged: Int, memory: Int?)] {
    (cells.aged ?? [0]).flatMap { aged in (cells.memory ?? [nil]).map { (aged, $0) } }
  }

  /// The sizes of a workload: its own where it has one, then the data set's, those asked for, those of the block.
  private func sizes(_ workload: Spec, _ block: Profile.Block) throws -> [Int] {
    if let own = try catalog.workloadType(workload.id).description.records { return [own] }
    return dataset.map { [$0.count] } ?? cells.records ?? block.records
  }

  /// Whether a backend's settings at a durability are those it ships with: the row would say nothing new.
  private func hasSettings(of shipped: Durability, at durability: Durability, _ spec: Spec) throws -> Bool {
    guard let required = durability.requiredLevel else { return true }
    // What is shipped at the highest level is not changed by asking for it.
    let backend = try catalog.backend(spec.id)
    guard case .level(let level) = backend.promise(shipped, spec.options) else { return false }
    return level == .durable && level >= required
  }

  /// The durability in whose settings a cell that only reads is run: it runs once, however many are asked, in the first
  /// of them that the backend has.
  ///
  /// - Returns: Nil for what is shipped.
  private func readDurability(_ spec: Spec, _ asked: [Durability]) throws -> Durability? {
    let backend = try catalog.backend(spec.id)
    let first = asked.first { durability in
      if case .level = backend.promise(durability, spec.options) { true } else { false }
    }
    return first == .shipped ? nil : first
  }

  private func plannedCell(
    _ backend: Spec, _ workload: Spec, _ records: Int, _ durability: Durability, _ block: Profile.Block,
    _ conditions: (aged: Int, memory: Int?)
  ) throws -> PlannedCell {
    let description = try catalog.workloadType(workload.id).description
    var planned = try plannedCell(
      Cell(
        backend: backend, workload: workload, records: records,
        recordBytes: dataset?.recordBytes ?? cells.recordBytes ?? block.recordBytes ?? 100,
        durability: description.access(workload.options) == .reads ? nil : durability,
        threads: description.takesThreads ? cells.threads ?? 1 : 1,
        cache: description.cache ?? cells.cache ?? .warm, aged: conditions.aged, memory: conditions.memory))
    if planned.cell.durability == nil {
      planned.readDurability = try readDurability(backend, cells.durability ?? block.durabilities)
    }
    return planned
  }

  /// Leaves out a cell that would be timed where nothing is durable. Calls can be counted there.
  func withoutRAMDisk(_ planned: PlannedCell, rounds: Int) throws -> PlannedCell {
    let isTimed = rounds > 0 && !options.once && repeated?.once != true && planned.untimed == nil
    guard isRAMDisk, !options.allowRamDisk, isTimed, planned.refusal == nil, let durability = planned.cell.durability,
      (durability.requiredLevel ?? .volatile) >= .intact
    else { return planned }
    let reason = "\(scratch) is in memory, where nothing is durable"
    // Asked for by name it is an error; in a profile the other rows are still worth having.
    if cells.durability != nil {
      throw UsageError("--durability \(durability.rawValue): \(reason); give --scratch a disk, or --allow-ram-disk")
    }
    var planned = planned
    planned.refusal = PlannedCell.Refusal(status: .skipped, note: reason)
    return planned
  }

  /// The cell with the threads that its workload's option says: one thing has one name.
  private static func withThreads(_ cell: Cell, _ description: WorkloadDescription) throws -> Cell {
    let option = WorkloadDescription.threadsOption
    guard description.takesThreads, cell.workload.options.names.contains(option.name) else { return cell }
    var cell = cell
    cell.threads = try UsageError.naming(
      "option threads of workload \(description.id)", cell.workload.options[option],
      FlagValue.count(FileNumbers.threads))
    cell.workload = Spec(id: cell.workload.id, options: cell.workload.options.without(option))
    return cell
  }

  /// An imitation stays one, whoever does the work.
  private static func fidelity(_ backend: any StorageBackend.Type, _ needed: Capability?) -> Fidelity {
    if backend.description.isWorkAlike { return .workAlike }
    return needed?.isNative(in: backend) == false ? .emulated : .native
  }

  /// A cell with what is known of it before it runs, or why it cannot be run.
  ///
  /// - Throws: ``UsageError`` if its backend or workload does not exist.
  func plannedCell(_ cell: Cell) throws -> PlannedCell {
    let type = try catalog.backend(cell.backend.id)
    let description = try catalog.workloadType(cell.workload.id).description
    let cell = try Self.withThreads(cell, description)
    let reads = description.access(cell.workload.options) == .reads
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
    if cell.aged > 0, let obstacle = try ageObstacle(cell, isVolatile: isVolatile) {
      refusal = PlannedCell.Refusal(status: .notAvailable, note: obstacle)
    }
    if let obstacle = description.obstacle(cell.workload.options, type) {
      refusal = PlannedCell.Refusal(status: .notAvailable, note: obstacle)
    }
    if let most = type.description.mostRecords, cell.records > most {
      refusal = PlannedCell.Refusal(
        status: .skipped,
        note: "\(cell.backend.id) is tried with at most \(Quantity.grouped(most)) records: give -n \(most)")
    }
    if let obstacle = try memoryRefusal(cell, type, isVolatile: isVolatile) {
      refusal = PlannedCell.Refusal(status: .notAvailable, note: obstacle)
    }
    if let missing = type.description.missing() {
      refusal = PlannedCell.Refusal(status: .notAvailable, note: missing)
    }
    var planned = PlannedCell(
      cell: cell, level: level,
      fidelity: Self.fidelity(
        type, cell.threads > 1 ? .concurrent : description.capability(cell.workload.options)),
      likeness: type.description.likeness?(cell.workload, cell.backend.options),
      engineVersion: type.description.missing() == nil ? type.description.engineVersion() : "", refusal: refusal,
      isFloor: isVolatile, isWholeFile: type.description.kind(cell.backend.options) == .wholeFile,
      countsVary: type.description.isDeterministic ? nil : true)
    if type.description.isPort { planned.isPort = true }
    if !reads, (type as? any WriteAheadLogged.Type)?.keepsLog(durability, cell.backend.options) == true {
      planned.keepsLog = true
    }
    return planned
  }
}

extension PlannedCell {
  /// Leaves the cell out, or out of the timed rounds, where it lies beyond a profile's limit.
  fileprivate mutating func keep(to limit: Profile.Limit) {
    guard refusal == nil, limit.concerns(self) else { return }
    if limit.countsBeyond {
      untimed = limit.reason
    } else {
      refusal = Refusal(status: .skipped, note: limit.reason)
    }
  }
}
