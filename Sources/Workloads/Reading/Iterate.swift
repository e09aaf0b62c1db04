import StorageContract

/// A workload that reads all records one by one and keeps none of them.
public struct Iterate: Workload {
  public static let description = WorkloadDescription(
    id: "iterate", question: "Can it read all records without keeping them in memory?",
    operation: "walk over all records in key order, touching every byte and keeping nothing", access: .reads,
    obstacle: { _, store in store.lackOfKeyOrder })

  public init(options: Options) {}

  public func session(_ context: SessionContext) -> any WorkloadSession { IterateSession(context) }
}

private final class IterateSession: StoreSession {
  let blockSize = 1
  let context: SessionContext
  private let expected: UInt64
  var store: (any StorageBackend)?
  private var found: UInt64 = 0

  init(_ context: SessionContext) {
    self.context = context
    var sum: UInt64 = 0
    for index in 0..<context.source.count {
      context.source.record(at: index).withView { sum = sum &* 31 &+ ByteSum.of($0) }
    }
    expected = sum
  }

  func prepare(_ operations: Range<Int>) {}

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

  func hash(_ operation: Int, into hash: inout StableHash) { hash.add(UInt64(context.source.count)) }
}
