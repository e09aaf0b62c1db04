import StorageContract

/// The base class of sessions that restore the initial store, untimed, before each operation.
class FreshStoreSession: SessionStore, StoreSession {
  let blockSize = 1
  private(set) var settings = ""
  /// The numbers of records that the operations of a block have changed, by operation number, kept until the check.
  final var changed: [Int: Int] = [:]

  func setUp() throws { store = try context.open() }

  func prepare(_ operations: Range<Int>) throws {
    changed = [:]
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

  func check(_ store: any StorageBackend, _ operations: Range<Int>) throws {
    _ = try expectation(after: operations.upperBound).check(store, hashes: false)
  }

  /// The changes that one operation makes to the store. All operations of the session make the same changes.
  var effect: [Change] { [] }

  /// Returns the size of the records that the operations delete. Sessions that also save records replace this method.
  func bytesChanged(by operations: Int) -> Int {
    let deleted = effect.filter(\.isDelete).compactMap { context.source.index(of: $0.record.id) }
    return operations * deleted.reduce(0) { $0 + context.source.record(at: $1).logicalSize }
  }

  func expectation(after operations: Int) throws -> Expectation {
    Expectation(context.fixture).after(operations > 0 ? effect : [])
  }

  func hash(_ operation: Int, into hash: inout StableHash) { hash.add(UInt64(context.source.count)) }
}
