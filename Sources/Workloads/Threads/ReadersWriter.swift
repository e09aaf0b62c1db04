import Foundation
import StorageContract

/// A workload with several reader threads and one writer thread at the same time.
struct ReadersWriter: Workload {
  /// The option for the number of reader threads, at most 256. More threads would measure the system's scheduler.
  static let readers = OptionSpec("readers", .choiceOrNumber(["1", "4", "8"]), most: 256, help: "threads that read")
  static let role = OptionSpec("role", ["reader", "writer"], help: "whose latency is reported")
  static let writer = OptionSpec(
    "writer", ["saves", "import"],
    help: "save 4 records at a time, or import batches of 1,000 records that replace those in the store")
  static let reads = OptionSpec(
    "reads", Reads.allCases.map(\.rawValue),
    help: "read 4 records that were written together, one record, or the first screen of a list: 20 records by key")

  /// The records that one read operation reads: a group, a single record, or the first screen of a list.
  enum Reads: String, CaseIterable {
    case group, record, list

    var most: Int { self == .group ? 4 : self == .record ? 1 : 20 }
  }

  static let description = WorkloadDescription(
    id: "readers-writer", question: "How long do readers and a writer wait for each other?",
    operation: """
      while the other threads work without a pause: read 4 records that belong together (role=reader), or change 4 such \
      records in one transaction (role=writer)
      """,
    options: [readers, role, writer, reads], access: .writes, capability: { _ in .concurrent },
    obstacle: { options, store in options[reads] == "list" ? store.lackOfKeyOrder : nil })

  let options: Options

  func countedOperations(records: Int, kind: EngineKind) -> Int {
    min(
      options[Self.writer] == "import" ? 40 : .max,
      CountedOperations.transactions.number(records: records, kind: kind))
  }

  func session(_ context: SessionContext) -> any WorkloadSession { ReadersWriterSession(context, options) }
}

/// A session with several reader threads and one writer thread. If system calls are counted, there is one thread.
private final class ReadersWriterSession: ThreadedStore, SharedStoreSession {
  private let readers: Int
  /// Whether the writer thread is measured, and not the reader threads. The others run in the background.
  private let isWriter: Bool
  private let isImport: Bool
  private let reads: ReadersWriter.Reads
  private let groups: RecordGroups
  private let writes = WriteLog()
  private var changes: [[Record]] = []
  private var blockStart = 0
  /// The results of the timed reads, in the order of the operations, kept until they are checked.
  private var found = Slots<Look?>(0, repeating: nil)
  /// The records that each reader thread read last, by thread number, kept for verification.
  private var seen: Slots<Look?>

  init(_ context: SessionContext, _ options: Options) {
    readers = Int(options[ReadersWriter.readers]) ?? 1
    isWriter = options[ReadersWriter.role] == "writer"
    isImport = options[ReadersWriter.writer] == "import"
    reads = ReadersWriter.Reads(rawValue: options[ReadersWriter.reads]) ?? .group
    // Several threads use the source, so it must not cache records.
    groups = RecordGroups(source: context.sharedSource, seed: context.seed, size: isImport ? 1_000 : 4)
    // If each write rewrites the whole file, waiting reads are slow, so a block has fewer of them.
    let isRewritten = context.backend.description.kind(context.environment.options) == .wholeFile
    let most = isRewritten ? 100_000 / max(25, context.source.count) : 4_096
    let records = isWriter ? groups.size : reads.most
    seen = Slots(readers, repeating: nil)
    let (workers, background) = isWriter ? (1, readers) : (readers, 1)
    super.init(
      context, blockSize: min(most, (32 << 20) / (records * (context.recordBytes + 128))),
      team: context.isCounting ? nil : ThreadTeam(workers: workers, background: background))
  }

