import StorageContract

/// A workload that deletes one record per commit.
struct DeleteOne: Workload {
  static let description = WorkloadDescription(
    id: "delete-one", question: "What does removing one record cost?",
    operation: "remove one record, and commit; at most half of the records",
    options: [SecondaryIndexes.option], access: .writes, obstacle: SecondaryIndexes.obstacle,
    words: { _ in WorkloadWords("a deletion", .save, limit: .frame) })

  let options: Options

  /// Returns the maximum number of deletions. More would make the store much smaller than the report says.
  private static func limit(_ records: Int) -> Int { max(1, records / 2) }

  func countedOperations(records: Int, kind: EngineKind) -> Int {
    min(CountedOperations.saves.number(records: records, kind: kind), Self.limit(records))
  }

  func session(_ context: SessionContext) -> any WorkloadSession {
    var random = RandomStream(seed: context.seed, .order, 0)
    let order = (0..<context.source.count).shuffled(using: &random)
    let limit = Self.limit(context.source.count)
    return CommittingSession(
      context, limit: limit, indexes: SecondaryIndexes.fields(options),
      changedBytes: { context.source.record(at: order[$0]).logicalSize },
      changes: { [.delete(context.source.key(at: order[$0]))] })
  }
}
