import StorageContract

/// A workload that reads all records one by one and keeps none of them.
struct Iterate: Workload {
  static let description = WorkloadDescription(
    id: "iterate", question: "Can it read all records without keeping them in memory?",
    operation: "walk over all records in key order, touching every byte and keeping nothing", access: .reads,
    obstacle: { _, store in store.lackOfKeyOrder })

  init(options: Options) {}

  func session(_ context: SessionContext) -> any WorkloadSession { IterateSession(context) }
}

private final class IterateSession: SessionStore, StoreSession {
  let blockSize = 1
  private let expected: UInt64
  private var found: UInt64 = 0

  init(_ context: SessionContext) {
    expected = (0..<context.source.count).reduce(0) { sum, index in
      context.source.record(at: index).withView { sum &* 31 &+ ByteSum.of($0) }
    }
    super.init(context)
  }

  func perform(_ operation: Int) throws {
    var sum: UInt64 = 0
    try store.unsafelyUnwrapped.scan(.all, in: .records) { view in
      sum = sum &* 31 &+ ByteSum.of(view)
      return true
    }
    found = sum
  }

  func verify(_ operations: Range<Int>) throws {
    guard found != expected, context.isVerifiable, let store else { return }
    // The slower check names the record that differs.
    _ = try expectation(after: operations.upperBound).check(store, hashes: false)
    throw VerificationError("the walk gave different bytes from those that the records hold")
  }

  func finish() throws { try close() }
}
