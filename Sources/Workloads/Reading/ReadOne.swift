import StorageContract

/// A workload that reads one whole record per operation, with all keys equally likely.
public struct ReadOne: Workload {
  public static let description = WorkloadDescription(
    id: "read-one", question: "How fast is one record found by its key?",
    operation: "read one record as Swift values, keys uniform", access: .reads,
    words: WorkloadWords("a read", .read, limit: .frame))

  public init(options: Options) {}

  public func countedOperations(records: Int, kind: EngineKind) -> Int { countedReads }

  public func session(_ context: SessionContext) -> any WorkloadSession {
    RecordReadingSession(context, keys: context.uniformKeys)
  }
}
