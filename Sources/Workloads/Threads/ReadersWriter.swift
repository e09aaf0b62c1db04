import StorageContract

/// A workload with several reader threads and one writer thread at the same time.
public struct ReadersWriter: Workload {
  /// The option for the number of reader threads. With more than 256, the trial would measure the system's scheduler.
  static let readers = OptionSpec("readers", .choiceOrNumber(["1", "4", "8"]), most: 256, help: "threads that read")
  static let role = OptionSpec("role", ["reader", "writer"], help: "whose latency is reported")

  public static let description = WorkloadDescription(
    id: "readers-writer", question: "How long do readers and a writer wait for each other?",
    operation: """
      while the other threads work without a pause: read 4 records that belong together (role=reader), or change 4 such \
      records in one transaction (role=writer)
      """,
    options: [readers, role], access: .writes, capability: .concurrent)

  private let readers: Int
  private let role: ReadersWriterSession.Role

  public init(options: Options) {
    readers = Int(options[Self.readers]) ?? 1
    role = options[Self.role] == "writer" ? .writer : .reader
  }

  public func countedOperations(records: Int, kind: EngineKind) -> Int {
    countedTransactions(records: records, kind: kind)
  }

  /// Creates a session with the number of readers and the measured role (reader or writer) from the options.
  public func session(_ context: SessionContext) -> any WorkloadSession {
    ReadersWriterSession(context, readers: readers, role: role)
  }
}

/// A session of readers and a writer at once. If system calls are counted, they take turns: a write, then each reader.
private final class ReadersWriterSession: WorkloadSession {
  /// The role of the threads whose operations are measured. The threads with the opposite role run in the background.
  enum Role {
    case reader, writer
  }

  let blockSize: Int
  private let context: SessionContext
  private let readers: Int
  private let role: Role
  private let groups: RecordGroups
  private let writes = WriteLog()
  private let team: ThreadTeam?
  private var store: (any SharedStore)?
  private var changes: [[Record]] = []
  private var blockStart = 0
  /// The results of the measured reads, by the operation's position in the block.
  private var found = Slots<Look?>(0, repeating: nil)
  /// The last result of each background reader.
  private var seen: Slots<Look?>

  init(_ context: SessionContext, readers: Int, role: Role) {
    self.context = context
    self.readers = readers
    self.role = role
    // Several threads use the source, so it must not cache records.
    groups = RecordGroups(source: context.sharedSource, seed: context.seed)
    // If a write rewrites every record, each read of a block may have to wait for a write. Reads in the warm-up that do
    // not wait seem a hundred thousand times as fast, but a long block of waiting reads would take minutes.
    let isRewritten = context.backend.description.kind(context.environment.options) == .wholeFile
    let most = isRewritten ? 100_000 / max(25, context.source.count) : 4_096
    blockSize = max(1, min(most, (32 << 20) / (RecordGroups.size * (context.recordBytes + 128))))
    seen = Slots(readers, repeating: nil)
    team =
      context.isCounting
      ? nil
      : role == .reader ? ThreadTeam(workers: readers, background: 1) : ThreadTeam(workers: 1, background: readers)
  }

  var settings: String { store?.settings ?? "" }
  var measuresItself: Bool { team != nil }
  func ownDuration(of operation: Int) -> Int64? { team?.duration(of: operation) }
  func ownElapsed(of operations: Range<Int>) -> Int64? { team?.elapsed }

  func setUp() throws { store = try context.openShared().value }

  func prepare(_ operations: Range<Int>) {
    blockStart = operations.lowerBound
    found = Slots(operations.count, repeating: nil)
    if role == .writer { changes = operations.map { groups.records(groups.written($0), after: $0) } }
  }

  func perform(_ operation: Int) throws { try perform(operation..<operation + 1) {} }

  func perform(_ operations: Range<Int>, lap: () -> Void) throws {
    let store = store.unsafelyUnwrapped
    guard let team else {
      for operation in operations {
        try performInTurn(operation, store)
        lap()
      }
      return
    }
    switch role {
    case .reader:
      try team.perform(
        operations, { try read($0, store) },
        meanwhile: { _ in
          let number = writes.begun
          try write(number, groups.records(groups.written(number), after: number), store)
        })
    case .writer:
      try team.perform(
        operations, { try write($0, changes[$0 - blockStart], store) },
        meanwhile: { reader in
          // The group of the current or the last write.
          let look = try look(at: groups.written(max(0, writes.begun - 1 - reader % 2)), store)
          seen[reader] = look
          // The results are too many to keep for later checks. A torn read (parts of two writes) is detected at once.
          try requireOneWrite(look)
        })
    }
  }

