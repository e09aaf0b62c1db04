import StorageContract

/// A bank's accounts: the key and the balance are the account, the other fields what else a bank knows of a customer.
struct Accounts: RecordSource {
  /// The balance of each account at the start, in cents. It exceeds all transfers of a trial together, so that no
  /// transfer fails in any order.
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
  /// The balance of an account in cents: ``score``, which holds whole numbers exactly up to 2^53.
  var balance: Int64 {
    get { Int64(exactly: score) ?? .min }
    set { score = Double(newValue) }
  }
}

/// Money that goes from one account to another.
struct BankTransfer: Equatable {
  var from: Int64
  var to: Int64
  /// In cents.
  var amount: Int64
  /// Whether something goes wrong after the debit and before the credit.
  var fails: Bool

  /// The transfer of a number: a pure function of it.
  init(_ number: Int, seed: UInt64, accounts: any RecordSource) {
    var random = RandomStream(seed: seed, .key, number)
    let (from, distance) = (random.below(accounts.count), random.below(max(1, accounts.count - 1)) + 1)
    self.from = accounts.key(at: from)
    to = accounts.key(at: (from + distance) % accounts.count)
    amount = Int64(random.below(100_00)) + 1
    // One in eight.
    fails = random.below(8) == 0
  }
}
