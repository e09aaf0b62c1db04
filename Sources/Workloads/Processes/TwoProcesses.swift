import StorageContract

/// An app and its extension, two processes that save into one store.
public struct TwoProcesses: Workload {
  static let way = OptionSpec(
    "way", ["documented", "naive"],
    help: "share as the engine's documentation says (a file: read again before each change), or as if alone")
  static let lock = OptionSpec("lock", ["no", "yes"], help: "take a lock file around each read, change and save")
  static let kill = OptionSpec(
    "kill", ["no", "yes"], help: "kill the other process in the middle of a save: how soon can this one go on")
  static let saves = OptionSpec(
    "saves", .choiceOrNumber(["any"]), help: "saves of each process, or as many as the trial's time allows")

  public static let description = WorkloadDescription(
    id: "two-processes", question: "What becomes of the saves of an app and its extension in one store?",
    operation: """
      while another process saves without a pause: read a shared counter, add one, and save it with a record of one's own; \
      with kill=yes: save after the other was killed in the middle of a save
      """,
    options: [way, lock, kill, saves], access: .writes, needsPersistence: true, capability: .sharing,
    collections: SharedRecords.collections,
    check: { options in
      if options[kill] == "yes", options.names.contains(saves.name) {
        throw UsageError("two-processes: saves= counts nothing where the other process is killed; leave it out")
      }
    },
    obstacle: { _, backend in backend.description.refusesOthers })

  private let options: Options

  public init(options: Options) { self.options = options }

  public func countedOperations(records: Int, kind: EngineKind) -> Int {
    min(saves ?? .max, countedTransactions(records: records, kind: kind))
  }

  private var saves: Int? { Int(options[Self.saves]) }

  public func fixture(of source: any RecordSource) -> Fixture { SharedRecords.fixture(of: source) }

  public func session(_ context: SessionContext) throws -> any WorkloadSession {
    let manner = SharingManner(
      way: SharingWay(rawValue: options[Self.way]) ?? .documented, hasLock: options[Self.lock] == "yes")
    // Who is killed where differs in every run: what is counted is the same without.
    if options[Self.kill] == "yes", !context.isCounting { return KilledPartnerSession(context, manner) }
    return TwoProcessesSession(context, manner, saves: saves)
  }
}

/// What a session of ``TwoProcesses`` finds out.
enum SharingFinding {
  /// Acknowledged saves of this process.
  static let saves = "saves"
  /// Acknowledged saves of the other one.
  static let otherSaves = "other_saves"
  /// By how much less the counter holds than there were acknowledged saves.
  static let lostUpdates = "lost_updates"
  /// Records that do not hold, in the end, what the last acknowledged save stored in them.
  static let lostRecords = "lost_records"
  /// Reads, and saves, that found the store as it was before a save that had been acknowledged.
  static let staleReads = "stale_reads"
  /// Reads and saves of both that ended in an error; also by its code, where there are any: `errors_busy`, `errors_conflict`
  /// (SQLITE_BUSY_SNAPSHOT, or another version of an object), `errors_damaged`, `errors_other`.
  static let errors = "errors"
  /// Saves that the engine's own way made again, since the other process had been first.
  static let retries = "retries"
  /// How long the other process's saves took; of several trials the longest.
  static let otherP50 = "other_wait_p50_ns"
  static let otherP99 = "other_wait_p99_ns"
  static let otherMost = "other_wait_max_ns"
  /// How often the other process was killed.
  static let kills = "kills"
  /// After how many of these nothing could be saved any more.
  static let stuck = "stuck_after_kill"
}
