import Foundation
import StorageContract
import StorageRunFiles
import StorageTrial
import StorageWorkloads

/// A builder of a run's plan from the user's options. Impossible requests are refused before any file is created.
struct PlanBuilder {
  let catalog: Catalog
  var options: RunOptions
  var isRAMDisk = false

  /// The content of the key `cells` in the user's plan file; nil without this key.
  var blocks: [Profile.Block]?
  /// A function that selects the benchmarks and the number of timed rounds for the user's rules. The property is nil
  /// without rules.
  var ruled: ((PlanBuilder, _ rounds: Int) throws -> (cells: [PlannedCell], rounds: Int))?
  /// The plan of an earlier run to repeat; nil for a new run.
  var repeated: Plan?
  /// Whether saves into a write-ahead log are timed for longer, to include a checkpoint. Ignored with `--trial-time`.
  var timesLogsLonger = false
  var command: [String] = []
  var scratch = ""

  /// Returns the reason why this machine cannot limit the memory of a process; nil if it can.
  var memoryObstacle: @Sendable () -> String? = { MemoryGroups.obstacle }

  var dataset: Dataset?

  /// The minimum time, in nanoseconds, for measuring durable saves into a write-ahead log; other levels get half. A
  /// shorter measurement could miss the log's checkpoints.
  private static let logTrialTime: Int64 = 100_000_000

  var cells: CellOptions {
    get { options.cells }
    set { options.cells = newValue }
  }

  /// Prepares this builder to plan a run by this process on this machine, with the stores in the directory `scratch`.
  mutating func runHere(in scratch: String) {
    (self.scratch, command) = (scratch, Program.command)
    isRAMDisk = Linux.isRAMDisk(scratch)
  }

  func plan() throws -> Plan {
    let isUnsaid =
      cells.workload == nil && cells.records == nil && blocks == nil && repeated == nil && ruled == nil
    let profile = options.profile ?? (isUnsaid ? .quick : nil)
    let ruled = try ruled?(self, rounds(profile))
    var planned = try ruled?.cells ?? repeated.map(cells(repeating:)) ?? plannedCells(profile)
    planned = try cells.withoutSkipped(planned, cell: \.cell)
    if let threads = cells.threads, threads > 1,
      try !planned.contains(where: { try catalog.workloadType($0.cell.workload.id).description.takesThreads })
    {
      throw UsageError("--threads \(threads): no workload of this run supports several threads; leave --threads out")
    }
    let rate = options.rate ?? repeated?.rate
    if rate != nil, let cell = planned.first(where: { $0.cell.threads > 1 })?.cell {
      throw UsageError(
        "--rate starts operations one by one, but \(cell.name) uses \(cell.threads) threads; leave out --rate or run it "
          + "with one thread")
    }
    try requireAge(planned)
    guard !planned.isEmpty else {
      throw UsageError("no cell is left to run; loosen --skip, --backend or --workload")
    }
    let once = options.once || repeated?.once == true
    var plan = Plan(
      profile: profile?.id ?? repeated?.profile, label: options.label ?? repeated?.label, command: command,
      seed: cells.seed ?? repeated?.seed ?? 1, rounds: 0,
      trialTime: cells.trialTime ?? repeated?.trialTime ?? profile?.trialTime ?? Plan.usualTrialTime,
      cellLimit: cells.cellLimit ?? repeated?.cellLimit ?? Plan.usualCellLimit, rate: rate,
      payload: cells.payload?.rawValue ?? repeated?.payload ?? Plan.usualPayload,
      dataset: cells.dataset.map { URL(fileURLWithPath: $0).path } ?? repeated?.dataset, datasetHash: dataset?.hash,
      datasetMap: cells.map.isEmpty ? repeated?.datasetMap : cells.map,
      once: once, scratch: scratch, cells: planned)
    plan.keepStores = options.keepStores || repeated?.keepStores == true
    plan.shard = options.shard?.description ?? repeated?.shard
    if let repeated { plan.streamPerRound = repeated.streamPerRound }
    plan.datasetMapping = dataset?.mapping
    plan.device = options.device ?? repeated?.device
    plan.costOnDisk = options.costOnDisk || repeated?.costOnDisk == true || plan.device != nil
    let usualLogTime = timesLogsLonger ? Self.logTrialTime : nil
    if cells.trialTime == nil { plan.logTrialTime = repeated == nil ? usualLogTime : repeated?.logTrialTime }
    // The checks above and the number of rounds concern all shards together.
    if !once { plan.rounds = options.budget.map { rounds(within: $0, plan) } ?? ruled?.rounds ?? rounds(profile) }
    // A shard without benchmarks is a valid run, because a job array starts every shard.
    plan.matrix = options.shard.map { _ in Self.matrix(planned) } ?? repeated?.matrix
    let indices = options.shard.map { shard in planned.indices.filter { shard.takes(planned[$0].cell.name) } }
    if let indices { planned = indices.map { planned[$0] } }
    plan.places = indices ?? (cells.skip.isEmpty ? repeated?.places : nil)
    plan.cells = planned
    plan.backends = try planned.map(\.cell.backend).unique.map { try plannedBackend($0, of: planned) }
    plan.workloads = try planned.map(\.cell.workload).unique.compactMap(plannedWorkload)
    return plan
  }

