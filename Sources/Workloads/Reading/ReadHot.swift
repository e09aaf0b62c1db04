import StorageContract

/// A workload that reads one whole record per operation. A few popular keys get most reads.
struct ReadHot: Workload {
  static let description = WorkloadDescription(
    id: "read-hot", question: "How fast are reads if some records are popular?",
    operation: "read one record as Swift values, keys zipfian (0.99)", access: .reads, counted: .reads)

  init(options: Options) {}

  func session(_ context: SessionContext) -> any WorkloadSession {
    RecordReadingSession(context, keys: context.hotKeys)
  }
}
