import StorageContract

/// A workload that opens a store, loads all records and keeps them in memory.
public struct LoadAll: Workload {
  public static let description = WorkloadDescription(
    id: "load-all", question: "What does keeping everything in memory cost?",
    operation: "open the store and read every record, keeping all", access: .reads,
    words: WorkloadWords("loading everything", .other))

  public init(options: Options) {}

  public func countedOperations(records: Int, kind: EngineKind) -> Int { 1 }

  public func session(_ context: SessionContext) -> any WorkloadSession { LoadAllSession(context) }
}

private final class LoadAllSession: StoreSession {
  let blockSize = 1
  private(set) var settings = ""
  let context: SessionContext
  var store: (any StorageBackend)?
  private var loaded: [Record] = []

  init(_ context: SessionContext) { self.context = context }

  func setUp() throws {}

  func prepare(_ operations: Range<Int>) throws {
    try finish()
    try context.cool()
  }

  func perform(_ operation: Int) throws {
    let store = try context.open()
    loaded = try store.records(.all, in: .records)
    self.store = store
  }

  func verify(_ operations: Range<Int>) throws {
    settings = store?.settings ?? ""
    guard context.isVerifiable else { return }
    let source = context.records
    // The records are compared in place: copying ten thousand takes longer than comparing them.
    try loaded.withUnsafeBufferPointer { loaded in
      for index in 0..<min(loaded.count, source.count) where !source.isRecord(loaded[index], at: index) {
        // The slower comparison that can name the difference runs only now.
        try Expectation.compare(loaded[index], with: source.record(at: index), key: source.key(at: index))
      }
    }
    if loaded.count < context.source.count {
      throw VerificationError(key: context.source.key(at: loaded.count), "is missing")
    }
    if loaded.count > context.source.count {
      throw VerificationError(key: loaded[context.source.count].id, "is there but should not be")
    }
  }

  func finish() throws {
    loaded = []
    try close()
  }

  func expectation(after operations: Int) -> Expectation { Expectation(context.source) }

  func hash(_ operation: Int, into hash: inout StableHash) { hash.add(UInt64(context.source.count)) }
}
