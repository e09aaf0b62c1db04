import StorageContract

/// A session whose operation is one commit of prepared changes.
final class CommittingSession: SessionStore, ChangingSession {
  let blockSize: Int
  let limit: Int?
  private let makeChanges: (Int) -> [Change]
  private let changedBytes: (Int) -> Int
  private var block = Block<[Change]>()

  /// Creates a session whose operations are commits.
  ///
  /// - Parameters:
  ///   - blockSize: The maximum number of operations whose changes are prepared at once.
  ///   - limit: The maximum number of operations, or nil if the number is unlimited.
  ///   - indexes: The record fields of which the store has an index.
  ///   - changedBytes: Returns the size of an operation's changes in bytes.
  ///   - changes: Returns the changes of an operation.
  init(
    _ context: SessionContext, blockSize: Int = 256, limit: Int? = nil, indexes: [RecordField] = [],
    changedBytes: @escaping (Int) -> Int, changes: @escaping (Int) -> [Change]
  ) {
    // Prepared payloads of a block take at most about 32 MiB.
    self.blockSize = max(1, min(blockSize, (32 << 20) / max(1, context.recordBytes)))
    self.limit = limit
    self.changedBytes = changedBytes
    makeChanges = changes
    super.init(context, indexedFields: indexes)
  }

  func changes(_ operation: Int) -> [Change] { makeChanges(operation) }

  func prepare(_ operations: Range<Int>) { block = Block(operations, makeChanges) }

  func perform(_ operation: Int) throws { try perform(operation..<operation + 1) {} }

  func perform(_ operations: Range<Int>, lap: () -> Void) throws {
    try commit(store.unsafelyUnwrapped, block, operations, lap)
  }

  /// Makes one commit per operation, and calls `lap` after each one. Generic, to avoid dynamic dispatch.
  private func commit<Store: StorageBackend>(
    _ store: Store, _ block: Block<[Change]>, _ operations: Range<Int>, _ lap: () -> Void
  ) throws {
    for operation in operations {
      try store.commit(block[operation])
      lap()
    }
  }

  func bytesChanged(by operations: Int) -> Int { (0..<operations).reduce(0) { $0 + changedBytes($1) } }
}
