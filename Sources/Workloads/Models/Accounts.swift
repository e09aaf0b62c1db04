import StorageContract

/// A source of bank accounts as records. The key is the account number, and the score is the balance.
struct Accounts: RecordSource {
  /// The initial balance of each bank account in cents, so high that no account runs out of money.
  static let opening: Int64 = 1_000_000_000_000

  private let customers: any RecordSource

  init(_ customers: any RecordSource) { self.customers = customers }

  var count: Int { customers.count }
  func key(at index: Int) -> Int64 { customers.key(at: index) }
  func index(of key: Int64) -> Int? { customers.index(of: key) }

  func record(at index: Int) -> Record {
    var account = customers.record(at: index)
    account.balance = Self.opening
    return account
  }
}

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

  /// Creates a random bank transfer that depends only on `number`, `seed` and `accounts`.
  init(_ number: Int, seed: UInt64, accounts: any RecordSource) {
    var random = RandomStream(seed: seed, .key, number)
    let (from, distance) = (random.below(accounts.count), random.below(max(1, accounts.count - 1)) + 1)
    self.from = accounts.key(at: from)
    to = accounts.key(at: (from + distance) % accounts.count)
    amount = Int64(random.below(100_00)) + 1
    fails = random.below(8) == 0
  }
}
