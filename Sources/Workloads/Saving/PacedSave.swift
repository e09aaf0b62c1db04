import StorageContract

/// A workload that saves one record every 16.7 ms, the duration of one screen frame.
public struct PacedSave: Workload {
  public static let description = WorkloadDescription(
    id: "paced-save", question: "Does saving drop frames?",
    operation: "change one record and commit, every 16.7 ms, timed from when it was due", access: .writes,
    pace: .frames)

  public init(options: Options) {}

  public func countedOperations(records: Int, kind: EngineKind) -> Int { countedSaves(records: records, kind: kind) }

  public func session(_ context: SessionContext) -> any WorkloadSession { CommittingSession.savingOne(context) }
}
