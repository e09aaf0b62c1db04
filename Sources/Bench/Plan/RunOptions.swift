import ArgumentParser
import StorageContract
import StorageTrial
import StorageRunFiles

/// The options of `run`. They are also the keys of a plan file, except those in ``ofOneCall``.
struct RunOptions: ParsableArguments {
  @OptionGroup var cells: CellOptions

  @Option(
    help: ArgumentHelp("\(Profile.names): see 'list profiles'.", valueName: "name"),
    completion: .list(Profile.all.map(\.id)), transform: Profile.named)
  var profile: Profile?

  @Option(
    help: ArgumentHelp(
      "A plan file in YAML, with these flags as keys, or the plan.json of a run to repeat; flags beside it hold.",
      valueName: "file"), completion: .file(extensions: ["yaml", "yml", "json"]))
  var plan: String?

  @Option(
    help: ArgumentHelp("Choose the number of rounds so that they take about this long.", valueName: "time"),
    transform: FlagValue.time(FlagValue.budgets))
  var budget: Int64?

  @Option(
    help: ArgumentHelp("Start operations on schedule, so many a second (as fast as they go).", valueName: "ops"),
    transform: FlagValue.rate)
  var rate: Double?

  @Option(
    name: [.customShort("o"), .customLong("out")],
    help: ArgumentHelp(
      "The run's directory (results/DATE-TIME).", valueName: "dir"), completion: .directory)
  var out: String?

  @Option(help: ArgumentHelp("A text to tell this run from others.", valueName: "text"))
  var label: String?

  @Option(
    help: ArgumentHelp("Go on with an interrupted run; takes no cell options.", valueName: "dir"),
    completion: .directory)
  var resume: String?

  @Option(help: ArgumentHelp("Run the I-th of N parts of the cells.", valueName: "i/n"), transform: Shard.init)
  var shard: Shard?

  @Flag(help: "Show what would be run; create nothing.")
  var dryRun = false

  @Flag(help: "Run every cell once, verified and untimed.")
  var once = false

  @Flag(help: "Keep each cell's store, as its cost pass left it, under OUT/stores.")
  var keepStores = false

  @Flag(
    help: "Count in the scratch directory, too; else in memory (/dev/shm), where the stores fit and counts are equal.")
  var costOnDisk = false

  @Option(
    help: ArgumentHelp("Also write ten lines of Markdown: the table, the machine, the command.", valueName: "file"),
    completion: .file(extensions: ["md"]))
  var exportMarkdown: String?

  @Flag(name: .shortAndLong, help: "Print nothing but where the files are, and what failed.")
  var quiet = false

  @Flag(name: .shortAndLong, help: "Print all tables at the end.")
  var verbose = false

  @Flag(help: "Measure although this is a debug build.")
  var allowDebug = false

  @Flag(help: "Time intact and durable rows although the scratch directory is in memory.")
  var allowRamDisk = false

  /// Flags for one call of the command, not for a run. They are not keys of a plan file.
  static let ofOneCall: Set<String> = ["--plan", "--resume", "--dry-run", "--export-markdown", "--version", "--help"]
  /// Flags that may be combined with `--resume`: they concern the screen and the build, and not the run.
  static let besideResume: Set<String> = [
    "--resume", "--quiet", "--verbose", "--allow-debug", "--export-markdown",
  ]
  /// Flags of ``CellOptions`` that may be combined with the plan of a run. They do not change its cells.
  static let besideRepetition: Set<String> = [
    "--skip", "--rounds", "--trial-time", "--cell-limit", "--seed", "--scratch",
  ]

  /// The command with its flags.
  static var tree: CommandTree { get throws { try CommandTree(of: RunOptions.self) } }

  /// The flags that are keys of a plan file.
  static var keys: [CommandTree.Item] { get throws { try tree.flags.filter { !ofOneCall.contains($0.flag) } } }

  /// Checks that no flag besides `--resume` selects what is run.
  ///
  /// - Parameter arguments: The arguments of the command.
  /// - Throws: ``UsageError`` naming the flag.
  static func requireResumable(_ arguments: [String]) throws {
    for word in try tree.words(arguments) where word.item.map({ !besideResume.contains($0.flag) }) ?? false {
      throw UsageError(
        "--resume takes its cells from the run and cannot be combined with \(word.spelling); leave it out")
    }
  }

  /// Checks that a value of a flag is valid, with the flag's own parser.
  static func check(_ flag: CommandTree.Item, _ text: String, _ catalog: Catalog) throws {
    guard !flag.isSwitch else { return }
    do {
      let cells = try parse(["\(flag.flag)=\(text)"]).cells
      _ = try cells.backend.map(catalog.backendSpecs)
      _ = try cells.workload.map(catalog.workloadSpecs)
    } catch let error as UsageError {
      throw error
    } catch {
      let message = message(for: error)
      throw UsageError(ofParser: message) ?? UsageError(message)
    }
  }
}
