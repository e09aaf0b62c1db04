import StorageContract

/// A session that simulates uses of a small app. Each operation opens the store, loads all records, saves changes,
/// reopens the store, and loads all records again.
final class ReopeningSession: WorkloadSession {
  let blockSize = 16
  private(set) var settings = ""
  private let context: SessionContext
  private let saves: (Int) -> [[Change]]
  private var block = Block<[[Change]]>()
  private var loads: [(first: [Record], second: [Record])] = []
  private var state: Expectation

  /// Creates a session.
  ///
  /// - Parameter saves: Returns the changes that an operation saves, with one inner array for each commit.
  init(_ context: SessionContext, saves: @escaping (Int) -> [[Change]]) {
    self.context = context
    self.saves = saves
    state = Expectation(context.fixture)
  }

  /// Opens and closes the store once, untimed, to create its files and to read its settings.
  func setUp() throws {
    let store = try context.open()
    settings = store.settings
    try context.close(store)
  }

  func prepare(_ operations: Range<Int>) {
    block = Block(operations, saves)
    loads = []
    loads.reserveCapacity(operations.count)
  }

  func perform(_ operation: Int) throws {
    let first = try launch { store in
      let records = try store.records(.all, in: .records)
      // The writes of opening the store do not count for the first save.
      context.acknowledged?(false)
      for changes in block[operation] {
        try store.commit(changes)
        context.acknowledged?(true)
      }
      return records
    }
    loads.append((first, try launch { try $0.records(.all, in: .records) }))
  }

  func endsInSave(_ operation: Int) -> Bool { false }

  private func launch(_ body: (any StorageBackend) throws -> [Record]) throws -> [Record] {
    let store = try context.open()
    let records = try body(store)
    try context.close(store)
    return records
  }

  func verify(_ operations: Range<Int>) throws {
    for (operation, load) in zip(operations, loads) where context.isVerifiable {
      try Expectation.compare(load.first, with: state.records())
      state.apply(saves(operation).joined())
      try Expectation.compare(load.second, with: state.records())
    }
  }

  func finish() {}

  func bytesChanged(by operations: Int) -> Int {
    (0..<operations).lazy.flatMap(saves).joined().reduce(0) { $0 + $1.record.logicalSize - 24 }
  }

  func expectation(after operations: Int) -> Expectation {
    // Every operation saves all records again, so only the last operation counts.
    Expectation(context.fixture).after(operations > 0 ? saves(operations - 1).flatMap { $0 } : [])
  }

  func hash(_ operation: Int, into hash: inout StableHash) {
    for changes in saves(operation) { changes.forEach { $0.record.withView { hash.add($0) } } }
  }
}
