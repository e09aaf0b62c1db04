import StorageContract

/// A workload of two processes, such as an app and its extension, that save into one store.
struct TwoProcesses: Workload {
  static let way = OptionSpec(
    "way", ["documented", "naive"],
    help:
      "share the store as the engine's documentation says (a file is read again before each change), or as if no other process used it"
  )
  static let lock = OptionSpec("lock", ["no", "yes"], help: "take a lock file around each read, change and save")
  static let kill = OptionSpec(
    "kill", ["no", "yes"], help: "kill the second process during a save, and time the next save of the first")
  static let saves = OptionSpec(
    "saves", .choiceOrNumber(["any"]), most: 1_000_000_000,
    help: "saves of each process, or as many as the trial's time allows")

  static let description = WorkloadDescription(
    id: "two-processes", question: "Does an app lose saves if its extension uses the same store?",
    operation: """
      while a second process saves without a pause: read a shared counter, add one, and save it with a record of this \
      process; with kill=yes: save after the second process was killed during a save
      """,
    options: [way, lock, kill, saves], access: .writes, needsPersistence: true, capability: { _ in .sharing },
    collections: SharedRecords.collections,
    check: { options in
      if options[kill] == "yes", options.names.contains(saves.name) {
        throw UsageError("two-processes: saves= has no effect with kill=yes; leave out saves=")
      }
    },
    obstacle: { _, store in store.backend.description.refusesOthers })

  let options: Options

  private var saves: Int? { Int(options[Self.saves]) }

  func countedOperations(records: Int, kind: EngineKind) -> Int {
    min(saves ?? .max, CountedOperations.transactions.number(records: records, kind: kind))
  }

  func fixture(of source: any RecordSource) -> Fixture { SharedRecords.fixture(of: source) }

  func session(_ context: SessionContext) throws -> any WorkloadSession {
    let manner = SharingMode(
      way: SharingWay(rawValue: options[Self.way]) ?? .documented, hasLock: options[Self.lock] == "yes")
    // Kills come at random times, so system calls are counted without kills.
    if options[Self.kill] == "yes", !context.isCounting { return KilledWriterSession(context, manner) }
    return TwoProcessesSession(context, manner, saves: saves)
  }
}
