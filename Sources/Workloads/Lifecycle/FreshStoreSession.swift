import StorageContract

/// The base class of sessions whose operation can run only once per store, such as a migration. Before each operation,
/// the session makes a new store, which is not timed.
class FreshStoreSession: StoreSession {
  let blockSize = 1
  let context: SessionContext
  /// The open store. If each operation itself opens the store, the property is nil before the operation.
  var store: (any StorageBackend)?
  private(set) var settings = ""
  private let opensFirst: Bool

  /// Creates a session. If `opensFirst` is false, each operation opens the store itself.
  init(_ context: SessionContext, opensFirst: Bool) {
    self.context = context
    self.opensFirst = opensFirst
  }

  func setUp() throws { if opensFirst { store = try context.open() } }

  func prepare(_ operations: Range<Int>) throws {
    guard operations.lowerBound > 0 else { return }
    try context.between {
      try close()
      try context.reset()
      try setUp()
    }
  }

  func perform(_ operation: Int) throws {}

  func endsInSave(_ operation: Int) -> Bool { true }

  final func verify(_ operations: Range<Int>) throws {
    settings = store?.settings ?? ""
    if context.isVerifiable, let store { try check(store, operations) }
  }

  /// Checks the store after operations. This method checks nothing; subclasses may override it.
  func check(_ store: any StorageBackend, _ operations: Range<Int>) throws {}

  func bytesChanged(by operations: Int) -> Int { 0 }

  func expectation(after operations: Int) throws -> Expectation { Expectation(context.fixture) }

  /// Adds only the number of records to the hash, because every operation does the same work on a new store with these
  /// records.
  func hash(_ operation: Int, into hash: inout StableHash) { hash.add(UInt64(context.source.count)) }
}
