import StorageContract

/// A workload in which one or more threads write to a log.
struct AppLog: Workload {
  static let description = WorkloadDescription(
    id: "app-log", question: "What does logging cost, by one thread or by many?",
    operation: "append an entry, or find or create one and change it, or delete one; now and then fetch all",
    options: [WorkloadDescription.threadsOption], access: .writes, counted: .transactions,
    capability: { _ in .transactional })

  init(options: Options) {}

  func session(_ context: SessionContext) -> any WorkloadSession { AppLogSession(context) }
}

private final class AppLogSession: ThreadedStore, ThreadedSession {
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
    super.init(
      context, blockSize: min(1_024, max(8 * context.threads, 40 * (64 << 20) / size)), team: context.team)
  }

  private func entry(_ key: Int64) -> Record { log.entry(key, bytes: context.recordBytes) }

  func prepare(_ operations: Range<Int>) {
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

  func perform(_ number: Int, on store: any SharedStore) throws {
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

  func endsInSave(_ number: Int) -> Bool { block[number - blockStart].operation != .fetchAll }

  func verify(_ operations: Range<Int>) throws {
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
    stride(from: number % threads, to: number, by: threads).reduce(0) { count, earlier in
      switch log.operation(earlier) {
      case .append: count + 1
      case .delete: count - 1
      case .findOrCreate, .fetchAll: count
      }
    }
  }

  func bytesChanged(by operations: Int) -> Int {
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

  func expectation(after operations: Int) -> Expectation {
    (0..<operations).reduce(into: Expectation(context.fixture)) { expectation, number in
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
  }

  func hash(_ number: Int, into hash: inout StableHash) {
    switch log.operation(number) {
    case .append(let key), .findOrCreate(let key): entry(key).withView { hash.add($0) }
    case .delete(let key): hash.add(UInt64(bitPattern: key))
    case .fetchAll: hash.add("all")
    }
  }
}

/// A model of an app's log. Each log entry is a record, and each user is a group of records.
struct LogEntries {
  let source: any RecordSource
  let seed: UInt64
  let threads: Int

  /// The number of log entries that ``Operation/findOrCreate(_:)`` may create: 26 for 100 initial entries.
  private var sharedCount: Int { source.count / 4 + 1 }

  enum Operation: Equatable {
    case append(Int64)
    /// An operation that finds or creates the log entry with this key, and then increases its score by one.
    case findOrCreate(Int64)
    /// An operation that deletes the log entry with this key, which the same thread has appended.
    case delete(Int64)
    case fetchAll
  }

  /// Returns an operation: mostly appends, some lookups and deletions, and rarely a fetch of all entries.
  func operation(_ number: Int) -> Operation {
    let own = number / threads
    switch own % 8 {
    case 2, 5:
      // Four in five looked-up entries exist at the start.
      let position = RandomStream.number(below: source.count + sharedCount, seed: seed, .key, number)
      return .findOrCreate(
        position < source.count ? source.key(at: position) : source.unusedKey(position - source.count))
    case 4: return .delete(appendedKey(number - 4 * threads))
    case 7 where own / 8 % 5 == 0: return .fetchAll
    default: return .append(appendedKey(number))
    }
  }

  private func appendedKey(_ number: Int) -> Int64 { source.unusedKey(sharedCount + number) }

  func appending(_ key: Int64) -> Int? {
    let number = key &- appendedKey(0)
    guard number >= 0, number < Int64(Int32.max), operation(Int(number)) == .append(key) else { return nil }
    return Int(number)
  }

  /// Returns the initial content of the log entry with this key. A new entry has a payload of `bytes` bytes.
  func entry(_ key: Int64, bytes: Int) -> Record {
    if let index = source.index(of: key) { return source.record(at: index) }
    let number = Int(key &- source.unusedKey(0))
    var random = RandomStream(seed: seed, .change, number)
    var entry = source.record(at: number % source.count)
    entry.id = key
    entry.name = "log \(key)"
    entry.group = "user \((max(0, number - sharedCount)) % threads + 1)"
    entry.score = 0
    entry.modified += Double(number + 1)
    entry.payload = GeneratedRecords.payload(bytes, .random, &random)
    return entry
  }
}