  func prepare(_ operations: Range<Int>) {
    blockStart = operations.lowerBound
    found = Slots(operations.count, repeating: nil)
    if isWriter { changes = operations.map { groups.records(groups.written($0), after: $0) } }
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
    if isWriter {
      try team.perform(
        operations, { try write($0, changes[$0 - blockStart], store) },
        meanwhile: { reader in
          // The group of the current or the last write.
          let look = try look(at: indices(in: groups.written(max(0, writes.begun - 1 - reader % 2))), store)
          seen[reader] = look
          // There are too many results to keep, so a torn read (parts of two writes) is detected at once.
          try requireOneWrite(look)
        })
    } else {
      try team.perform(
        operations, { try read($0, store) },
        meanwhile: { _ in
          let number = writes.begun
          try write(number, groups.records(groups.written(number), after: number), store)
        })
    }
  }

  private func performInTurn(_ operation: Int, _ store: any SharedStore) throws {
    if isWriter {
      try write(operation, changes[operation - blockStart], store)
      for reader in 0..<readers { seen[reader] = try look(at: indices(operation * readers + reader), store) }
      return
    }
    if operation.isMultiple(of: readers) {
      let number = operation / readers
      try write(number, groups.records(groups.written(number), after: number), store)
    }
    try read(operation, store)
  }

  // MARK: - One read, one write

  /// The records that one read found, and the numbers of committed and begun writes at that time.
  private struct Look {
    var indices: [Int]
    var records: [Record?]
    /// The number of writes that were committed before the read began. The result must show these writes.
    var committed: Int
    /// The number of writes that had begun when the read ended. The result must not show any later write.
    var begun: Int

    /// Returns, for each record, the number of its last write, from 0. Nil means that a record is unchanged or missing.
    func versions(_ groups: RecordGroups) -> [Int?] {
      zip(indices, records).map { index, record in record.flatMap { groups.write(of: $0, at: index) } }
    }
  }

  /// Returns the positions in key order, from 0, of the records for one read.
  ///
  /// - Parameter read: The number of the read, from 0.
  private func indices(_ read: Int) -> [Int] {
    reads == .record ? [groups.index(ofRead: read)] : indices(in: groups.read(read))
  }

  /// Returns the indices of the records to read, in key order: the first records of the group. With the option
  /// `reads=list`, these are the first records of the store instead.
  private func indices(in group: Int) -> [Int] {
    reads == .list
      ? Array(0..<min(reads.most, groups.source.count)) : groups.indices(of: group, most: reads.most)
  }

  private func look(at indices: [Int], _ store: any SharedStore) throws -> Look {
    let keys = indices.map { groups.source.key(at: $0) }
    let committed = writes.committed
    let records: [Record?] = try store.read { snapshot in
      guard reads == .list, let first = keys.first, let last = keys.last else {
        return try keys.map { try snapshot.record($0) }
      }
      return try snapshot.records(first...last)
    }
    return Look(indices: indices, records: records, committed: committed, begun: writes.begun)
  }

  private func read(_ operation: Int, _ store: any SharedStore) throws {
    found[operation - blockStart] = try look(at: indices(operation), store)
  }

  private func write(_ number: Int, _ records: [Record], _ store: any SharedStore) throws {
    writes.begin(number)
    try store.write { transaction in
      if isImport { return try transaction.apply(together: records.map { .put($0) }) }
      for record in records { try transaction.put(record) }
    }
    context.acknowledged?(true)
    writes.commit(number)
  }

  func endsInSave(_ operation: Int) -> Bool { false }

  // MARK: - The snapshot

  func verify(_ operations: Range<Int>) throws {
    guard context.isVerifiable else { return }
    writes.index(by: groups)
    for index in 0..<found.count { if let look = found[index] { try check(look) } }
    for reader in 0..<seen.count { if let look = seen[reader] { try check(look) } }
  }

