import ArgumentParser
import Foundation
import StorageContract
import StorageReport
import StorageRunFiles
import StorageTrial
import StorageWorkloads

struct CheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Compare the counts of this build with a file that you keep in your repository, or a run with rules.",
    discussion: """
      'check costs.csv' runs each cell of the file once, untimed, and compares the counts of this build of the program \
      with the file. This detects when a change to a backend's code or settings makes it write, sync or allocate more. \
      The backend may be your own. If the version of a library differs from the one in the file, the cells that use it \
      are not judged (exit code 3).

      Without --update, the options below from -b to --memory, except --payload, select cells of the file. Options \
      that are not given exclude no cell; their defaults do not apply. So -b sqlite alone selects all cells of sqlite, \
      also cold ones and those with aged=10 or bytes=1000. --payload and --seed come from the file; other values are \
      refused (exit code 64). A file made with --dataset needs the same --dataset and --map. --rounds and --trial-time \
      do nothing.

      With --update, the lines of the counted cells are replaced or added; other lines stay. The options that select \
      cells decide which are counted:
        options                         cells
        none, or only --skip            those of the file; for a new file, those
                                        of the profile 'counts' with the default
                                        backends
        -w or -n                        those that 'run' takes with these options
        only other options, such as -b  those of the profile 'counts' with these
                                        options, even if the file lists others

      'check rules.yaml [DIR]' tests a run. With --run, it first measures the cells that the rules name; a cell is \
      timed only if one of its rules is about times. Of the options from -b on, only -f and -o are allowed, with --run \
      also --rounds, --trial-time, --cell-limit, --seed and --scratch.
        rules:
        - sqlite/read-one/1000/- p50 <= 5ms
        - "{lmdb,sqlite-queue}/save-one/*/durable bytes <= 2 x sqlite/*/*/*"

      A rule is CELL METRIC OP VALUE or CELL METRIC OP [FACTOR x] CELL; OP is <, <=, >, >= or ==. VALUE has a unit for \
      times (80us, 5ms, 2s), may have one for bytes (64KiB), and is a plain number for other metrics.

      The left CELL may be a pattern, which makes a rule for each cell that it matches: * is any text, / included, ? \
      is one character, {a,b} is a or b. So sqlite/*/*/* on the left also matches cells with conditions such as \
      aged=10, but none of sqlite:journal=wal. With --run, * means each backend or workload with default options, 100, \
      1000 and 10000 records, and each level, without conditions.

      In the right CELL, * repeats the left cell's part at the same place. Parts are separated by /: a backend or \
      workload with its options is one part, and so is a condition. So sqlite/*/*/* on the right is a cell without \
      conditions.

      METRIC is a time of one operation: p50, p90, p99 and p999 (percentiles), max, or cpu (mean processor time). Or \
      it is ops (operations per second). Or it is a count per operation: \(RuleMetric.names(of: .operations)). Or it \
      is a value of the whole trial: \(RuleMetric.names(of: .end)). Or it is amplification (bytes_written_settled / \
      bytes_changed) or rewrite_share (share of file_bytes that one operation writes).

      bytes_changed is the size of the data that the operation inserts, changes or deletes, without the engine's \
      overhead. stored_bytes is the size of all records, file_bytes that of the store's files, file_bytes_allocated \
      that of their blocks on the disk. peak_anon_bytes and peak_file_bytes are the most memory that the operations \
      add: heap and mapped files. Counts with _settled include the checkpoint and the closing of the store. Some names \
      differ:
        costs.csv, --max-increase  METRIC of a rule
        bytes                      bytes_written_settled, or bytes
        writes                     write_calls, or writes
        syncs                      syncs_settled (syncs leaves the checkpoint out)

      Exit codes: 0 no count is higher, every rule holds; 1 a cell failed; 2 a count is higher, or a rule is broken; \
      3 something could not be judged.
      """)

  @Argument(
    help: ArgumentHelp("A file of counts (.csv) or of rules (.yaml).", valueName: "file"),
    completion: .file(extensions: ["csv", "yaml", "yml"]))
  var file: String

  @Argument(
    help: ArgumentHelp("With rules: the directory of the run (default: results/latest).", valueName: "dir"),
    completion: .directory)
  var directory: String?

  @Flag(help: "Write the counts into the file, to be reviewed and committed, and compare nothing (exit code 0).")
  var update = false

  @Option(help: Tolerances.help(Measure.committed))
  var maxIncrease: [String] = []

  @Flag(
    name: .customLong("run"),
    help: "With rules: measure the cells that they name, and judge them. The run is not kept.")
  var measures = false

  @Flag(help: "Measure the times of --run even if storage-bench itself is a debug build.")
  var allowDebug = false

  @OptionGroup var cells: CellOptions
  @OptionGroup var output: ComparisonOutputOptions

  mutating func run() async throws {
    try output.check()
    switch URL(fileURLWithPath: file).pathExtension.lowercased() {
    case "csv":
      guard !measures, !allowDebug else {
        throw UsageError(
          "--run and --allow-debug apply only to rules (.yaml), and costs (.csv) are always counted afresh; "
            + "leave these flags out")
      }
      guard directory == nil else {
        throw UsageError("check \(file) runs the cells itself and takes no directory; leave out '\(directory ?? "")'")
      }
      if update { try await writeCosts() } else { try await checkCosts() }
    case "yaml", "yml":
      try await checkRules()
    default:
      throw UsageError("'\(file)' is neither costs nor rules; give a file that ends in .csv or .yaml")
    }
  }

  // MARK: - Costs

  private func checkCosts() async throws {
    var file = try CostFile.read(self.file)
    let tolerances = try Tolerances(maxIncrease, metrics: Measure.committed)
    file.lines = try file.lines(selectedBy: cells, catalog: .current, path: self.file)
    let check = CostCheck(file: file, path: self.file, tolerances: tolerances)
    let builder = try builder()
    let plan = try plan(file.header, builder, check.plannedCells(builder))
    try checkData(plan, file.header)
    try output.conclude(try await counted(plan) { try check.comparison($0) })
  }

  /// Returns a plan to count the cells under the conditions in a header, which options replace.
  private func plan(_ header: CostHeader, _ builder: PlanBuilder, _ planned: [PlannedCell]) throws -> Plan {
    Plan(
      profile: "counts", seed: cells.seed ?? UInt64(header.facts["seed"] ?? "") ?? 1, rounds: 0,
      cellLimit: cells.cellLimit ?? Plan.usualCellLimit,
      payload: cells.payload?.rawValue ?? header.facts["payload"] ?? Plan.usualPayload,
      dataset: cells.dataset.map { URL(fileURLWithPath: $0).path }, datasetHash: builder.dataset?.hash,
      datasetMap: cells.dataset == nil ? nil : cells.map, cells: planned)
  }

  private func checkData(_ plan: Plan, _ header: CostHeader) throws {
    if let seed = UInt64(header.facts["seed"] ?? ""), seed != plan.seed {
      throw UsageError("the costs in \(file) were counted with seed \(seed); leave out --seed")
    }
    if let payload = header.facts["payload"], payload != plan.payload {
      throw UsageError("the costs in \(file) were counted with payload \(payload); leave out --payload")
    }
    guard header.facts["dataset"] == plan.datasetHash else {
      throw UsageError(
        header.facts["dataset"] == nil
          ? "the costs in \(file) were counted with generated records; leave out --dataset"
          : "the costs in \(file) were counted with "
            + (plan.datasetHash == nil
              ? "a data set; give the same --dataset and --map, or count again with --update"
              : "another data set, an earlier version of it, or another --map; give that data set "
                + "and --map, or make a new file with 'check NEW.csv --update' and your options"))
    }
  }

  private func writeCosts() async throws {
    guard output.format == nil, output.out == nil, maxIncrease.isEmpty else {
      throw UsageError("--update compares nothing; leave out --format, --out and --max-increase")
    }
    let url = URL(fileURLWithPath: try OwnedDirectory.absolute(file, flag: "check"))
    try OwnedDirectory.check(url.deletingLastPathComponent().path, flag: "check")
    let isThere = try AtomicFile.isReplaceable(url) { _ in true }
    let before = isThere ? try? Data(contentsOf: url) : nil
    let old = isThere ? try CostFile.read(file) : nil
    var builder = try builder()
    let namesCells = cells.choosesCells
    var plan: Plan
    if let old, !namesCells {
      plan = try self.plan(
        old.header, builder, cells.withoutSkipped(old.lines, cell: \.cell).map { try planned($0, builder) })
    } else {
      if !namesCells { builder.cells.backend = Catalog.defaultList }
      plan = try builder.plan()
      (plan.profile, plan.rounds) = ("counts", 0)
      // Workloads that only read have no durability in `costs.csv`, so they are counted without a durability.
      for index in plan.cells.indices { plan.cells[index].readDurability = nil }
    }
    let reason = plan.cells.lazy.compactMap(\.refusal).first.map { ": \($0.note)" } ?? ""
    plan.cells.removeAll { $0.refusal != nil }
    guard !plan.cells.isEmpty else {
      throw UsageError(
        "no cell is left that can be counted here\(reason); widen -b, -w, -n or --durability, or narrow --skip")
    }
    let (new, changes) = try await counted(plan) { try CostUpdate(path: file, old: old).updated($0) }
    // The user may have edited the file while this process was counting.
    guard (try? Data(contentsOf: url)) == before else {
      throw ExitStatus.Failure(
        ExitStatus.ioError,
        "\(file) was changed while the costs of this build were being counted, so it was not overwritten; "
          + "run --update again")
    }
    try AtomicFile.write(new.text, to: url) { _ in before != nil }
    StandardOutput.write(changes.map { $0 + "\n" }.joined())
    StandardOutput.write(
      "\(Quantity.counted(new.lines.count, "cell")) in \(file)"
        + (old != nil && changes.isEmpty ? ", all as before\n" : "\n"))
  }

  private func planned(_ line: CostLine, _ builder: PlanBuilder) throws -> PlannedCell {
    do {
      _ = try builder.catalog.backendSpec("\(line.cell.backend)")
      _ = try builder.catalog.workloadSpec("\(line.cell.workload)")
      return try builder.plannedCell(line.cell)
    } catch let error as UsageError {
      throw UsageError("\(file), line \(line.number): \(error.description); correct or remove the line")
    }
  }

  private func builder() throws -> PlanBuilder {
    // Only calls are counted, so stores on a RAM disk are allowed.
    var builder = try PlanBuilder(
      catalog: .current, cells: cells, profile: cells.workload == nil && cells.records == nil ? .counts : nil)
    builder.dataset = try Dataset.given(by: cells)
    return builder
  }

  /// Runs the plan in a temporary directory, and passes the results to `body`. Without `--scratch`, the directory is in
  /// memory or on a disk, to suit the run.
  private func counted<Result>(_ plan: Plan, _ body: (ReportModel) throws -> Result) async throws -> Result {
    let display = ProgressDisplay(isQuiet: false)
    defer { display.clear() }
    let isTimed = plan.rounds > 0
    let owned = cells.scratch == nil && !isTimed ? MemoryDirectory.owned(holding: PlanEstimate.bytes(plan)) : nil
    let directory = try owned ?? .temporary(in: cells.scratch ?? Self.disk)
    defer { directory.removeAll() }
    let run = RunDirectory(path: "\(directory.path)/run")
    try directory.makeDirectory(run.url.path)
    let session = try RunSession.open(plan, at: run, stores: "\(directory.path)/scratch")
    // Calls can be counted in memory; only timed trials need the disk.
    let memory = isTimed ? MemoryDirectory.forCosts(of: session.plan, scratch: session.scratch) : nil
    defer { memory?.close() }
    _ = try await session.run(
      observer: display.see, memory: memory, interruption: "nothing was compared or changed")
    let model = try ReportModel(reading: run)
    display.clear()
    return try body(model)
  }

  /// The default directory for stores that need a disk.
  private static var disk: String { FileManager.default.temporaryDirectory.path }

  // MARK: - Rules

  private func checkRules() async throws {
    guard !update, maxIncrease.isEmpty else {
      throw UsageError("--update and --max-increase belong to a .csv file; leave them out with rules")
    }
    let measuring = RunOptions.besideRepetition.subtracting(["--skip"])
    let ofCells = Set(try CommandTree(of: CellOptions.self).flags.map(\.flag)).subtracting(measures ? measuring : [])
    let words = try CommandTree(of: Self.self).words(Program.arguments(of: Self.configuration.commandName))
    if let word = words.first(where: { ofCells.contains($0.item?.flag ?? "") }) {
      throw UsageError(
        measuring.contains(word.item?.flag ?? "")
          ? "without --run, nothing is measured; leave out \(word.spelling), or add --run to measure the cells anew"
          : "the rules name the cells: leave out \(word.spelling)")
    }
    let rules = try RuleFile.read(file)
    try output.conclude(try await measures ? measured(rules) : judged(rules))
  }

  private func judged(_ rules: [Rule]) throws -> Comparison {
    guard !allowDebug else { throw UsageError("--allow-debug belongs to --run; leave out --allow-debug") }
    let model = try ReportModel(reading: RunDirectory(path: directory ?? "results/latest"))
    guard model.trials > 0 else {
      throw UsageError("\(model.directory.url.path) has no trial; finish it with 'run --resume'")
    }
    return try RuleCheck(rules: rules, path: file).comparison(model)
  }

  private func measured(_ rules: [Rule]) async throws -> Comparison {
    if let directory {
      throw UsageError("--run measures the cells itself and takes no directory; leave out '\(directory)'")
    }
    try DebugBuild.refuse(
      unless: allowDebug || !rules.contains(where: \.metric.isTimed),
      "\(file) has rules about times, and the times of a debug build say nothing; build with -c release, or add --allow-debug"
    )
    var builder = try PlanBuilder(catalog: .current, cells: cells)
    builder.runHere(in: cells.scratch ?? Self.disk)
    let plan = try RulePlan(rules: rules, builder: builder).plan()
    let check = RuleCheck(rules: rules, path: file, name: "this build")
    return try await counted(plan) { try check.comparison($0) }
  }
}
