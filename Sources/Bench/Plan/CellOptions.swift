import ArgumentParser
import StorageContract
import StorageRunFiles
import StorageTrial
import StorageWorkloads

/// The options that choose the benchmarks and the conditions of measuring. ``PlanBuilder`` fills in options that are
/// nil.
struct CellOptions: ParsableArguments {
  @Option(
    name: [.customShort("b"), .long],
    help: ArgumentHelp(
      """
      Backends, such as lmdb,sqlite:journal=wal:page=8192 or 'sqlite*'. 'all' is everything in 'list backends', \
      including baselines, which write no files. The overview says when the default backends are used: \
      \(Catalog.defaultNames).
      """,
      valueName: "backend,...|glob|all"), completion: .backends)
  var backend: String?

  @Option(
    name: [.customShort("w"), .long],
    help: ArgumentHelp(
      """
      Workloads, such as save-one,mix:read=80:update=20 or 'read-*'; see 'list workloads' (default: see the overview).
      """,
      valueName: "workload|glob,..."),
    completion: .workloads)
  var workload: String?

  @Option(
    help: ArgumentHelp(
      """
      Leave out cells whose whole name matches, such as 'sqlite/read-*'. A name is \
      BACKEND/WORKLOAD/RECORDS/DURABILITY, with options and conditions. DURABILITY is the level asked for, '-' for \
      workloads that only read. * matches any text, / included. May be repeated.
      """,
      valueName: "glob"))
  var skip: [String] = []

  @Option(
    name: [.customShort("n"), .long],
    help: ArgumentHelp(
      "Records in the store, such as 100,10k (default: see the overview).", valueName: "records,..."),
    transform: FlagValue.list(FlagValue.count(FileNumbers.records)))
  var records: [Int]?

  @Option(
    help: ArgumentHelp("Payload bytes of a record (default: 100).", valueName: "bytes"),
    transform: FlagValue.count(FileNumbers.recordBytes))
  var recordBytes: Int?

  @Option(
    help: ArgumentHelp("Payloads: random (incompressible) or text (words) (default: random).", valueName: "kind"),
    completion: .list(["random", "text"]), transform: FlagValue.word("payload"))
  var payload: GeneratedRecords.Payload?

  @Option(
    help: ArgumentHelp(
      """
      Safety levels: shipped (the library's defaults), crash (a kill loses nothing), intact (and a power cut does not \
      damage the store), durable (and a power cut loses no save) (default: see the overview). Workloads that only read \
      run at the first level alone.
      """,
      valueName: "level,..."), completion: .words(Durability.allCases.map(\.rawValue)),
    transform: FlagValue.list(FlagValue.word("durability")))
  var durability: [Durability]?

  @Option(
    help: ArgumentHelp(
      """
      Concurrent threads of workloads that have the option threads in 'list workloads'; others use one (default: 1).
      """, valueName: "k"),
    transform: FlagValue.count(FileNumbers.threads))
  var threads: Int?

  @Option(
    help: ArgumentHelp(
      """
      Page cache at the start of a trial: warm, or cold (the store's files are dropped from it; each page is cached \
      again once the trial has read it) (default: warm).
      """,
      valueName: "state"),
    completion: .list(["warm", "cold"]), transform: FlagValue.word("cache state"))
  var cache: CacheState?

  @Option(
    help: ArgumentHelp(
      """
      Before measuring, age each store by K changes per record: updates, deletions, insertions (default: 0). Several \
      values, such as 0,10, make separate cells.
      """, valueName: "k,..."),
    transform: FlagValue.list(FlagValue.count(FileNumbers.changes)))
  var aged: [Int]?

  @Option(
    help: ArgumentHelp(
      """
      Limit of the measured process's memory (heap and page cache), such as 64MiB or all,64MiB; all is no limit \
      (default: all). A cell is n/a if that is too little, or if control groups (cgroups) cannot be used here.
      """,
      valueName: "size,..."), transform: FlagValue.list(FlagValue.memory))
  var memory: [Int?]?

