import StorageContract

/// A workload that saves one record every 16.7 ms, the duration of one screen frame.
struct PacedSave: Workload {
  static let description = WorkloadDescription(
    id: "paced-save", question: "Does saving drop frames?",
    operation: "change one record and commit, every 16.7 ms, timed from when it was due", access: .writes,
    counted: .saves, pace: .frames)

  init(options: Options) {}

  func session(_ context: SessionContext) -> any WorkloadSession { CommittingSession.saving(context) }
}
