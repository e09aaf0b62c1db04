import ArgumentParser
import StorageContract
import StorageRunFiles

/// The options of `run`. A plan file has them as keys.
struct RunOptions: ParsableArguments {
  @OptionGroup var cells: CellOptions

  @Option(
    help: ArgumentHelp("\(Profile.names): see 'list profiles'.", valueName: "name"),
    completion: .list(Profile.all.map(\.id)))
  var profile: String?

  @Option(
    help: ArgumentHelp(
      "A plan file in YAML, with these flags as keys, or the plan.json of a run to repeat; flags beside it hold.",
      valueName: "file"), completion: .file(extensions: ["yaml", "yml", "json"]))
  var plan: String?

  @Option(help: ArgumentHelp("Choose the number of rounds so that they take about this long.", valueName: "time"))
  var budget: String?

  @Option(help: ArgumentHelp("Start operations on schedule, so many a second (as fast as they go).", valueName: "ops"))
  var rate: String?

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

  @Option(help: ArgumentHelp("Run the I-th of N parts of the cells.", valueName: "i/n"))
  var shard: String?

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

  @Flag(help: "Measure although this is a debug build.")
  var allowDebug = false

  @Flag(help: "Time intact and durable rows although the scratch directory is in memory.")
  var allowRamDisk = false

  /// Reads `--budget`, in nanoseconds.
  static func budget(_ text: String) throws -> Int64 {
    try Numbers.time(text, flag: "--budget", in: 1_000_000_000...86_400_000_000_000)
  }

  /// Reads `--rate`, in operations per second.
  static func rate(_ text: String) throws -> Double {
    guard let rate = Double(text), FileNumbers.rate.contains(rate) else {
      throw UsageError("--rate '\(text)' is not usable; give operations per second, such as 100")
    }
    return rate
  }

  /// The flags that `--resume` cannot be combined with, as far as the arguments have them: all but those about the screen
  /// and the build. A flag that is added is among them.
  static func flagsBesideResume(in arguments: [String]) -> [String] {
    let allowed: Set<String> = ["--resume", "-q", "--quiet", "--allow-debug", "--export-markdown"]
    return arguments.filter { $0.hasPrefix("-") }.map { String($0.prefix { $0 != "=" }) }
      .filter { !allowed.contains($0) }
  }

  /// The flags that say what `run` does, as far as the arguments have them: a file of rules is checked against a run that is
  /// there, and takes none of them.
  static func cellFlags(in arguments: [String]) -> [String] {
    let flags: Set<String> = [
      "-b", "--backend", "-w", "--workload", "--skip", "-n", "--records", "--record-bytes", "--payload",
      "--durability", "--threads", "--cache", "--aged", "--memory", "--dataset", "--rounds", "--trial-time",
      "--cell-limit", "--seed",
      "--scratch", "--profile", "--budget", "--rate", "-o", "--out", "--label", "--shard", "--once", "--keep-stores",
      "--cost-on-disk",
    ]
    return arguments.map { String($0.prefix { $0 != "=" }) }.filter(flags.contains)
  }
}
