import StorageContract

/// A workload that changes every record in one commit.
struct SaveAll: Workload {
  static let description = WorkloadDescription(
    id: "save-all", question: "What does saving everything on leaving the app cost?",
    operation: "change every record, and commit once", access: .writes,
    words: { _ in WorkloadWords("saving everything", .save) })

  init(options: Options) {}

  func session(_ context: SessionContext) -> any WorkloadSession {
    CommittingSession(
      context, blockSize: 1,
      changedBytes: { _ in context.source.all.reduce(0) { $0 + $1.payload.count + 8 } },
      changes: { operation in
        (0..<context.source.count).map { index in
          let number = operation * context.source.count + index
          return .put(context.edited(context.source.record(at: index), number))
        }
      })
  }
}