  @Option(
    help: ArgumentHelp(
      """
      Your own records: all rows of a .csv or .jsonl file, in place of -n, --record-bytes and --payload. Columns id, \
      name, group, score, modified and payload fill these fields; others are appended to the payload. Without a \
      column, id is the row's number, a text empty, a number 0.
      """,
      valueName: "file"), completion: .file(extensions: ["csv", "jsonl"]))
  var dataset: String?

  @Option(
    help: ArgumentHelp(
      """
      Column that fills a field of --dataset, such as name=title; 'id=' leaves a field without a column. In the field \
      modified, dates such as 2026-01-31 need no unit. Append the unit of numbers to the column's name: \
      modified=edited:unix (seconds since 1970), edited:apple (since 2001), edited:ms (milliseconds since 1970). \
      Without a unit, numbers are refused unless exactly one of unix and apple puts them all between 1990 and 2100. \
      May be repeated.
      """,
      valueName: "field=column"))
  var map: [String] = []

  @Option(
    help: ArgumentHelp(
      """
      Timed trials of each cell (default: 6). In 'paired' and 'noise': pairs of trials (default: 12; 20 for a cell \
      that syncs).
      """,
      valueName: "r"),
    transform: FlagValue.count(1...FileNumbers.rounds.upperBound))
  var rounds: Int?

  @Option(
    help: ArgumentHelp(
      """
      Length of the timed part of a trial (default: 100ms; 20ms in 'check', in the profile 'quick', and in 'paired' \
      and 'noise' without -w and -n; other profiles may differ). For saves into a write-ahead log, the default in \
      'run' is at least 100ms at durable and 50ms at other levels, to include a checkpoint.
      """,
      valueName: "time"),
    transform: FlagValue.time(1_000_000...FileNumbers.trialTime.upperBound))
  var trialTime: Int64?

  @Option(
    help: ArgumentHelp(
      """
      Stop a timed trial after this time and mark its cell failed (default: 30s). The untimed trial that counts is \
      stopped only if it hangs.
      """,
      valueName: "time"), transform: FlagValue.time(10_000_000...FileNumbers.cellLimit.upperBound))
  var cellLimit: Int64?

  @Option(
    help: ArgumentHelp(
      "Seed of the generated records, operations and order of trials (default: 1).", valueName: "seed"),
    transform: FlagValue.seed)
  var seed: UInt64?

  @Option(
    help: ArgumentHelp(
      "Directory for the stores (default: in the directory of --out; for 'check': a temporary one).", valueName: "dir"),
    completion: .directory)
  var scratch: String?

  /// Whether the user gave an option that chooses benchmarks (cells), such as `--backend`.
  var choosesCells: Bool {
    backend != nil || workload != nil || records != nil || durability != nil || recordBytes != nil || threads != nil
      || cache != nil || aged != nil || memory != nil || dataset != nil
  }

  /// Returns the items whose benchmark, given by `cell`, matches no pattern of `--skip`.
  ///
  /// - Throws: `UsageError` for a pattern that matches no benchmark, such as a misspelled one.
  func withoutSkipped<Item>(_ items: [Item], cell: (Item) -> Cell) throws -> [Item] {
    var left = items.map { (item: $0, name: cell($0).name) }
    let names = left.map(\.name)
    for text in skip {
      let glob = Glob(text)
      guard names.contains(where: glob.matches) else {
        throw UsageError(matchless: "--skip '\(text)'", names: names)
      }
      left.removeAll { glob.matches($0.name) }
    }
    return left.map(\.item)
  }
}

extension UsageError {
  init(matchless pattern: String, names: [String]) {
    self.init("\(pattern) matches no cell; cells are named like \(names.first ?? "sqlite/save-one/1000/-")")
  }
}
