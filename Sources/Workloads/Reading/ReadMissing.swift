import StorageContract

/// A workload that looks up keys that no record has.
struct ReadMissing: Workload {
  static let description = WorkloadDescription(
    id: "read-missing", question: "How fast does it find that a key is missing?",
    operation: "look for one key that no record has", access: .reads, counted: .reads)

  init(options: Options) {}

  func session(_ context: SessionContext) -> any WorkloadSession {
    RecordReadingSession(context, keys: context.missingKeys)
  }
}
