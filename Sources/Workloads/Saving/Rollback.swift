import StorageContract

/// A workload of transactions that insert records and then fail. The store must undo the insertions.
struct Rollback: Workload {
  static let description = WorkloadDescription(
    id: "rollback", question: "Is a failed change invisible?",
    operation: "insert 10 users in a transaction that fails after the sixth (i == 5), and is rolled back",
    access: .writes, counted: .transactions, capability: { _ in .transactional })

  init(options: Options) {}

  func session(_ context: SessionContext) -> any WorkloadSession { RollbackSession(context) }
}

private final class RollbackSession: SessionStore, StoreSession {
  var blockSize: Int { max(1, min(256, (32 << 20) / max(1, 10 * context.recordBytes))) }
  private var transactions: (any Transactional)?
  private var block = Block<[Record]>()

  func setUp() throws {
    let store = try context.open()
    self.store = store
    transactions = Capability.transactional(of: store).value
  }

  /// Returns the ten records that an operation inserts. All operations use the same keys, because each is rolled back.
  private func users(_ operation: Int) -> [Record] {
    (0..<10).map { i in
      let number = operation * 10 + i
      var user = context.edited(context.source.record(at: number % context.source.count), number)
      user.id = context.source.unusedKey(i)
      user.name = "test\(i + 1)"
      return user
    }
  }

  func prepare(_ operations: Range<Int>) { block = Block(operations, users) }

  func perform(_ operation: Int) throws {
    let users = block[operation]
    do {
      try transactions.unsafelyUnwrapped.transaction { transaction in
        for (i, user) in users.enumerated() {
          try transaction.put(user)
          if i == 5 { throw InjectedError() }
        }
      }
    } catch is InjectedError {
      return
    }
    throw VerificationError(
      "a transaction returned without the error that its closure throws after the sixth insert; "
        + "the backend must roll back and rethrow the error")
  }

  func endsInSave(_ operation: Int) -> Bool { false }

  func verify(_ operations: Range<Int>) throws {
    guard context.isVerifiable, let store else { return }
    for i in 0..<10 {
      let key = context.source.unusedKey(i)
      if try store.read(key, in: .records, { _ in }) {
        throw VerificationError(key: key, "is there although its insertion was rolled back")
      }
    }
    let count = try store.count(in: .records)
    guard count == context.source.count else {
      throw VerificationError("the store counts \(count) records after a rollback instead of \(context.source.count)")
    }
  }

  func finish() throws {
    transactions = nil
    try store?.settle()
    try close()
  }

  func hash(_ operation: Int, into hash: inout StableHash) {
    for user in users(operation) { user.withView { hash.add($0) } }
  }
}
