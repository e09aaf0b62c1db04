import StorageContract

/// A workload of money transfers between two bank accounts, by one or more threads.
struct Transfer: Workload {
  static let description = WorkloadDescription(
    id: "transfer", question: "What does an atomic pair of updates cost?",
    operation: "debit one account and credit another in a transaction, of which one in eight fails in between",
    options: [WorkloadDescription.threadsOption], access: .writes, counted: .transactions,
    capability: { _ in .transactional })

  init(options: Options) {}

  /// The initial balance of each bank account in cents, so high that no account runs out of money.
  static let opening: Int64 = 1_000_000_000_000

  /// Returns bank accounts as records. The key is the account number, and the score is the balance.
  func fixture(of source: any RecordSource) -> Fixture {
    Fixture(MappedRecords(base: source) { $0.balance = Self.opening })
  }
  var fixtureName: String { "accounts" }

  func session(_ context: SessionContext) -> any WorkloadSession { TransferSession(context) }
}

/// A session of bank transfers. The order of the transfers does not affect the final balances.
private final class TransferSession: ThreadedStore, ThreadedSession {
  private var block = Block<BankTransfer>()

  init(_ context: SessionContext) { super.init(context, blockSize: 4_096, team: context.team) }

  private func transfer(_ operation: Int) -> BankTransfer {
    BankTransfer(operation, seed: context.seed, accounts: context.source)
  }

  func prepare(_ operations: Range<Int>) { block = Block(operations, transfer) }

  func perform(_ operation: Int, on store: any SharedStore) throws {
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
        if transfer.fails { throw InjectedError() }
        guard var payee = try bank.record(transfer.to) else { return try Self.requireNone(isVerifiable, transfer.to) }
        payee.balance += transfer.amount
        try bank.put(payee)
      }
    } catch is InjectedError {
      return
    }
    if transfer.fails, isVerifiable {
      throw VerificationError(
        key: transfer.from,
        "is the payer of a transfer that throws an error, but the write returned without it; "
          + "the backend must roll back and rethrow the error")
    }
  }

  func endsInSave(_ operation: Int) -> Bool {
    let transfer = block[operation]
    // With a single account, payer and payee are the same account.
    return !transfer.fails && transfer.from != transfer.to
  }

  /// Throws ``VerificationError`` about a missing account, unless the engine stores nothing (`isVerifiable` is false).
  private static func requireNone(_ isVerifiable: Bool, _ key: Int64) throws {
    if isVerifiable { throw VerificationError(key: key, "is missing") }
  }

  /// Checks that the transfers have not changed the sum of the balances of all bank accounts.
  func verify(_ operations: Range<Int>) throws {
    guard context.isVerifiable, let store else { return }
    var sum: Int64 = 0
    try store.read { bank in
      try bank.scan(.all, in: .records) { view in
        sum += Int64(exactly: view.score) ?? 0
        return true
      }
    }
    let expected = Transfer.opening * Int64(context.source.count)
    guard sum == expected else {
      throw VerificationError("all accounts together hold \(sum) cents instead of \(expected)")
    }
  }

  func bytesChanged(by operations: Int) -> Int {
    // The 8 bytes of each of two balances.
    (0..<operations).reduce(0) { $0 + (transfer($1).fails ? 0 : 16) }
  }

  func expectation(after operations: Int) -> Expectation {
    var expectation = Expectation(context.fixture)
    for transfer in (0..<operations).lazy.map(transfer) where !transfer.fails {
      for (key, amount) in [(transfer.from, -transfer.amount), (transfer.to, transfer.amount)] {
        guard var account = expectation.record(key) else { continue }
        account.balance += amount
        expectation.apply(.put(account))
      }
    }
    return expectation
  }

  func hash(_ operation: Int, into hash: inout StableHash) {
    let transfer = transfer(operation)
    for number in [transfer.from, transfer.to, transfer.amount] { hash.add(UInt64(bitPattern: number)) }
    hash.add(transfer.fails ? 1 : 0)
  }
}

/// An error that makes a transaction fail on purpose, such as a transfer between its debit and its credit.
struct InjectedError: Error {}

extension Record {
  /// The balance of a bank account in cents, stored in ``score``. A `Double` holds whole numbers exactly up to 2^53.
  var balance: Int64 {
    get { Int64(exactly: score) ?? .min }
    set { score = Double(newValue) }
  }
}

struct BankTransfer: Equatable {
  var from: Int64
  var to: Int64
  /// The transferred amount in cents.
  var amount: Int64
  /// Whether this transfer is made to fail between the debit of one account and the credit of the other.
  var fails: Bool

  init(_ number: Int, seed: UInt64, accounts: any RecordSource) {
    var random = RandomStream(seed: seed, .key, number)
    let (from, distance) = (random.below(accounts.count), random.below(max(1, accounts.count - 1)) + 1)
    self.from = accounts.key(at: from)
    to = accounts.key(at: (from + distance) % accounts.count)
    amount = Int64(random.below(100_00)) + 1
    fails = random.below(8) == 0
  }
}
