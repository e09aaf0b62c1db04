import StorageContract

/// A workload in which one or more threads write to a log.
public struct AppLog: Workload {
  public static let description = WorkloadDescription(
    id: "app-log", question: "What does logging cost, by one thread or by many?",
    operation: "append an entry, or find or create one and change it, or delete one; now and then fetch all",
    options: [WorkloadDescription.threadsOption], access: .writes, capability: .transactional)

  public init(options: Options) {}

  public func countedOperations(records: Int, kind: EngineKind) -> Int {
    countedTransactions(records: records, kind: kind)
  }

  public func session(_ context: SessionContext) -> any WorkloadSession { AppLogSession(context) }
}

private final class AppLogSession: ThreadedSession {
  private struct Item {
    var operation: LogEntries.Operation
    /// The log entry that an `append` adds, or that a `findOrCreate` adds if the log lacks the entry's key. Nil for
    /// other operations.
    var entry: Record?
    var found: [Record] = []
  }

  private let log: LogEntries
  private var block = Slots<Item>(0, repeating: Item(operation: .fetchAll))
  private var blockStart = 0
  /// The keys of log entries that must exist, because an earlier operation has found or created them.
  private var made: Set<Int64> = []

  init(_ context: SessionContext) {
    log = LogEntries(source: context.source, seed: context.seed, threads: context.threads)
    // One operation in forty keeps all entries until they are checked.
    let size = max(1, context.source.count * (context.recordBytes + 128))
    super.init(context, blockSize: min(1_024, max(8 * context.threads, 40 * (64 << 20) / size)))
  }

  private func entry(_ key: Int64) -> Record { log.entry(key, bytes: context.recordBytes) }

  override func prepare(_ operations: Range<Int>) {
    block = Slots(operations.count, repeating: Item(operation: .fetchAll))
    blockStart = operations.lowerBound
    for number in operations {
      let operation = log.operation(number)
      var item = Item(operation: operation)
      if case .append(let key) = operation { item.entry = entry(key) }
      if case .findOrCreate(let key) = operation { item.entry = entry(key) }
      block[number - blockStart] = item
    }
  }

  override func perform(_ number: Int, on store: any SharedStore) throws {
    let index = number - blockStart
    let item = block[index]
    switch item.operation {
    case .append:
      guard let entry = item.entry else { return }
      try store.write { try $0.put(entry) }
    case .findOrCreate(let key):
      guard let new = item.entry else { return }
      let found = try store.write { transaction in
        let found = try transaction.record(key)
        var entry = found ?? new
        entry.score += 1
        try transaction.put(entry)
        return found
      }
      if let found { block[index].found = [found] }
    case .delete(let key): try store.write { try $0.delete(key) }
    case .fetchAll: block[index].found = try store.read { try $0.records() }
    }
  }

  override func endsInSave(_ number: Int) -> Bool { block[number - blockStart].operation != .fetchAll }

  override func verify(_ operations: Range<Int>) throws {
    guard context.isVerifiable else { return }
    for number in operations {
      let item = block[number - blockStart]
      switch item.operation {
      case .append, .delete: break
      case .findOrCreate(let key):
        guard let found = item.found.first else {
          if context.source.index(of: key) == nil, !made.contains(key) { break }
          throw VerificationError(key: key, "is missing")
        }
        try check(found)
      case .fetchAll: try check(item.found, at: number, before: operations.upperBound)
      }
    }
    for number in operations {
      if case .findOrCreate(let key) = log.operation(number) { made.insert(key) }
    }
  }

  /// Checks a log entry that was read. All fields must be unchanged except the score, which may have increased.
  private func check(_ found: Record) throws {
    var expected = entry(found.id)
    if found.score >= expected.score { expected.score = found.score }
    try Expectation.compare(found, with: expected, key: found.id)
  }

  /// Checks the log entries that an operation has read. All initial entries must be there, and all entries that the
  /// same thread has appended and not deleted.
  ///
  /// - Parameters:
  ///   - number: The number of the operation that has read the entries.
  ///   - end: The number after the last operation of the block. Later operations have not appended entries yet.
  private func check(_ found: [Record], at number: Int, before end: Int) throws {
    var own = 0
    var initial = 0
    for (entry, next) in zip(found, found.dropFirst()) where entry.id >= next.id {
      throw VerificationError(key: next.id, "comes after record \(entry.id)")
    }
    for entry in found {
      try check(entry)
      if context.source.index(of: entry.id) != nil {
        initial += 1
      } else if let appending = log.appending(entry.id) {
        guard appending < end else { throw VerificationError(key: entry.id, "is there but should not be") }
        guard appending % threads == number % threads else { continue }
        own += 1
        let removal = appending + 4 * threads
        let isGone = removal < number && log.operation(removal) == .delete(entry.id)
        if isGone || appending > number { throw VerificationError(key: entry.id, "is there but should not be") }
      }
    }
    guard initial == context.source.count else {
      throw VerificationError("only \(initial) of the log's first \(context.source.count) entries are there")
    }
    let expected = ownEntries(before: number)
    guard own == expected else {
      throw VerificationError("a thread finds \(own) of the entries it wrote instead of \(expected)")
    }
  }

  /// Returns the number of log entries that a thread has appended and not deleted before its operation `number`.
  private func ownEntries(before number: Int) -> Int {
    var count = 0
    for earlier in stride(from: number % threads, to: number, by: threads) {
      switch log.operation(earlier) {
      case .append: count += 1
      case .delete: count -= 1
      case .findOrCreate, .fetchAll: break
      }
    }
    return count
  }

  override func bytesChanged(by operations: Int) -> Int {
    var made: Set<Int64> = []
    return (0..<operations).reduce(0) { sum, number in
      switch log.operation(number) {
      case .append(let key), .delete(let key): return sum + entry(key).logicalSize
      case .findOrCreate(let key):
        let isNew = context.source.index(of: key) == nil && made.insert(key).inserted
        return sum + (isNew ? entry(key).logicalSize : 8)
      case .fetchAll: return sum
      }
    }
  }

  override func expectation(after operations: Int) -> Expectation {
    var expectation = Expectation(context.fixture)
    for number in 0..<operations {
      switch log.operation(number) {
      case .append(let key): expectation.apply(.put(entry(key)))
      case .delete(let key): expectation.apply(.delete(key))
      case .findOrCreate(let key):
        var found = expectation.record(key) ?? entry(key)
        found.score += 1
        expectation.apply(.put(found))
      case .fetchAll: break
      }
    }
    return expectation
  }

  override func hash(_ number: Int, into hash: inout StableHash) {
    switch log.operation(number) {
    case .append(let key), .findOrCreate(let key): entry(key).withView { hash.add($0) }
    case .delete(let key): hash.add(UInt64(bitPattern: key))
    case .fetchAll: hash.add("all")
    }
  }
}