  /// Checks that a read shows one state of the store: all writes committed before the read, and none begun after it.
  private func check(_ look: Look) throws {
    try requireOneWrite(look)
    let versions = look.versions(groups)
    let newest = versions.compactMap { $0 }.max() ?? -1
    for ((index, found), write) in zip(zip(look.indices, look.records), versions) {
      let (key, group) = (groups.source.key(at: index), groups.group(of: index))
      try Expectation.compare(found, with: groups.record(at: index, after: write), key: key)
      if let write, write >= look.begun || groups.written(write) != group {
        throw VerificationError(key: key, "was read with a change that no thread had made")
      }
      guard let group, let last = writes.last(of: group, before: max(look.committed, newest + 1)), write ?? -1 < last
      else { continue }
      throw VerificationError(
        key: key,
        last < look.committed
          ? "was read as it was before a change that had been committed"
          : "is older than another record of the same snapshot: the read was torn")
    }
  }

  /// Checks that a read has found every record, and that all records of a group come from the same write.
  private func requireOneWrite(_ look: Look) throws {
    guard context.isVerifiable else { return }
    let keys = look.indices.map { groups.source.key(at: $0) }
    for (index, key) in keys.enumerated() where index >= look.records.count || look.records[index]?.id != key {
      throw VerificationError(key: key, "is missing")
    }
    let versions = look.versions(groups)
    for (index, version) in versions.enumerated() {
      let group = groups.group(of: look.indices[index])
      guard let first = look.indices.firstIndex(where: { groups.group(of: $0) == group }), version != versions[first]
      else { continue }
      throw VerificationError(
        key: keys[index],
        "does not come from the same write as record \(keys[first]) of the same snapshot: the read was torn")
    }
  }

  // MARK: - The end

  private func writeCount(_ operations: Int) -> Int {
    guard context.isCounting else { return writes.committed }
    return isWriter ? operations : (operations + readers - 1) / readers
  }

  func bytesChanged(by operations: Int) -> Int {
    let writes = Dictionary(grouping: 0..<writeCount(operations), by: groups.written)
    return writes.reduce(0) { sum, entry in
      let size = groups.indices(of: entry.key).reduce(0) { $0 + groups.source.record(at: $1).payload.count + 8 }
      return sum + size * entry.value.count
    }
  }

  func expectation(after operations: Int) -> Expectation {
    // Each write to a group replaces those before it.
    let last = (0..<writeCount(operations)).reduce(into: [Int: Int]()) { $0[groups.written($1)] = $1 }
    let records = last.lazy.flatMap { self.groups.records($0.key, after: $0.value) }
    return Expectation(context.fixture).after(records.map { .put($0) })
  }

  func hash(_ operation: Int, into hash: inout StableHash) {
    hash.add(UInt64(reads == .record ? groups.index(ofRead: operation) : groups.read(operation)))
    for record in groups.records(groups.written(operation), after: operation) { record.withView { hash.add($0) } }
  }
}

/// A log of begun and committed writes. A reader must see all committed writes, and may see begun ones.
private final class WriteLog: @unchecked Sendable {
  private let lock = NSLock()
  private var begunCount = 0
  private var committedCount = 0
  /// The writes to each group, before number ``indexed``: `[3: [0, 5]]` means that writes 0 and 5 changed group 3.
  private var history: [Int: [Int]] = [:]
  private var indexed = 0

  /// The number of writes that have begun, which is also the number of the next write.
  var begun: Int { lock.withLock { begunCount } }

  var committed: Int { lock.withLock { committedCount } }

  func begin(_ number: Int) { lock.withLock { begunCount = number + 1 } }

  func commit(_ number: Int) { lock.withLock { committedCount = number + 1 } }

  /// Adds all begun writes that ``history`` lacks. `groups` computes which group of records each write changes.
  func index(by groups: RecordGroups) {
    lock.withLock {
      for write in indexed..<begunCount { history[groups.written(write), default: []].append(write) }
      indexed = begunCount
    }
  }

  /// Returns the number of the last write to a group of records before write `number`, or nil if there is none.
  func last(of group: Int, before number: Int) -> Int? {
    lock.withLock {
      let writes = history[group] ?? []
      let next = writes.partitioningIndex { $0 >= number }
      return next > 0 ? writes[next - 1] : nil
    }
  }
}