  /// Returns an identifier of a plan that is split into shards (parts): the number of all benchmarks, and a hash of
  /// their names.
  private static func matrix(_ cells: [PlannedCell]) -> String {
    var hash = StableHash()
    for cell in cells { hash.add(cell.cell.name) }
    return "\(cells.count)-\(hash.text)"
  }

  private func plannedBackend(_ spec: Spec, of cells: [PlannedCell]) throws -> PlannedBackend {
    let description = try catalog.backend(spec.id).description
    let durabilities = Set(cells.filter { $0.cell.backend == spec }.compactMap(\.cell.durability))
    let lines = durabilities.map { ($0.rawValue, description.code(spec.options, $0)) }
    return PlannedBackend(
      name: spec.description, appearance: description.appearance, safety: description.safety(for: spec.options),
      deviations: description.deviations(spec.options),
      runsOn: description.runsOn(spec.options), opensWith: description.opensWith(spec.options),
      code: Dictionary(uniqueKeysWithValues: lines).compactMapValues { $0 })
  }

  private func plannedWorkload(_ spec: Spec) throws -> PlannedWorkload? {
    let description = try catalog.workloadType(spec.id).description
    guard var words = description.words(spec.options) else { return nil }
    // The description of the workload does not mention the options, which change the operation.
    if !spec.options.isEmpty, words == description.words(Options()) { words.operation += " (\(spec.options))" }
    return PlannedWorkload(name: spec.description, words: words)
  }

  func rounds(_ profile: Profile?) -> Int { cells.rounds ?? repeated?.rounds ?? profile?.rounds ?? 6 }

