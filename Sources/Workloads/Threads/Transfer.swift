import StorageContract

/// A workload of money transfers between two bank accounts, by one or more threads.
public struct Transfer: Workload {
  public static let description = WorkloadDescription(
    id: "transfer", question: "What does an atomic pair of updates cost?",
    operation: "debit one account and credit another in a transaction, of which one in eight fails in between",
    options: [WorkloadDescription.threadsOption], access: .writes, capability: .transactional)

  public init(options: Options) {}

  public func countedOperations(records: Int, kind: EngineKind) -> Int {
    countedTransactions(records: records, kind: kind)
  }

  public func fixture(of source: any RecordSource) -> Fixture { Fixture(Accounts(source)) }
  public var fixtureName: String { "accounts" }

  public func session(_ context: SessionContext) -> any WorkloadSession { TransferSession(context) }
}

/// A session of bank transfers. The order of the transfers does not affect the final balances.
private final class TransferSession: ThreadedSession {
  private var block = Block<BankTransfer>()

  /// An error that makes a transfer fail after the debit and before the credit.
  private struct Injected: Error {}

  init(_ context: SessionContext) { super.init(context, blockSize: 4_096) }

  private func transfer(_ operation: Int) -> BankTransfer {
    BankTransfer(operation, seed: context.seed, accounts: context.source)
  }

  override func prepare(_ operations: Range<Int>) { block = Block(operations, transfer) }

  override func perform(_ operation: Int, on store: any SharedStore) throws {
    let transfer = block[operation]
    let isVerifiable = context.isVerifiable
    do {
      try store.write { bank in
        guard var payer = try bank.record(transfer.from) else {
          return try Self.requireNone(isVerifiable, transfer.from)
        }
        guard payer.balance >= transfer.amount || !isVerifiable else {
          throw VerificationError(
            key: transfer.from,
            "has lost money: its balance is \(payer.score), which is too little for a transfer of \(transfer.amount)")
        }
        payer.balance -= transfer.amount
        try bank.put(payer)
        if transfer.fails { throw Injected() }
        guard var payee = try bank.record(transfer.to) else { return try Self.requireNone(isVerifiable, transfer.to) }
        payee.balance += transfer.amount
        try bank.put(payee)
      }
    } catch is Injected {
      return
    }
    if transfer.fails, isVerifiable {
      throw VerificationError(
        key: transfer.from,
        "is the payer of a transfer that throws an error, but the write returned without it; "
          + "the backend must roll back and rethrow the error")
    }
  }

  override func endsInSave(_ operation: Int) -> Bool {
    let transfer = block[operation]
    // With a single account, payer and payee are the same account.
    return !transfer.fails && transfer.from != transfer.to
  }

  /// Throws ``VerificationError`` about a missing account, unless the engine stores nothing (`isVerifiable` is false).
  private static func requireNone(_ isVerifiable: Bool, _ key: Int64) throws {
    if isVerifiable { throw VerificationError(key: key, "is missing") }
  }

  /// Checks that the transfers have not changed the sum of the balances of all bank accounts.
  override func verify(_ operations: Range<Int>) throws {
    guard context.isVerifiable, let store else { return }
    var sum: Int64 = 0
    try store.read { bank in
      try bank.scan(.all, in: .records) { view in
        sum += Int64(exactly: view.score) ?? 0
        return true
      }
    }
    let expected = Accounts.opening * Int64(context.source.count)
    guard sum == expected else {
      throw VerificationError("all accounts together hold \(sum) cents instead of \(expected)")
    }
  }

  override func bytesChanged(by operations: Int) -> Int {
    // The 8 bytes of each of two balances.
    (0..<operations).reduce(0) { $0 + (transfer($1).fails ? 0 : 16) }
  }

  override func expectation(after operations: Int) -> Expectation {
    var moved: [Int64: Int64] = [:]
    for operation in 0..<operations {
      let transfer = transfer(operation)
      guard !transfer.fails else { continue }
      moved[transfer.from, default: 0] -= transfer.amount
      moved[transfer.to, default: 0] += transfer.amount
    }
    var expectation = Expectation(context.fixture)
    for (key, amount) in moved {
      guard var account = expectation.record(key) else { continue }
      account.balance += amount
      expectation.apply(.put(account))
    }
    return expectation
  }

  override func hash(_ operation: Int, into hash: inout StableHash) {
    let transfer = transfer(operation)
    for number in [transfer.from, transfer.to, transfer.amount] { hash.add(UInt64(bitPattern: number)) }
    hash.add(transfer.fails ? 1 : 0)
  }
}
