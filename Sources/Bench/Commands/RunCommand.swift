import ArgumentParser
import Foundation
import StorageContract
import StorageReport
import StorageRunFiles
import StorageWorkloads

/// `run`: the main job.
struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Run a benchmark matrix and write its reports (the default command).",
    discussion: """
      Without -w, -n and --profile it is the quick profile, which the other options narrow or override. With -w or \
      -n and no profile: the default backends, save-one, 1,000 records, unless given.
      """)

  @OptionGroup var cells: CellOptions

  @Option(help: ArgumentHelp("quick, counts, full or ycsb: see 'list profiles'.", valueName: "name"))
  var profile: String?

  @Option(
    help: ArgumentHelp(
      "A plan file in YAML, with these flags as keys, or the plan.json of a run to repeat; flags beside it hold.",
      valueName: "file"))
  var plan: String?

  @Option(help: ArgumentHelp("Choose the number of rounds so that they take about this long.", valueName: "time"))
  var budget: String?

  @Option(help: ArgumentHelp("Start operations on schedule, so many a second (as fast as they go).", valueName: "ops"))
  var rate: String?

  @Option(
    name: [.customShort("o"), .customLong("out")],
    help: ArgumentHelp(
      "The run's directory (results/DATE-TIME).", valueName: "dir"))
  var out: String?

  @Option(help: ArgumentHelp("A text to tell this run from others.", valueName: "text"))
  var label: String?

  @Option(help: ArgumentHelp("Go on with an interrupted run; takes no cell options.", valueName: "dir"))
  var resume: String?

  @Option(help: ArgumentHelp("Run the I-th of N parts of the cells.", valueName: "i/n"))
  var shard: String?

  @Flag(help: "Show what would be run; create nothing.")
  var dryRun = false

  @Flag(help: "Run every cell once, verified and untimed.")
  var once = false

  @Flag(help: "Keep each cell's store, as its cost pass left it, under OUT/stores.")
  var keepStores = false

  @Flag(name: .shortAndLong, help: "Print nothing but where the files are.")
  var quiet = false

  @Flag(help: "Measure although this is a debug build.")
  var allowDebug = false

  @Flag(help: "Take intact and durable rows although the scratch directory is in memory.")
  var allowRamDisk = false

  mutating func run() async throws {
    if resume != nil, plan != nil {
      throw UsageError("--resume takes its cells from the run and cannot be combined with --plan; leave it out")
    }
    let source = try plan.map { try PlanSource(path: $0, catalog: .current) }
    if case .file(let file) = source { file.apply(to: &self) }
    #if DEBUG
      guard allowDebug || dryRun else {
        throw UsageError("this is a debug build, whose times say nothing; build with -c release, or give --allow-debug")
      }
    #endif
    let isOK: Bool
    if let resume {
      isOK = try await resumed(RunDirectory(path: resume))
    } else {
      isOK = try await started(source)
    }
    if !isOK { throw ExitCode(ExitStatus.failed) }
  }

  /// Plans and runs from the beginning.
  ///
  /// - Parameter source: What `--plan` names.
  private func started(_ source: PlanSource?) async throws -> Bool {
    let profile = try self.profile.map { try Profile.named($0) }
    let out = RunDirectory(path: self.out ?? "results/\(Self.stamp())")
    var repeated: Plan?
    if case .run(let plan) = source { repeated = plan }
    let elsewhere = cells.scratch ?? repeated.flatMap { PlanBuilder.scratch(of: $0, file: self.plan ?? "") }
    let scratch = URL(fileURLWithPath: elsewhere ?? out.url.appendingPathComponent("scratch").path).path
    guard budget == nil || cells.rounds == nil else {
      throw UsageError("--budget and --rounds both set the number of rounds; leave out one")
    }
    var builder = PlanBuilder(
      catalog: .current, cells: cells, profile: profile, isRAMDisk: Linux.isRAMDisk(scratch),
      allowsRAMDisk: allowRamDisk)
    builder.repeated = repeated
    // A profile named beside a plan file takes the place of its cells.
    if case .file(let file) = source, profile == nil { builder.blocks = file.blocks }
    builder.budget = try budget.map { try Self.budget($0) }
    builder.rate = try rate.map { try Self.rate($0) }
    builder.once = once
    builder.keepStores = keepStores
    builder.shard = try shard.map { try Shard($0) }
    builder.label = label
    // Where the executable lies says nothing of the run.
    builder.command = ["storage-bench"] + CommandLine.arguments.dropFirst()
    builder.scratch = scratch
    builder.dataset = try (cells.dataset ?? repeated?.dataset).map { try Dataset(path: $0) }
    let plan = try builder.plan()
    try Self.checkNew(out)
    try OutputDirectory.check(out.url.path, flag: "--out")
    try OutputDirectory.check(scratch, flag: "--scratch")
    if dryRun {
      StandardOutput.write(DryRun.text(plan))
      return true
    }
    if let dataset = builder.dataset, !quiet { StandardError.write(dataset.mapping + "\n") }
    let created = try OutputDirectory.create(out.url.path)
    let lock: Scratch
    do {
      lock = try Self.scratch(scratch, of: out)
    } catch {
      // A run that does not begin leaves nothing behind.
      if let created { try? FileManager.default.removeItem(atPath: created) }
      throw error
    }
    try out.begin(plan, MachineProbe(catalog: .current, scratch: scratch).environment())
    if self.out == nil { LatestLink.point(to: out) }
    return try await execute(plan, out, lock)
  }

  /// Goes on where the journal ends.
  private func resumed(_ directory: RunDirectory) async throws -> Bool {
    let given = Self.cellFlags(in: CommandLine.arguments)
    guard given.isEmpty else {
      throw UsageError("--resume takes its cells from the run and cannot be combined with \(given[0]); leave it out")
    }
    try directory.check()
    let plan = try directory.plan()
    if let path = plan.dataset, try Dataset(path: path).hash != plan.datasetHash {
      throw UsageError("\(path) has changed since the run began; begin a new run")
    }
    _ = try plan.cells.map { try Catalog.current.workload($0.cell.workload) }
    return try await execute(plan, directory, try Self.scratch(plan.scratch, of: directory))
  }

  private func execute(_ plan: Plan, _ directory: RunDirectory, _ scratch: Scratch) async throws -> Bool {
    let display = ProgressDisplay(isQuiet: quiet)
    let runner = Runner(
      plan: plan, catalog: .current, directory: directory, scratch: scratch,
      launcher: ProcessLauncher(executable: ProcessInfo.executable), observer: display,
      sampler: FitnessProbe(directory: scratch.path))
    let isOK: Bool
    do {
      isOK = try await Interruption.cancelling { try await runner.run() }
    } catch is CancellationError {
      display.clear()
      scratch.close(keepingFixtures: true)
      throw ExitStatus.Failure(
        ExitStatus.interrupted,
        "interrupted; what was measured is kept: go on with 'storage-bench run --resume \(Self.shown(directory))'")
    } catch {
      display.clear()
      scratch.close(keepingFixtures: true)
      throw error
    }
    display.clear()
    scratch.close(keepingFixtures: false)
    let model = try ReportModel(reading: directory)
    let written = try RunReport().deliver(model)
    let files = RunReport.named(written.files)
    StandardOutput.write(
      quiet
        ? files.map { "\($0.name): \($0.path)\n" }.joined()
        : "\n" + TerminalReport.text(model, paths: files))
    StandardOutput.write(written.commands)
    return isOK
  }

  static func checkNew(_ directory: RunDirectory) throws {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.url.path)) ?? []
    if names.contains(directory.planURL.lastPathComponent) || names.contains(directory.trialsURL.lastPathComponent) {
      throw UsageError("--out \(shown(directory)) holds another run; give a new directory, or go on with --resume")
    }
  }

  private static func scratch(_ path: String, of directory: RunDirectory) throws -> Scratch {
    // Where the run's own directory holds the stores, it has no use for an empty place when they are gone.
    try Scratch(path, isOwn: path.hasPrefix(directory.url.path + "/"))
  }

  private static func shown(_ directory: RunDirectory) -> String {
    RunReport.named([directory.url])[0].path
  }

  /// Reads `--budget`, in nanoseconds.
  static func budget(_ text: String) throws -> Int64 {
    try Numbers.time(text, flag: "--budget", in: 1_000_000_000...86_400_000_000_000)
  }

  /// Reads `--rate`, in operations per second.
  static func rate(_ text: String) throws -> Double {
    guard let rate = Double(text), rate > 0, rate <= 1e9 else {
      throw UsageError("--rate '\(text)' is not usable; give operations per second, such as 100")
    }
    return rate
  }

  /// The flags that choose cells, as far as the arguments have them.
  static func cellFlags(in arguments: [String]) -> [String] {
    let flags: Set<String> = [
      "-b", "--backend", "-w", "--workload", "--skip", "-n", "--records", "--record-bytes", "--payload",
      "--durability", "--threads", "--cache", "--dataset", "--rounds", "--trial-time", "--cell-limit", "--seed",
      "--scratch", "--profile", "--budget", "--rate", "-o", "--out", "--label", "--shard", "--once", "--keep-stores",
    ]
    return arguments.map { String($0.prefix { $0 != "=" }) }.filter(flags.contains)
  }

  static func stamp() -> String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.dateFormat = "yyyy-MM-dd-HHmmss"
    return formatter.string(from: Date())
  }
}
