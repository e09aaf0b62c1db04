import StorageContract

/// A workload that reads one whole record per operation. A few popular keys get most reads.
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
