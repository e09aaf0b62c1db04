import StorageContract

/// A source of records that stand for bank accounts. A record's key is the account number, and its score is the
/// balance. The other fields are filler.
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
  /// Whether this transfer of money is made to fail after the debit of one account and before the credit of the other
  /// account.
  var fails: Bool

  /// Creates transfer `number`, a random transfer of money from one bank account to another. The transfer depends only
  /// on `number`, `seed` and `accounts`.
  init(_ number: Int, seed: UInt64, accounts: any RecordSource) {
    var random = RandomStream(seed: seed, .key, number)
    let (from, distance) = (random.below(accounts.count), random.below(max(1, accounts.count - 1)) + 1)
    self.from = accounts.key(at: from)
    to = accounts.key(at: (from + distance) % accounts.count)
    amount = Int64(random.below(100_00)) + 1
    fails = random.below(8) == 0
  }
}
