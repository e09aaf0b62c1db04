import StorageContract

/// A workload that inserts one record per commit.
struct InsertOne: Workload {
  static let description = WorkloadDescription(
    id: "insert-one", question: "What does adding one record cost?",
    operation: "add one record with a new key, and commit",
    options: [SecondaryIndexes.option], access: .writes, counted: .saves, obstacle: SecondaryIndexes.obstacle,
    words: { _ in WorkloadWords("an insertion", .save, limit: .frame) })

  let options: Options

  func session(_ context: SessionContext) -> any WorkloadSession {
    func record(_ operation: Int) -> Record {
      var record = context.edited(context.source.record(at: operation % context.source.count), operation)
      record.id = context.source.unusedKey(operation)
      return record
    }
    return CommittingSession(
      context, indexes: SecondaryIndexes.fields(options), changedBytes: { record($0).logicalSize },
      changes: { [.put(record($0))] })
  }
}
