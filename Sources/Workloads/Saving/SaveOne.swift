import StorageContract

/// A workload that changes one record per commit: the main workload of the suite.
public struct SaveOne: Workload {
  static let changes = OptionSpec("changes", .number(1), most: 100_000, help: "records that one commit changes")

  public static let description = WorkloadDescription(
    id: "save-one", question: "What does the smallest change cost as the store grows?",
    operation: "change one record's payload and time of change, and commit",
    options: [changes, SecondaryIndexes.option, SaveRoute.option], access: .writes,
    obstacle: SecondaryIndexes.obstacle, wordsWith: { SaveRoute($0).words })

  private let changes: Int
  private let indexes: [RecordField]
  private let route: SaveRoute

  public init(options: Options) {
    changes = Int(options[Self.changes]) ?? 1
    indexes = SecondaryIndexes.fields(options)
    route = SaveRoute(options)
  }

  public func countedOperations(records: Int, kind: EngineKind) -> Int { countedSaves(records: records, kind: kind) }

  public func session(_ context: SessionContext) -> any WorkloadSession {
    route.session(
      changes == 1
        ? CommittingSession.savingOne(context, indexes: indexes)
        : CommittingSession.savingSome(context, changes, indexes: indexes))
  }
}

extension CommittingSession {
  static func savingOne(_ context: SessionContext, indexes: [RecordField] = []) -> CommittingSession {
    CommittingSession(
      context, indexes: indexes,
      // The payload and the 8 bytes of the modification time.
      changedBytes: { context.drawnRecord($0).payload.count + 8 },
      changes: { [.put(context.edited(context.drawnRecord($0), $0))] })
  }

  /// Creates a session in which each operation changes up to `most` random records in one commit.
  fileprivate static func savingSome(_ context: SessionContext, _ most: Int, indexes: [RecordField])
    -> CommittingSession
  {
    let count = min(most, context.source.count)
    func records(_ operation: Int) -> [Record] {
      var random = RandomStream(seed: context.seed, .key, operation)
      var indices: Set<Int> = []
      while indices.count < count { indices.insert(random.below(context.source.count)) }
      return indices.sorted().map { context.edited(context.source.record(at: $0), operation) }
    }
    return CommittingSession(
      context, blockSize: max(1, 256 / count), indexes: indexes,
      changedBytes: { records($0).reduce(0) { $0 + $1.payload.count + 8 } },
      changes: { records($0).map { .put($0) } })
  }
}