  /// Returns the number of rounds that fit into a budget in nanoseconds, from 1 to 20.
  private func rounds(within budget: Int64, _ plan: Plan) -> Int {
    let parts = Double(options.shard?.count ?? 1)
    let round = PlanEstimate.roundSeconds(plan) / parts
    let left = Double(budget) / 1e9 - PlanEstimate.onceSeconds(plan) / parts
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
        "\(flag) cannot be combined with --dataset, whose records have their own payloads; leave out one")
    }
    var result: [PlannedCell] = []
    for block in blocks {
      for workload in try catalog.workloadSpecs(block.workloads)
      where named == nil || chosen == nil || chosen!.contains(where: { $0.id == workload.id }) {
        // The user's options for a workload replace those of the profile.
        for spec in chosen?.filter({ $0.id == workload.id }) ?? [workload] {
          result += try plannedCells(spec == Spec(id: spec.id) ? workload : spec, block, profile)
        }
      }
    }
    // Workloads that the profile lacks run with 1,000 records, unless the user or the workload sets the number.
    for spec in chosen ?? [] where !result.contains(where: { $0.cell.workload.id == spec.id }) {
      result += try plannedCells(spec, Profile.Block(workloads: spec.id, records: [1_000]), profile)
    }
    return result.unique(by: \.cell)
  }

  /// Returns the benchmarks of one workload of a block, for each backend, number of records, durability and condition.
  private func plannedCells(_ workload: Spec, _ block: Profile.Block, _ profile: Profile?) throws -> [PlannedCell] {
    let description = try catalog.workloadType(workload.id).description
    let reads = description.access(workload.options) == .reads
    let records = description.records.map { [$0] } ?? dataset.map { [$0.count] } ?? cells.records ?? block.records
    let chosen =
      try (cells.backend ?? block.backends).map(catalog.backendSpecs)
      ?? catalog.defaultBackends(withFloors: profile?.includesFloors == true)
    let backends = block.addsVariants ? chosen.flatMap(Profile.withVariants) : chosen
    let durabilities = cells.durability ?? block.durabilities
    let conditions = (cells.aged ?? [0]).flatMap { aged in (cells.memory ?? [nil]).map { (aged: aged, memory: $0) } }
    var result: [PlannedCell] = []
    for count in records {
      for durability in durabilities {
        for (backend, conditions) in backends.flatMap({ backend in conditions.map { (backend, $0) } }) {
          let isLeftOut =
            try block.onlyFor?.contains(backend.id) == false
            || block.onlyWhereSettingsDiffer && keepsSettings(at: durability, backend)
          if isLeftOut, cells.durability == nil { continue }
          var planned = try plannedCell(
            Cell(
              backend: backend, workload: workload, records: count,
              recordBytes: dataset?.recordBytes ?? cells.recordBytes ?? block.recordBytes ?? 100,
              durability: reads ? nil : durability, threads: description.takesThreads ? cells.threads ?? 1 : 1,
              cache: description.cache ?? cells.cache ?? .warm, aged: conditions.aged, memory: conditions.memory))
          if reads { planned.readDurability = try readDurability(backend, durabilities) }
          if let profile, cells.records == nil, dataset == nil { planned.keepToLimits(of: profile) }
          result.append(try withoutRAMDisk(planned, rounds: rounds(profile)))
        }
      }
    }
    return result
  }

  /// Returns whether a backend has its default settings at a requested level, too.
  private func keepsSettings(at durability: Durability, _ spec: Spec) throws -> Bool {
    guard let required = durability.requiredLevel else { return true }
    // A backend that is durable by default keeps its settings at every requested level.
    let backend = try catalog.backend(spec.id)
    guard case .level(let level) = backend.promise(.shipped, spec.options) else { return false }
    return level == .durable && level >= required
  }

  /// Returns the first durability in `asked` that the backend offers; nil for the default settings. Read-only workloads
  /// open their stores with this durability.
  private func readDurability(_ spec: Spec, _ asked: [Durability]) throws -> Durability? {
    let backend = try catalog.backend(spec.id)
    let first = asked.first { durability in
      if case .level = backend.promise(durability, spec.options) { true } else { false }
    }
    return first == .shipped ? nil : first
  }

  /// Returns the planned benchmark, marked as skipped if a RAM disk makes its durability meaningless.
  ///
  /// - Throws: ``UsageError`` if the user requested such a benchmark with `--durability`.
  func withoutRAMDisk(_ planned: PlannedCell, rounds: Int) throws -> PlannedCell {
    let isTimed = rounds > 0 && !options.once && repeated?.once != true && planned.untimed == nil
    guard isRAMDisk, !options.allowRamDisk, isTimed, planned.refusal == nil, let durability = planned.cell.durability,
      (durability.requiredLevel ?? .volatile) >= .intact
    else { return planned }
    let reason = "\(scratch) is in memory, where nothing is durable"
    if cells.durability != nil {
      throw UsageError(
        "--durability \(durability.rawValue): \(reason); "
          + "give --scratch a directory on a disk, or with 'run' add --allow-ram-disk")
    }
    var planned = planned
    planned.refusal = PlannedCell.Refusal(status: .skipped, note: reason)
    return planned
  }

  /// Moves the number of threads from the options of the workload to the benchmark's property `threads`.
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

  func plannedCell(_ cell: Cell) throws -> PlannedCell {
    let type = try catalog.backend(cell.backend.id)
    let description = try catalog.workloadType(cell.workload.id).description
    let cell = try Self.withThreads(cell, description)
    let reads = description.access(cell.workload.options) == .reads
    let durability = cell.durability ?? .shipped
    var refusal: PlannedCell.Refusal?
    // Of several reasons, the last one is shown.
    func refuse(_ note: String?, _ status: Status = .notAvailable) {
      if let note { refusal = PlannedCell.Refusal(status: status, note: note) }
    }
    var level: Level?
    switch type.promise(durability, cell.backend.options) {
    case .level(let promised): level = reads ? nil : promised
    case .unavailable(let reason): refuse(reads ? nil : reason)
    }
    let isInMemory = type.description.kind(cell.backend.options) == .memory
    if isInMemory, description.needsPersistence { refuse("nothing is left for another process to read") }
    if cell.aged > 0 { refuse(try ageObstacle(cell, isInMemory: isInMemory)) }
    refuse(description.obstacle(cell.workload.options, PlannedStore(type, cell.backend.options, durability)))
    // The texts of a record are not known yet, so the size is a lower bound.
    let bytes = cell.records * (24 + cell.recordBytes)
    refuse(type.description.lackOfRoom(cell.backend.options, cell.records, bytes))
    if let most = type.description.mostRecords, cell.records > most {
      refuse(
        "\(cell.backend.id) is tried with at most \(Quantity.grouped(most)) records: give -n \(most)", .skipped)
    }
    refuse(try memoryRefusal(cell, type, isInMemory: isInMemory))
    let missing = type.description.missing(for: cell.backend.options)
    refuse(missing)
    let needed = cell.threads > 1 ? .concurrent : description.capability(cell.workload.options)
    let ofEngine: Fidelity = needed?.isNative(in: type) == false ? .emulated : .native
    var planned = PlannedCell(
      cell: cell, level: level, fidelity: type.description.isWorkAlike ? .workAlike : ofEngine,
      likeness: type.description.likeness?(cell.workload, cell.backend.options),
      engineVersion: missing == nil ? type.description.engineVersion(for: cell.backend.options) : "", refusal: refusal,
      isFloor: isInMemory, isWholeFile: type.description.kind(cell.backend.options) == .wholeFile,
      countsVary: type.description.isDeterministic ? nil : true)
    if !reads, (type as? any WriteAheadLogged.Type)?.keepsLog(durability, cell.backend.options) == true {
      planned.keepsLog = true
    }
    return planned
  }
}

extension PlannedCell {
  fileprivate mutating func keepToLimits(of profile: Profile) {
    guard refusal == nil, let limits = profile.limits else { return }
    func reason(_ words: String, _ most: Int) -> String {
      "the profile \(profile.id) \(words) \(Quantity.grouped(most)) records; ask for more with --records"
    }
    if isWholeFile, cell.records > limits.wholeFile {
      refusal = Refusal(status: .skipped, note: reason("stops whole-file backends at", limits.wholeFile))
    } else if cell.backend.id == "archive", cell.records > limits.timedArchive {
      untimed = reason("times archive to", limits.timedArchive)
    }
  }
}
