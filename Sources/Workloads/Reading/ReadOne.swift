import StorageContract

/// A workload that reads one whole record per operation, with all keys equally likely.
public struct ReadOne: Workload {
  public static let description = WorkloadDescription(
    id: "read-one", question: "How fast is one record found by its key?",
    operation: "read one record as Swift values, keys uniform", options: [TogetherOption.spec], access: .reads,
    capabilityWith: TogetherOption.capability,
    words: WorkloadWords("a read", .read, limit: .frame))

  private let together: Int

  /// Creates the workload. The option `together` gives the number of records that one operation reads.
  public init(options: Options) { together = TogetherOption.count(options) }

  /// Returns the number of operations that are performed to count their system calls.
  public func countedOperations(records: Int, kind: EngineKind) -> Int { max(4, countedReads / together) }

  public func session(_ context: SessionContext) -> any WorkloadSession {
    guard together > 1 else { return RecordReadingSession(context, keys: context.uniformKeys) }
    let initial = Expectation(context.source)
    return TogetherReadingSession(
      context, count: together, recordBytes: context.recordBytes, keys: context.uniformKeys,
      check: { found, key in try Expectation.compare(found, with: initial.record(key), key: key) })
  }
}