  private func performInTurn(_ operation: Int, _ store: any SharedStore) throws {
    switch role {
    case .reader:
      if operation.isMultiple(of: readers) {
        let number = operation / readers
        try write(number, groups.records(groups.written(number), after: number), store)
      }
      try read(operation, store)
    case .writer:
      try write(operation, changes[operation - blockStart], store)
      for reader in 0..<readers { seen[reader] = try look(at: groups.read(operation * readers + reader), store) }
    }
  }

  // MARK: - One read, one write

  /// The result of reading a group of records, and the numbers of writes that limit which writes the result may show.
  private struct Look {
    var group: Int
    var records: [Record?]
    /// The number of writes committed before the read began. `begun` is the number of writes begun before it ended.
    var committed: Int
    var begun: Int
  }

  private func look(at group: Int, _ store: any SharedStore) throws -> Look {
    let keys = groups.places(group).map { groups.source.key(at: $0) }
    let committed = writes.committed
    let records = try store.read { snapshot in try keys.map { try snapshot.record($0) } }
    return Look(group: group, records: records, committed: committed, begun: writes.begun)
  }

  private func read(_ operation: Int, _ store: any SharedStore) throws {
    found[operation - blockStart] = try look(at: groups.read(operation), store)
  }

  private func write(_ number: Int, _ records: [Record], _ store: any SharedStore) throws {
    writes.begin(number)
    try store.write { transaction in for record in records { try transaction.put(record) } }
    context.acknowledged?(true)
    writes.commit(number)
  }

  func endsInSave(_ operation: Int) -> Bool { false }

  // MARK: - The snapshot

  func verify(_ operations: Range<Int>) throws {
    guard context.isVerifiable else { return }
    writes.index(by: groups)
    for place in 0..<found.count { if let look = found[place] { try check(look) } }
    for reader in 0..<seen.count { if let look = seen[reader] { try check(look) } }
  }

  /// Checks that all records of a group were read in the version of one write. This write must have begun before the
  /// read ended. No later write to the group may have been committed before the read began.
  private func check(_ look: Look) throws {
    try requireOneWrite(look)
    let places = groups.places(look.group)
    guard let first = look.records[0] else { return }
    let write = groups.write(of: first, at: places[0])
    for ((place, found), expected) in zip(zip(places, look.records), groups.records(look.group, after: write)) {
      try Expectation.compare(found, with: expected, key: groups.source.key(at: place))
    }
    let key = groups.source.key(at: places[0])
    if let write, write >= look.begun || groups.written(write) != look.group {
      throw VerificationError(key: key, "was read with a change that no thread had made")
    }
    if let last = writes.last(of: look.group, before: look.committed), write ?? -1 < last {
      throw VerificationError(key: key, "was read as it was before a change that had been committed")
    }
  }

  private func requireOneWrite(_ look: Look) throws {
    guard context.isVerifiable else { return }
    let places = groups.places(look.group)
    let keys = places.map { groups.source.key(at: $0) }
    for (key, record) in zip(keys, look.records) where record == nil {
      throw VerificationError(key: key, "is missing")
    }
    let numbers = zip(places, look.records).map { place, record in record.map { groups.write(of: $0, at: place) } ?? nil
    }
    for (key, number) in zip(keys, numbers) where number != numbers[0] {
      throw VerificationError(
        key: key, "is of another write than record \(keys[0]) of the same snapshot: the read was torn")
    }
  }

  // MARK: - The end

  func finish() throws {
    guard let store else { return }
    self.store = nil
    try store.settle()
    try context.closeShared(store)
  }

  private func writeCount(_ operations: Int) -> Int {
    guard context.isCounting else { return writes.committed }
    return role == .writer ? operations : (operations + readers - 1) / readers
  }

  func bytesChanged(by operations: Int) -> Int {
    (0..<writeCount(operations)).reduce(0) { sum, write in
      sum + groups.places(groups.written(write)).reduce(0) { $0 + groups.source.record(at: $1).payload.count + 8 }
    }
  }

  func expectation(after operations: Int) -> Expectation {
    var expectation = Expectation(context.fixture)
    for write in 0..<writeCount(operations) {
      for record in groups.records(groups.written(write), after: write) { expectation.apply(.put(record)) }
    }
    return expectation
  }

  func hash(_ operation: Int, into hash: inout StableHash) {
    hash.add(UInt64(groups.read(operation)))
    for record in groups.records(groups.written(operation), after: operation) { record.withView { hash.add($0) } }
  }
}
