import StorageContract

/// The base class of sessions whose operation runs once per store. A new store is made before each operation, untimed.
class FreshStoreSession: StoreSession {
  let blockSize = 1
  let context: SessionContext
  /// The open store, or nil if the operation opens it.
  var store: (any StorageBackend)?
  private(set) var settings = ""
  private let opensFirst: Bool

  /// Creates a session.
  ///
  /// - Parameters:
  ///   - context: The conditions of the trial.
  ///   - opensFirst: Whether the store is opened before each operation; otherwise the operation opens it.
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

  /// Checks the store after the given operations.
  func check(_ store: any StorageBackend, _ operations: Range<Int>) throws {}

  func bytesChanged(by operations: Int) -> Int { 0 }

  func expectation(after operations: Int) throws -> Expectation { Expectation(context.fixture) }

  /// Adds only the number of records, since every operation does the same to the same store.
  func hash(_ operation: Int, into hash: inout StableHash) { hash.add(UInt64(context.source.count)) }
}
