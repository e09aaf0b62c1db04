import StorageContract

/// A workload that reads one whole record per operation, with all keys equally likely.
struct ReadOne: Workload {
  static let description = WorkloadDescription(
    id: "read-one", question: "How fast is one record found by its key?",
    operation: "read one record as Swift values, keys uniform", options: [TogetherOption.spec], access: .reads,
    capability: TogetherOption.capability,
    words: { _ in WorkloadWords("a read", .read, limit: .frame) })

  let options: Options

  private var together: Int { TogetherOption.count(options) }

  func countedOperations(records: Int, kind: EngineKind) -> Int {
    max(4, CountedOperations.reads.number(records: records, kind: kind) / together)
  }

  func session(_ context: SessionContext) -> any WorkloadSession {
    guard together > 1 else { return RecordReadingSession(context, keys: context.uniformKeys) }
    return TogetherReadingSession(
      context, count: together, recordBytes: context.recordBytes, keys: context.uniformKeys,
      expected: Expectation(context.source))
  }
}
