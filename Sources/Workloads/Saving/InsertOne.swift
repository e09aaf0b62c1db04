import StorageContract

/// A workload that inserts one record per commit.
public struct InsertOne: Workload {
  public static let description = WorkloadDescription(
    id: "insert-one", question: "What does adding one record cost?",
    operation: "add one record with a new key, and commit",
    options: [SecondaryIndexes.option], access: .writes, obstacle: SecondaryIndexes.obstacle,
    words: WorkloadWords("an insertion", .save, limit: .frame))

  private let indexes: [RecordField]

  public init(options: Options) { indexes = SecondaryIndexes.fields(options) }

  public func countedOperations(records: Int, kind: EngineKind) -> Int { countedSaves(records: records, kind: kind) }

  public func session(_ context: SessionContext) -> any WorkloadSession {
    func record(_ operation: Int) -> Record {
      var record = context.edited(context.source.record(at: operation % context.source.count), operation)
      record.id = context.source.unusedKey(operation)
      return record
    }
    return CommittingSession(
      context, indexes: indexes, changedBytes: { record($0).logicalSize }, changes: { [.put(record($0))] })
  }
}
