import StorageContract

/// A session whose operation is one commit of prepared changes.
final class CommittingSession: StoreSession {
  let blockSize: Int
  let limit: Int?
  let context: SessionContext
  private let changes: (Int) -> [Change]
  private let changedBytes: (Int) -> Int
  private let indexes: [RecordField]
  var store: (any StorageBackend)?
  private var block = Block<[Change]>()

  /// Creates a session whose operations are commits. `changes` returns the changes that an operation commits.
  /// `changedBytes` returns the size of these changes in bytes.
  ///
  /// - Parameters:
  ///   - blockSize: The maximum number of operations whose changes are prepared at once.
  ///   - limit: The maximum number of operations, or nil if the number is unlimited.
  ///   - indexes: The record fields of which the store has an index.
  init(
    _ context: SessionContext, blockSize: Int = 256, limit: Int? = nil, indexes: [RecordField] = [],
    changedBytes: @escaping (Int) -> Int, changes: @escaping (Int) -> [Change]
  ) {
    self.context = context
    // Prepared payloads of a block take at most about 32 MiB.
    self.blockSize = max(1, min(blockSize, (32 << 20) / max(1, context.recordBytes)))
    self.limit = limit
    self.indexes = indexes
    self.changedBytes = changedBytes
    self.changes = changes
  }

  func setUp() throws { store = try context.open(indexing: indexes) }

  func finish() throws { try finish(checking: indexes) }

  func prepare(_ operations: Range<Int>) { block = Block(operations, changes) }

  func perform(_ operation: Int) throws { try perform(operation..<operation + 1) {} }

  func perform(_ operations: Range<Int>, lap: () -> Void) throws {
    try commit(store.unsafelyUnwrapped, block, operations, lap)
  }

  /// Commits the changes of several operations, in one commit per operation. Calls `lap` after each commit, so that the
  /// caller can time each operation. The method is generic, to avoid dynamic dispatch.
  private func commit<Store: StorageBackend>(
    _ store: Store, _ block: Block<[Change]>, _ operations: Range<Int>, _ lap: () -> Void
  ) throws {
    for operation in operations {
      try store.commit(block[operation])
      lap()
    }
  }

  func bytesChanged(by operations: Int) -> Int { (0..<operations).reduce(0) { $0 + changedBytes($1) } }

  func expectation(after operations: Int) -> Expectation {
    var expectation = Expectation(context.source)
    for operation in 0..<operations { changes(operation).forEach { expectation.apply($0) } }
    return expectation
  }

  func hash(_ operation: Int, into hash: inout StableHash) {
    for change in changes(operation) {
      switch change.action {
      case .put(let record, _): record.withView { hash.add($0) }
      case .delete(let key, _): hash.add(UInt64(bitPattern: key))
      }
    }
  }
}
