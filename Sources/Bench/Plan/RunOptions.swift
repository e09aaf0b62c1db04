import ArgumentParser
import StorageContract
import StorageRunFiles
import StorageTrial
import StorageWorkloads

/// The options of the command `run`. Most can also be keys of a plan file, but not those in ``ofOneCall``.
struct RunOptions: ParsableArguments {
  @OptionGroup var cells: CellOptions

  @Option(
    help: ArgumentHelp("\(Profile.names): see 'list profiles'.", valueName: "name"),
    completion: .list(Profile.all.map(\.id)), transform: Profile.named)
  var profile: Profile?

  @Option(
    help: ArgumentHelp(
      """
      A plan: a YAML file with these flags as keys, one per line, such as 'records: [100, 10k]' and 'once: true'. Or a \
      rules file of 'check', to measure the cells that its rules name. Or the plan.json of an earlier run, to repeat \
      it. Flags on the command line override the file; with rules or plan.json, flags that change the cells are \
      refused.
      """,
      valueName: "file"), completion: .file(extensions: ["yaml", "yml", "json"]))
  var plan: String?

  @Option(
    help: ArgumentHelp(
      "Choose the number of rounds, 1 to 20, so that the run takes about this time, such as 5m.", valueName: "time"),
    transform: FlagValue.time(FlagValue.budgets))
  var budget: Int64?

  @Option(
    help: ArgumentHelp(
      """
      Start this many operations per second, one by one on a fixed schedule, and measure each latency from its \
      scheduled start, not from its real one (default: each operation starts when the one before has ended).
      """,
      valueName: "ops"),
    transform: FlagValue.rate)
  var rate: Double?

  @Option(
    name: [.customShort("o"), .customLong("out")],
    help: ArgumentHelp(
      "The run's directory OUT (default: results/DATE-TIME).", valueName: "dir"), completion: .directory)
  var out: String?

  @Option(help: ArgumentHelp("A name for this run in its reports.", valueName: "text"))
  var label: String?

  @Option(
    help: ArgumentHelp(
      "Continue the interrupted run in this directory. Only -q, -v, --allow-debug and --export-markdown may be added.",
      valueName: "dir"),
    completion: .directory)
  var resume: String?

  @Option(
    help: ArgumentHelp("Run only part I of N of the cells, such as 1/4; 'merge' joins the parts.", valueName: "i/n"),
    transform: Shard.init)
  var shard: Shard?

  @Flag(help: "Show what would be run; create nothing.")
  var dryRun = false

  @Flag(help: "Run every cell once, untimed, and verify the records of its store; a wrong one is exit code 1.")
  var once = false

  @Flag(help: "Keep each cell's store in OUT/stores, as the untimed trial that counts calls has left it.")
  var keepStores = false

  @Flag(
    help:
      """
      Run the untimed trial, which counts bytes, writes and syncs, in the directory of --scratch, for example to check \
      that its disk gives the same counts. By default, it runs in memory (/dev/shm), which is faster, if its store \
      fits, except with --cache cold or --memory.
      """
  )
  var costOnDisk = false

  @Option(
    help: ArgumentHelp(
      """
      Make all stores, including those of timed trials, in an image file with this file system (ext4, ext4-no-journal, \
      xfs or btrfs), and count the bytes that reach its block device. Needs root.
      """,
      valueName: "kind"),
    completion: .list(DeviceKind.allCases.map(\.rawValue)), transform: FlagValue.word("file system"))
  var device: DeviceKind?

  @Option(
    help: ArgumentHelp(
      """
      Also write a summary of about ten lines in Markdown: the recommendation, one table (saves of one record or, if \
      the run has none, its first 12 cells), the machine and the command.
      """,
      valueName: "file"),
    completion: .file(extensions: ["md"]))
  var exportMarkdown: String?

  @Flag(name: .shortAndLong, help: "Print only the paths of the files, and what failed.")
  var quiet = false

  @Flag(name: .shortAndLong, help: "Print a line for each cell, and all tables at the end.")
  var verbose = false

  @Flag(help: "Measure even if storage-bench itself is a debug build.")
  var allowDebug = false

  @Flag(
    help:
      """
      Time the levels intact and durable even if the directory of --scratch is in memory. Without this flag, the run \
      is refused if --durability (also as a key of --plan) names one of them. Cells at these levels that a profile or \
      --plan lists are skipped.
      """
  )
  var allowRamDisk = false

  /// The options of `run` that cannot be keys of a plan file, because they concern only one call of the command.
  static let ofOneCall: Set<String> = ["--plan", "--resume", "--dry-run", "--export-markdown", "--version", "--help"]
  /// The options that may be combined with `--resume`, because they do not concern the measurements.
  static let besideResume: Set<String> = [
    "--resume", "--quiet", "--verbose", "--allow-debug", "--export-markdown",
  ]
  /// The options of ``CellOptions`` that are allowed together with a file of rules or with the plan of an earlier run.
  static let besideRepetition: Set<String> = [
    "--skip", "--rounds", "--trial-time", "--cell-limit", "--seed", "--scratch",
  ]

  static var tree: CommandTree { get throws { try readTree.get() } }
  /// All options of `run`, parsed only once, because parsing is slow.
  private static let readTree = Result { try CommandTree(of: RunOptions.self) }

  static var keys: [CommandTree.Item] { get throws { try tree.flags.filter { !ofOneCall.contains($0.flag) } } }

  static func requireResumable(_ arguments: [String]) throws {
    for word in try tree.words(arguments) where word.item.map({ !besideResume.contains($0.flag) }) ?? false {
      throw UsageError("--resume goes on with the run's own options; leave out \(word.spelling)")
    }
  }

  static func check(_ flag: CommandTree.Item, _ text: String, _ catalog: Catalog) throws {
    guard !flag.isSwitch else { return }
    do {
      let cells = try parse(["\(flag.flag)=\(text)"]).cells
      _ = try cells.backend.map(catalog.backendSpecs)
      _ = try cells.workload.map(catalog.workloadSpecs)
    } catch  where !(error is UsageError) {
      let message = message(for: error)
      throw UsageError(ofParser: message) ?? UsageError(message)
    }
  }
}

/// One of several runs that divide the benchmarks of a plan between them: `2/4` is the second of four.
struct Shard: Sendable, Equatable, CustomStringConvertible {
  let number: Int
  let count: Int

  init(_ text: String) throws {
    guard let shard = FileNumbers.shard(text) else {
      throw UsageError(
        "'\(text)' is not a shard; give I/N with N from 1 to \(Quantity.grouped(FileNumbers.shards.upperBound)) "
          + "and I from 1 to N, such as 2/4")
    }
    (number, count) = shard
  }

  /// Returns whether this shard measures the named benchmark. A hash of the name decides.
  func takes(_ name: String) -> Bool {
    var hash = StableHash()
    hash.add(name)
    return Int(hash.value % UInt64(count)) == number - 1
  }

  var description: String { "\(number)/\(count)" }
}
