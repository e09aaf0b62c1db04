import StorageContract

/// A read of a whole record by key, with a few popular keys.
public struct ReadHot: Workload {
  public static let description = WorkloadDescription(
    id: "read-hot", question: "How fast are reads if some records are popular?",
    operation: "read one record as Swift values, keys zipfian (0.99)", access: .reads)

  public init(options: Options) {}

  public func countedOperations(records: Int, kind: EngineKind) -> Int { countedReads }

  public func session(_ context: SessionContext) -> any WorkloadSession {
    RecordReadingSession(context, keys: context.hotKeys)
  }
}
