import StorageContract

/// A workload that looks up keys that no record has.
public struct ReadMissing: Workload {
  public static let description = WorkloadDescription(
    id: "read-missing", question: "How fast does it find that a key is missing?",
    operation: "look for one key that no record has", access: .reads)

  public init(options: Options) {}

  public func countedOperations(records: Int, kind: EngineKind) -> Int { countedReads }

  public func session(_ context: SessionContext) -> any WorkloadSession {
    RecordReadingSession(context, keys: context.missingKeys)
  }
}
