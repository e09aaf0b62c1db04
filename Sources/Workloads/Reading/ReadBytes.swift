import StorageContract

/// A workload that reads the bytes of one record per operation in place, without making Swift values.
public struct ReadBytes: Workload {
  public static let description = WorkloadDescription(
    id: "read-bytes", question: "How fast is a record found and read in place, without a copy?",
    operation: "find one record and touch every byte of it in place, keys uniform", access: .reads, counted: .reads)

  public init(options: Options) {}

  public func session(_ context: SessionContext) -> any WorkloadSession {
    ByteReadingSession(context, keys: context.uniformKeys)
  }
}
