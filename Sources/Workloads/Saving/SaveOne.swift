import StorageContract

/// A workload that changes one record per commit: the main workload of the suite.
struct SaveOne: Workload {
  static let changes = OptionSpec("changes", .number(1), most: 100_000, help: "records that one commit changes")

  static let description = WorkloadDescription(
    id: "save-one", question: "What does the smallest change cost as the store grows?",
    operation: "change one record's payload and time of change, and commit",
    options: [changes, SecondaryIndexes.option, SaveRoute.option], access: .writes, counted: .saves,
    obstacle: SecondaryIndexes.obstacle, words: { SaveRoute($0).words })

  let options: Options

  func session(_ context: SessionContext) -> any WorkloadSession {
    SaveRoute(options).session(
      .saving(context, records: Int(options[Self.changes]) ?? 1, indexes: SecondaryIndexes.fields(options)))
  }
}

extension CommittingSession {
  /// Creates a session in which each operation changes random records, up to the given number, in one commit.
  static func saving(_ context: SessionContext, records: Int = 1, indexes: [RecordField] = []) -> CommittingSession {
    let source = context.source
    let count = min(records, source.count)
    func indices(_ operation: Int) -> [Int] {
      var random = RandomStream(seed: context.seed, .key, operation)
      var indices: Set<Int> = []
      while indices.count < count { indices.insert(random.below(source.count)) }
      return indices.sorted()
    }
    return CommittingSession(
      context, blockSize: max(1, 256 / max(1, count)), indexes: indexes,
      // The payload and the 8 bytes of the modification time.
      changedBytes: { indices($0).reduce(0) { $0 + source.record(at: $1).payload.count + 8 } },
      changes: { operation in
        indices(operation).map { .put(context.edited(source.record(at: $0), operation)) }
      })
  }
}
