import StorageContract

/// The base class of sessions with one or more threads. Operations run in sequence if system calls are counted.
class ThreadedSession: WorkloadSession {
  let threads: Int
  let blockSize: Int
  let context: SessionContext
  private(set) var store: (any SharedStore)?
  private let team: ThreadTeam?

  init(_ context: SessionContext, blockSize: Int) {
    self.context = context
    self.blockSize = max(1, blockSize)
    threads = context.threads
    team = threads > 1 && !context.isCounting ? ThreadTeam(workers: threads) : nil
  }

  // MARK: - Overridable members

  func prepare(_ operations: Range<Int>) {}

  func perform(_ operation: Int, on store: any SharedStore) throws {}

  func endsInSave(_ operation: Int) -> Bool { true }

  func verify(_ operations: Range<Int>) throws {}
  func bytesChanged(by operations: Int) -> Int { 0 }
  func expectation(after operations: Int) -> Expectation { Expectation(context.fixture) }
  func hash(_ operation: Int, into hash: inout StableHash) {}

  // MARK: - Shared behaviour

  final var settings: String { store?.settings ?? "" }

  final func setUp() throws {
    store = threads > 1 ? try context.openShared().value : OneThreadStore(try context.open())
  }

  final func perform(_ operation: Int) throws { try perform(operation, on: store.unsafelyUnwrapped) }

  final func perform(_ operations: Range<Int>, lap: () -> Void) throws {
    let store = store.unsafelyUnwrapped
    if let team { return try team.perform(operations) { try perform($0, on: store) } }
    for operation in operations {
      try perform(operation, on: store)
      lap()
    }
  }

  final var measuresItself: Bool { team != nil }
  final func ownDuration(of operation: Int) -> Int64? { team?.duration(of: operation) }
  final func ownElapsed(of operations: Range<Int>) -> Int64? { team?.elapsed }

  final func finish() throws {
    guard let store else { return }
    self.store = nil
    try store.settle()
    if let own = store as? OneThreadStore { try context.close(own.store) } else { try context.closeShared(store) }
  }
}
