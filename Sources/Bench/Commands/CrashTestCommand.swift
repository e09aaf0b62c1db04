import ArgumentParser
import Foundation
import StorageContract
import StorageReport
import StorageRunFiles
import StorageTrial
import StorageVerify
import StorageWorkloads

struct CrashTestCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "crashtest",
    abstract: "Test what a backend keeps after a kill, a full disk, a power cut or a damaged file.",
    discussion: """
      A child process makes saves and reports each one that the backend acknowledged (the save returned without an \
      error), until a fault hits one of its system calls or, with the fault 'memory', one of its allocations. A new \
      process then opens the store, and its records are compared with the acknowledged saves. A failure is reduced to \
      the fewest saves that show it, and shown with the command that repeats it.

      A backend promises the safety level that it reaches, with its options, at the level asked for. The table of \
      crashtest shows both (columns 'asked' and 'level'), 'list backends' only for default options. A loss that the \
      reached level allows, such as any at fragile or volatile, is shown, but breaks no promise: exit code 0 does not \
      mean that nothing was lost. At crash and intact, only a power cut, or a failed sync that drops what was written, \
      may lose acknowledged saves; at durable, not even these may. With the fault 'damage', wrong records or a crash \
      are shown, but break no promise at any level.

      Power cuts are simulated: crashtest logs the calls of the saves, rebuilds the states that a power cut could \
      leave on the disk, and opens each one. There are three models of what a file system keeps. strict: anything not \
      synced may be missing, in any order; so may a file's name, if its directory was not synced. ext4-like: names and \
      truncations reach the disk in order, and a sync of a file keeps its name. ext4-no-journal: a name and its inode \
      (the file's length and blocks) reach the disk separately, and the repair after the cut removes a name without \
      its inode. So a new file may be missing although its directory was synced, and after a rename over an existing \
      file, both the old and the new one. All three are tested; only losses under ext4-like break a promise, the \
      others are shown. No model describes APFS. A case is named power:MODEL:...

      Faults: \(CrashFaults.all.map { "'\($0.id)' (\($0.summary))" }.joined(separator: "; ")).

      crashtest writes safety.json, safety.md and, for shown power cuts, files in replays/ into --out, by default a \
      new directory in results/. 'report' then adds the findings to the reports of a run whose directory is --out or \
      has the same parent directory, if engine versions and settings are equal.

      Exit codes: 0 no broken promise was found; 1 a promise was broken, or a backend could not be tested; 3 none of \
      the chosen faults applies to these backends.
      """)

  @Option(
    name: [.customShort("b"), .long],
    help: ArgumentHelp(
      "Backends with options, separated by commas (default: \(Catalog.defaultNames)).", valueName: "backend,..."),
    completion: .backends)
  var backend: String?

  @Option(
    name: [.customShort("w"), .long],
    help: ArgumentHelp(
      "Make the saves of this workload (default: insertions, changes and deletions in turn).", valueName: "workload"),
    completion: .workloads)
  var workload: String?

  @Option(
    name: [.customShort("n"), .long], help: ArgumentHelp("Records in the store (default: 20).", valueName: "records"),
    transform: FlagValue.count(2...100_000))
  var records: Int?

  @Option(
    help: ArgumentHelp(
      """
      Make exactly these saves, in this order, in a store that holds no other records. Allowed: put-1, put-2, \
      delete-1, delete-2, put-both (records 1 and 2 in one save). Excludes -w, -n, --sequences and --first-save.
      """,
      valueName: "save,..."),
    completion: .words(SequenceSave.allCases.map(\.rawValue)),
    transform: { try Catalog.list($0).map(FlagValue.word("save")) })
  var sequence: [SequenceSave]?

  @Option(
    help: ArgumentHelp(
      "Try every sequence of at most this many (1 to 5) of the saves that --sequence can name.", valueName: "n"),
    transform: FlagValue.count(1...5))
  var sequences: Int?

  @Flag(help: "Make the first save only, in an empty directory, to test how a store is made.")
  var firstSave = false

  @Option(
    help: ArgumentHelp(
      """
      Compact the store (compact), or add an attribute to its records (migrate), after the saves and under the same \
      faults.
      """,
      valueName: "compact|migrate"),
    completion: .words(SaveHistory.Operation.allCases.map(\.rawValue)), transform: FlagValue.word("operation"))
  var then: SaveHistory.Operation?

  @Option(
    help: ArgumentHelp(
      "Faults, separated by commas (default: all except 'memory' and 'schedule').", valueName: "fault,..."),
    completion: .words(CrashFaults.all.map(\.id)), transform: Catalog.list)
  var fault: [String]?

  @Option(
    help: ArgumentHelp(
      """
      Safety levels to ask for: shipped, crash, intact, durable (default: all in this order; a level is left out if \
      asking for it gives the same level as an earlier one in the list).
      """,
      valueName: "level,..."), completion: .words(Durability.allCases.map(\.rawValue)),
    transform: FlagValue.list(FlagValue.word("level")))
  var durability: [Durability]?

  @Option(
    help: ArgumentHelp(
      """
      Cases of each fault, backend and level (default: 200). For 'power': saves during which the power fails, each in \
      many ways (default: 50, at most 200). For 'schedule': pairs of step lists (programs), one for each process; each \
      pair is run in many orders.
      """,
      valueName: "n"), transform: FlagValue.count(1...1_000_000))
  var count: Int?

  @Option(help: ArgumentHelp("Seed that selects the cases (default: 1).", valueName: "seed"), transform: FlagValue.seed)
  var seed: UInt64?

  @Option(
    help: ArgumentHelp(
      "Directory for the stores (default: in memory if there is room, else the directory of --out).", valueName: "dir"),
    completion: .directory)
  var scratch: String?

  @Option(
    help: ArgumentHelp(
      """
      Run one case only: its name from a report; repeat the other options of the command that the report shows. Or, \
      for a power cut, its file in replays/ of an earlier crashtest, which includes backend, level and saves.
      """,
      valueName: "case"),
    completion: .file(extensions: ["json"]))
  var only: String?

  @Flag(help: "Keep the stores of the reported cases in OUT/stores.")
  var keep = false

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      """
      Formats, separated by commas: \(ReportFormats.ofCrashTests.map(\.id).joined(separator: ", ")) (default: json, \
      markdown).
      """,
      valueName: "format,..."), completion: .words(ReportFormats.ofCrashTests.map(\.id)), transform: Catalog.list)
  var format: [String]?

  @Option(
    name: [.customShort("o"), .customLong("out")],
    help: ArgumentHelp("Directory OUT of the files (default: a new one in results/).", valueName: "dir"),
    completion: .directory)
  var out: String?

  @Flag(name: .shortAndLong, help: "Print only what is broken: no progress and no table.")
  var quiet = false

  private static let commits = 50
  private static let mostCommits = 200
  /// The minimum number of saves in a crash test, unless the user selects the saves, for example with `--sequence`.
  private static let saves = 12

  func run() async throws {
    let formats = try ReportFormats.named(format ?? ["json", "markdown"], among: ReportFormats.ofCrashTests)
    let directory = out ?? "results/\(OutputDirectory.stamp())-crashtest"
    try OwnedDirectory.check(out ?? "results", flag: OutputDirectory.flag)
    if let scratch { try OwnedDirectory.check(scratch, flag: "--scratch") }
    // An invalid plan is reported before any directory is created.
    _ = try plan(in: "", keeping: nil, replays: "")
    let owned = try out.map { try Self.claim($0) } ?? .claimNew(directory, flag: OutputDirectory.flag)
    let memory = scratch == nil ? MemoryDirectory.owned(holding: 1) : nil
    let stores = try attempt({ try memory ?? .temporary(in: scratch ?? owned.path) }, undo: owned.removeIfEmpty)
    defer { stores.removeAll() }
    let run = try plan(
      in: stores.path, keeping: keep ? "\(owned.path)/stores" : nil,
      replays: ShownFiles.path(URL(fileURLWithPath: owned.path)) + "/replays")
    let display = ProgressDisplay(isQuiet: quiet)
    let all = (fault?.count ?? CrashFaults.usual.count) * run.subjects.count
    let (results, untested): ([CrashResult], [String])
    do {
      (results, untested) = try await Interruption.cancelling("no report was written; begin again") {
        try await run.results { display.see($0, of: all) }
      }
      display.clear()
    } catch {
      display.clear()
      stores.removeAll()
      owned.removeIfEmpty()
      throw error
    }
    let fileSystem = Linux.fileSystemInWords(of: stores.path) ?? "an unknown file system"
    let report = SafetyReport(
      created: Date().formatted(.iso8601), seed: seed ?? 1,
      place: "Stores on \(fileSystem), \(Linux.kernel ?? "an unknown kernel")",
      findings: results.flatMap(SafetyReport.FaultResult.all))
    let output = ReportOutput(formats: formats, directory: URL(fileURLWithPath: owned.path))
    if quiet {
      let result = try output.write(report)
      StandardOutput.write(result.files.map { "\(ShownFiles.path($0))\n" }.joined())
      StandardOutput.write(commands: result.commands)
    } else {
      try output.deliver(report)
    }
    for sentence in untested { StandardError.say(sentence) }
    let isBroken = report.findings.contains { $0.broken > 0 }
    // A test without cases proves nothing, so it does not pass.
    let isUnjudged = report.findings.allSatisfy { $0.cases == 0 }
    if quiet, isBroken || isUnjudged {
      for sentence in report.sentences { StandardError.say(sentence) }
    }
    if !untested.isEmpty || isBroken { throw ExitCode(ExitStatus.failed) }
    if isUnjudged { throw ExitCode(ExitStatus.unjudged) }
  }

  /// Reserves the directory `out` for the results of a crash test.
  ///
  /// - Throws: `UsageError` unless the directory is new, empty, belongs to a run, or has a report of a crash test.
  private static func claim(_ out: String) throws -> OwnedDirectory {
    try .claim(out, flag: OutputDirectory.flag) { path, names in
      let run = RunDirectory(path: path)
      for name in ["stores", "replays"] where names.contains(name) {
        guard OwnedDirectory.lstat("\(path)/\(name)")?.st_mode.isDirectory == true else {
          throw UsageError("\(path)/\(name) was not created by storage-bench; move it away, or give another --out")
        }
      }
      if names.contains(run.planURL.lastPathComponent) {
        _ = try run.plan()
        return true
      }
      return ReportFormats.haveWritten(names.filter { $0.hasPrefix("safety.") }, in: path)
    }
  }

  private func plan(in directory: String, keeping keeps: String?, replays: String) throws -> CrashRun {
    let catalog = Catalog.current
    let replay = try replay()
    let seed = seed ?? 1
    let records = records ?? 20
    let specs = try (replay?.backend ?? backend).map { try catalog.backendSpecs($0) } ?? catalog.defaultBackends()
    let asked = replay.map { [$0.durability] } ?? durability
    let tested = try specs.flatMap { spec in try durabilities(spec, asked, catalog).map { (spec, $0) } }
    guard !tested.isEmpty else {
      throw UsageError(
        "none of the backends keeps its data on the disk and offers the requested durability; "
          + "give another --durability or --backend")
    }
    let known = CrashFaults.all.map(\.id)
    for fault in fault ?? [] where !known.contains(fault) {
      throw UsageError("--fault: " + Nearest.sentence("fault", fault, among: known))
    }
    let only = replay == nil ? try only.map { try CrashCase(parsing: $0) } : nil
    // A case of an earlier crash test can concern any of that test's saves, so the greatest number of saves is made.
    let commits = only == nil ? min(count ?? Self.commits, Self.mostCommits) : Self.mostCommits
    var histories = try sequenceHistories() ?? [history(catalog, records, seed, max(Self.saves, commits))]
    if firstSave { histories = histories.map(\.first) }
    if let then { histories = histories.map { $0.then(then) } }
    let subjects = try tested.map { spec, durability in
      let tests = try histories.map { history in
        try CrashTest(
          catalog.backend(spec.id), options: spec.options, durability: durability, faults: fault, count: count ?? 200,
          seed: seed, history: history, directory: directory, keeps: keeps, replays: replays, only: only,
          replay: replay)
      }
      return CrashRun.Subject(spec: spec, durability: durability, tests: tests)
    }
    return CrashRun(subjects: subjects, directory: directory)
  }

  private func replay() throws -> CrashReplay? {
    guard let only, only.hasSuffix(".json") else { return nil }
    let others: Set = [
      "--backend", "--workload", "--records", "--sequence", "--sequences", "--first-save", "--then",
      "--fault", "--durability",
    ]
    let words = try CommandTree(of: Self.self).words(Program.arguments(of: Self.configuration.commandName))
    if let given = words.first(where: { others.contains($0.item?.flag ?? "") }) {
      throw UsageError("--only \(only) already selects the case; leave out \(given.spelling)")
    }
    return try CrashReplay(reading: only)
  }

  /// Returns the durabilities to test, without durabilities that the backend does not support.
  ///
  /// - Parameter asked: The requested durabilities; nil to test each safety level once.
  /// - Throws: ``ExitStatus/Failure`` if the backend needs software that is not installed.
  private func durabilities(_ spec: Spec, _ asked: [Durability]?, _ catalog: Catalog) throws -> [Durability] {
    let backend = try catalog.backend(spec.id)
    if let reason = backend.description.missing(for: spec.options) {
      throw ExitStatus.Failure(ExitStatus.unavailable, "\(spec): \(reason)")
    }
    // A backend that keeps data only in memory leaves nothing that a crash test could check.
    guard backend.description.kind(spec.options) != .memory else { return [] }
    var levels: Set<Level> = []
    return (asked ?? Durability.allCases).filter { durability in
      guard case .level(let level) = backend.promise(durability, spec.options) else { return false }
      return levels.insert(level).inserted || asked != nil
    }
  }

  private func sequenceHistories() throws -> [SaveHistory]? {
    guard sequence != nil || sequences != nil else { return nil }
    let others = [
      ("--sequence", sequence != nil), ("--sequences", sequences != nil), ("--workload", workload != nil),
      ("--records", records != nil), ("--first-save", firstSave),
    ]
    let given = others.filter(\.1).map(\.0)
    guard given.count == 1 else {
      throw UsageError("\(given[0]) and \(given[1]) both say which saves are made; give one")
    }
    if let sequences { return try SaveHistory.sequences(upTo: sequences) }
    return [try SaveHistory(sequence: sequence ?? [])]
  }

  private func history(_ catalog: Catalog, _ records: Int, _ seed: UInt64, _ saves: Int) throws -> SaveHistory {
    guard let workload else { return SaveHistory(records: records, count: saves + 1, seed: seed) }
    let specs = try catalog.workloadSpecs(workload)
    guard let spec = specs.first, specs.count == 1 else {
      throw UsageError(
        "--workload '\(workload)' names several workloads; crashtest takes only one, such as save-one")
    }
    return try SaveHistory(spec, records: records, seed: seed, operations: saves)
  }
}
