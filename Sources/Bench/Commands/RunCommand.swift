import ArgumentParser
import Foundation
import StorageContract
import StorageReport
import StorageRunFiles
import StorageTrial
import StorageWorkloads

struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Run a benchmark matrix and write its reports (the default command).",
    discussion: """
      Without -w, -n, --plan and --profile, it runs the profile 'quick'. With -w or -n but no profile, the defaults \
      are the default backends (see -b), the workload save-one, 1000 records and the level shipped.

      With a profile, the defaults are those of the profile; -b, -n and --durability replace its backends, numbers of \
      records and levels. -w runs only the workloads that it names. A workload of the profile keeps the profile's \
      numbers of records, any other has 1000; -n replaces both.

      Workloads that only read open the store with the settings of the first level of --durability. So with -b sqlite \
      at shipped, reads are measured without a write-ahead log; to measure reads with one, give -b sqlite:journal=wal.

      A cell is n/a, which is no failure, if the backend lacks the level or cannot run the workload here. It fails \
      (exit code 1) if records are wrong at the end, or if its saves make fewer writes or syncs (fsync and the like) \
      than the level needs.
      """)

  @OptionGroup var options: RunOptions

  mutating func run() async throws {
    _ = Self.start
    if options.resume != nil, options.plan != nil {
      throw UsageError("--resume goes on with the run's own options; leave out --plan")
    }
    if let file = options.exportMarkdown { try OutputDirectory.checkMarkdown(file, flag: "--export-markdown") }
    let source = try options.plan.map { try PlanSource(path: $0, catalog: .current) }
    if let source {
      let arguments = try RunOptions.tree.joined(Program.arguments(of: Self.configuration.commandName))
      switch source {
      case .file(let file): options = try file.options(beside: arguments)
      case .rules: try PlanBuilder.requireSameCells(arguments, words: "--plan measures the cells that rules name")
      case .run: try PlanBuilder.requireSameCells(arguments, words: "--plan repeats the cells of a run")
      }
    }
    try DebugBuild.refuse(unless: options.allowDebug || options.dryRun)
    if device(of: source) != nil, !options.dryRun { try DeviceDisk.enterNamespace() }
    let isOK = try await Interruption.postponed {
      if let resume = options.resume { return try await resumed(resume) }
      return try await started(source)
    }
    if !isOK { throw ExitCode(ExitStatus.failed) }
  }

  /// Returns the kind of file system, such as ext4, to create in an image file for the stores; nil for none.
  private func device(of source: PlanSource?) -> DeviceKind? {
    if let device = options.device { return device }
    if case .run(let plan) = source { return plan.device }
    // A run that cannot be read is refused later, with the reason.
    return options.resume.flatMap { try? RunDirectory(path: $0).plan().device }
  }

  /// Measures a new run and writes its reports; with `--dry-run`, only prints the plan. Returns false if a measurement
  /// failed.
  ///
  /// - Parameter source: The file that `--plan` names; nil without that option.
  private func started(_ source: PlanSource?) async throws -> Bool {
    let given = try options.out.map { try OwnedDirectory.absolute($0, flag: OutputDirectory.flag) }
    var repeated: Plan?
    if case .run(let plan) = source { repeated = plan }
    let elsewhere = options.cells.scratch ?? repeated.flatMap(PlanBuilder.scratch(of:))
    let scratch = try Scratch.directory(elsewhere, out: given ?? "results/\(OutputDirectory.stamp())")
    guard options.budget == nil || options.cells.rounds == nil else {
      throw UsageError("--budget and --rounds both set the number of rounds; leave out one")
    }
    var builder = PlanBuilder(catalog: .current, options: options)
    builder.runHere(in: scratch)
    builder.repeated = repeated
    // `--profile` replaces the benchmarks (cells) that a plan file lists.
    if case .file(let file) = source, options.profile == nil { builder.blocks = file.blocks }
    if case .rules(let rules) = source {
      builder.ruled = { try RulePlan(rules: rules, builder: $0).cells(rounds: $1) }
    }
    builder.timesLogsLonger = true
    builder.dataset = try Dataset.given(by: options.cells, or: repeated)
    let plan = try builder.plan()
    try OwnedDirectory.check(given ?? "results", flag: OutputDirectory.flag)
    try OwnedDirectory.check(elsewhere ?? given ?? "results", flag: "--scratch")
    if let question = builder.dataset?.question { StandardError.say(question) }
    if options.dryRun {
      StandardOutput.write(DryRun.text(plan))
      return true
    }
    if let words = plan.datasetInWords, !options.quiet { StandardError.write(words.visible + "\n") }
    let owned = try OutputDirectory.claim(options.out)
    let session = try attempt {
      try RunSession.open(
        plan, at: RunDirectory(path: owned.path), stores: Scratch.directory(elsewhere, out: owned.path))
    } undo: {
      owned.removeIfEmpty()
    }
    if options.out == nil { OutputDirectory.linkLatest(to: session.directory) }
    return try await execute(session, owned, before: 0)
  }

  /// Continues the interrupted run in the directory `given`. Returns false if a measurement failed.
  private func resumed(_ given: String) async throws -> Bool {
    let path = try OwnedDirectory.absolute(given, flag: "--resume")
    try RunDirectory(path: path).check()
    let owned = try OwnedDirectory.claim(path, flag: "--resume") { _, _ in true }
    let directory = RunDirectory(path: owned.path)
    try RunOptions.requireResumable(Program.arguments(of: Self.configuration.commandName))
    let session = try RunSession.resume(directory)
    // The recorded duration is nil, meaning unknown, while the run continues. It stays nil if this process is killed.
    let before = try directory.environment().wall
    try directory.note(wall: nil)
    return try await execute(session, owned, before: before)
  }

  /// Makes the missing measurements of a run, and writes the reports. Returns false if a measurement failed.
  ///
  /// - Parameter before: The seconds that the run took before an interruption; 0 for a new run; nil if unknown.
  private func execute(_ session: RunSession, _ owned: OwnedDirectory, before: Double?) async throws -> Bool {
    defer { withExtendedLifetime(owned) {} }
    let (directory, scratch) = (session.directory, session.scratch)
    func noteWall() throws { try directory.note(wall: before.map { $0 + Self.sinceStart }) }
    let display = ProgressDisplay(isQuiet: options.quiet, lines: options.verbose ? .all : .failed)
    let memory = MemoryDirectory.forCosts(of: session.plan, scratch: scratch)
    defer { memory?.close() }
    let isOK: Bool
    do {
      isOK = try await session.run(
        observer: display.see, memory: memory, sampler: FitnessProbe(directory: scratch.path).sample)
    } catch {
      display.clear()
      scratch.close(keepingFixtures: true)
      guard error is CancellationError || error is FileWriteError else { throw error }
      try? noteWall()
      let advice =
        "what was measured is kept: go on with: "
        + "\(Program.name) run --resume \(ShellWords.quoted(ShownFiles.path(directory.url)))"
      guard let error = error as? FileWriteError else {
        throw ExitStatus.Failure(ExitStatus.interrupted, "interrupted; \(advice)")
      }
      throw FileWriteError(path: error.path, reason: error.reason, advice: "\(error.advice); \(advice)")
    }
    display.clear()
    scratch.close(keepingFixtures: false)
    let model = try ReportModel(reading: directory)
    let report = RunReport(model)
    let written = try ReportOutput(formats: ReportFormats.usual, directory: directory.url).write(report)
    if options.quiet {
      StandardOutput.write(ShownFiles.named(written.files).map { "\($0.name): \($0.path)\n" }.joined())
    } else {
      StandardOutput.write("\n")
      Screen.show(options.verbose ? report.document : report.short, files: written.files, isBrief: !options.verbose)
    }
    StandardOutput.write(commands: written.commands)
    if let file = options.exportMarkdown {
      try AtomicFile.write(
        MarkdownFormat.shortText(report), to: URL(fileURLWithPath: file), replacing: OutputDirectory.isShortMarkdown)
    }
    try noteWall()
    // `--quiet` prints no report, so the error has to name the failed measurement.
    if options.quiet, !isOK, let failure = report.failure { throw ExitStatus.Failure(ExitStatus.failed, failure) }
    if options.verbose, let share = MeasuringShare(model.measured, try directory.environment()) {
      StandardOutput.write("\n" + TerminalWriter.text(share.sentence, width: Screen.width))
    }
    return isOK
  }

  private static var sinceStart: Double { (ContinuousClock.now - start) / .seconds(1) }
  private static let start = ContinuousClock.now
}

/// The content of the file that `--plan` names: a plan file, a list of rules, or the plan of an earlier run.
enum PlanSource: Sendable {
  case file(PlanFile)
  case rules([Rule])
  case run(Plan)

  init(path: String, catalog: Catalog) throws {
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
      throw UsageError("--plan \(path) does not exist; name a plan file, or the plan.json of a run")
    }
    guard !isDirectory.boolValue else {
      throw UsageError("--plan \(path) is a directory; name a file, such as \(path)/plan.json")
    }
    let data = try AtomicFile.contents(path)
    if path.hasSuffix(".json") || RunDirectory.isPlan(data) {
      self = .run(try Plan(data, path: path))
    } else {
      guard let text = String(bytes: data, encoding: .utf8) else {
        throw UsageError("\(path) is not UTF-8; save it as UTF-8")
      }
      self =
        try RuleFile.isRules(text)
        ? .rules(RuleFile.parse(text, path: path)) : .file(PlanFile(text, path: path, catalog: catalog))
    }
  }
}
