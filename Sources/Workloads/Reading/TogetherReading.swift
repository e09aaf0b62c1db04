import StorageContract

/// The option for the number of records that one operation reads. Several records are read in one state of the store.
enum TogetherOption {
  static let spec = OptionSpec(
    "together", .choiceOrNumber(["1", "10", "100"]), most: 1_000,
    help: "records that one operation reads; several are read in one transaction")

  static func count(_ options: Options) -> Int { Int(options[spec]) ?? 1 }

  /// Returns the capability that a backend needs to read several records in one transaction; nil for a single record.
  static func capability(_ options: Options) -> Capability? { count(options) > 1 ? .concurrent : nil }
}

/// A session that reads several records by key per operation. The reads of one operation see one state of the store.
final class TogetherReadingSession: ThreadedStore, SharedStoreSession {
  private let count: Int
  private let keyOf: KeyStream
  private let makeStore: () throws -> Void
  private let expected: Expectation
  private var block = Block<[Int64]>()
  private var found: [[Record?]] = []

  /// Creates a session that reads `count` records of `recordBytes` bytes per operation.
  ///
  /// - Parameters:
  ///   - making: Adds more records to the initial store, before the session opens the store.
  ///   - expected: The content of the store that is read.
  init(
    _ context: SessionContext, count: Int, recordBytes: Int, keys: @escaping KeyStream,
    making: @escaping () throws -> Void = {}, expected: Expectation
  ) {
    self.count = count
    self.expected = expected
    keyOf = keys
    makeStore = making
    // The records of a block are kept. A larger block would add the kernel's time for new memory pages to the reads.
    super.init(context, blockSize: min(256, (4 << 20) / (count * (recordBytes + 128))))
  }

  func setUp() throws {
    try makeStore()
    store = try context.openShared().value
  }

  private func keys(_ operation: Int) -> [Int64] { (operation * count..<(operation + 1) * count).map(keyOf) }

  func prepare(_ operations: Range<Int>) {
    block = Block(operations, keys)
    found = Array(repeating: [], count: operations.count)
  }

  func perform(_ operation: Int) throws {
    let keys = block[operation]
    found[block.index(of: operation)] = try store.unsafelyUnwrapped.read { snapshot in
      try keys.map { try snapshot.record($0) }
    }
  }

  func endsInSave(_ operation: Int) -> Bool { false }

  func verify(_ operations: Range<Int>) throws {
    guard context.isVerifiable else { return }
    for operation in operations {
      let (keys, records) = (block[operation], found[block.index(of: operation)])
      guard keys.count == records.count else { throw VerificationError(key: keys.first, "was not read") }
      for (key, record) in zip(keys, records) {
        try Expectation.compare(record, with: expected.record(key), key: key)
      }
    }
  }

  func finish() throws {
    guard let store else { return }
    (block, found) = (Block(), [])
    self.store = nil
    try context.closeShared(store)
  }

  func expectation(after operations: Int) -> Expectation { expected }

  func hash(_ operation: Int, into hash: inout StableHash) {
    for key in keys(operation) { hash.add(UInt64(bitPattern: key)) }
  }
}
