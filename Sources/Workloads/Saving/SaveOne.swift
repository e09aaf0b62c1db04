import StorageContract

/// A workload that changes one record per commit: the main workload of the suite.
public struct SaveOne: Workload {
  public static let description = WorkloadDescription(
    id: "save-one", question: "What does the smallest change cost as the store grows?",
    operation: "change one record's payload and time of change, and commit", access: .writes,
    words: WorkloadWords("a save", .save, limit: .frame))

  public init(options: Options) {}

  public func countedOperations(records: Int, kind: EngineKind) -> Int { countedSaves(records: records, kind: kind) }

  public func session(_ context: SessionContext) -> any WorkloadSession { CommittingSession.savingOne(context) }
}

extension CommittingSession {
  static func savingOne(_ context: SessionContext) -> CommittingSession {
    func key(_ operation: Int) -> Int {
      var random = RandomStream(seed: context.seed, .key, operation)
      return random.below(context.source.count)
    }
    return CommittingSession(
      context,
      // The payload and the 8 bytes of the modification time.
      changedBytes: { context.source.record(at: key($0)).payload.count + 8 },
      changes: { [.put(context.edited(context.source.record(at: key($0)), $0))] })
  }
}
