import StorageContract

/// A workload that merges a list of records from a server into the store.
struct Refresh: Workload {
  enum Way: String, CaseIterable {
    case upsert, replace, find, wipe
  }

  static let overlap = OptionSpec(
    "overlap", ["90%", "50%", "0%"], help: "share of the incoming records whose keys are in the store already")
  static let way = OptionSpec(
    "way", Way.allCases.map(\.rawValue),
    help: "put all; also delete the page's other records; read each first and put those that differ; delete all first")
  static let by = OptionSpec(
    "by", ["commit", "batch"],
    help: "merge in one commit, or by the store's bulk requests, of which a deletion and an import are two commits")

  static let description = WorkloadDescription(
    id: "refresh", question: "What does merging a server's answer into the store cost?",
    operation:
      "merge N/10 records, a page of a server's list by score; half of those that are in the store have not changed",
    options: [overlap, way, by], access: .writes,
    capability: { $0[by] == "batch" ? .bulk : $0[way] == "replace" ? .querying : nil },
    check: { options in
      guard options[way] == "find", options[by] == "batch" else { return }
      throw UsageError("way=find of workload refresh reads each record, which no bulk request does; leave out by=batch")
    }, words: { _ in WorkloadWords("a refresh", .save) })

  let options: Options

  func session(_ context: SessionContext) throws -> any WorkloadSession {
    let way = Way(rawValue: options[Self.way]) ?? .upsert
    let answer = ServerAnswer(context, overlap: options.share(Self.overlap))
    // With many equal scores, way=replace would delete most of the store.
    guard way != .replace || answer.keysOfPage.count <= 2 * answer.records.count else {
      throw StoreError.failed(
        "way=replace would delete \(answer.keysOfPage.count) records to store \(answer.records.count), because many "
          + "records have equal scores; map another column to score, or choose another way=")
    }
    return RefreshSession(context, answer, way, isBulk: options[Self.by] == "batch")
  }
}

/// A list of new, changed and unchanged records, as a simulated server sends it for merging into the store.
private struct ServerAnswer {
  private(set) var records: [Record] = []
  /// The condition that a record's score lies in the range of scores that the simulated server's list covers.
  let predicate: RecordPredicate
  /// The keys of the stored records whose scores are in the range for which the simulated server sends its records.
  let keysOfPage: [Int64]
  /// The number of records from the simulated server that are new or differ from the stored records.
  private(set) var differences = 0
  /// The size of new and changed data from the simulated server, in bytes, without the engine's overhead.
  private(set) var bytes = 0

  init(_ context: SessionContext, overlap: Double) {
    let source = context.source
    var random = RandomStream(seed: context.seed, .order, 0)
    let count = max(1, source.count / 10)
    let model = OrderedRecords(context.records)
    let scores = model.scores.dropFirst(random.below(max(1, model.scores.count - count + 1))).prefix(count).map(\.score)
    // Records with equal scores stay together, so the page may have a few more.
    let range = (scores.first ?? 0)...(scores.last ?? 0)
    let members = model.indices(scored: range).shuffled(using: &random)
    predicate = .score(range)
    keysOfPage = members.map(source.key)
    let known = Int((Double(count) * overlap).rounded())
    for index in 0..<min(count, members.count) {
      var record = source.record(at: members[index])
      if index >= known || index.isMultiple(of: 2) {
        record = context.edited(record, index)
        if index >= known { record.id = source.unusedKey(index) }
        differences += 1
        bytes += index >= known ? record.logicalSize : record.payload.count + 8
      }
      records.append(record)
    }
  }
}

private final class RefreshSession: FreshStoreSession {
  private let answer: ServerAnswer
  private let way: Refresh.Way
  private let isBulk: Bool
  private let puts: [Change]
  private let keys: Set<Int64>
  /// The keys of the stored records to delete, because the simulated server does not send them. Empty for `way=upsert`
  /// and `way=find`.
  private let absent: [Int64]

  init(_ context: SessionContext, _ answer: ServerAnswer, _ way: Refresh.Way, isBulk: Bool) {
    (self.answer, self.way, self.isBulk) = (answer, way, isBulk)
    puts = answer.records.map { .put($0) }
    let keys = Set(answer.records.map(\.id))
    self.keys = keys
    absent =
      switch way {
      case .upsert, .find: []
      case .replace: answer.keysOfPage.filter { !keys.contains($0) }
      case .wipe: (0..<context.source.count).map(context.source.key).filter { !keys.contains($0) }
      }
    super.init(context)
  }

  override func perform(_ operation: Int) throws {
    let store = store.unsafelyUnwrapped
    changed[operation] = isBulk ? try request(store) : try merge(store)
  }

  /// Merges a simulated server's records into the store in one commit. Returns the number of stored and deleted
  /// records.
  private func merge(_ store: any StorageBackend) throws -> Int {
    var changes: [Change] = []
    switch way {
    case .upsert: changes = puts
    case .find:
      for put in puts {
        let stored = try store.record(put.record.id, in: .records)
        if !(stored?.isIdentical(to: put.record) ?? false) { changes.append(put) }
      }
    case .replace:
      try Capability.querying(of: store).value.find(RecordQuery(answer.predicate), in: .records) { view in
        if !keys.contains(view.id) { changes.append(.delete(view.id)) }
        return true
      }
      changes += puts
    case .wipe:
      try store.scan(.all, in: .records) { view in
        changes.append(.delete(view.id))
        return true
      }
      changes += puts
    }
    try store.commit(changes)
    return changes.count
  }

  /// Merges a simulated server's records into the store by bulk requests. Returns the number of imported and deleted
  /// records.
  private func request(_ store: any StorageBackend) throws -> Int {
    let bulk = Capability.bulk(of: store).value
    var deleted = 0
    if way == .replace || way == .wipe {
      deleted = try bulk.deleteRecords(way == .wipe ? .everything : answer.predicate, in: .records)
      context.acknowledged?(true)
    }
    try bulk.importRecords(answer.records, into: .records)
    context.acknowledged?(true)
    return deleted + answer.records.count
  }

  override func endsInSave(_ operation: Int) -> Bool { !isBulk }

  override func check(_ store: any StorageBackend, _ operations: Range<Int>) throws {
    let expected =
      switch way {
      case .find: answer.differences
      case .upsert: puts.count
      case .replace: puts.count + (isBulk ? answer.keysOfPage.count : absent.count)
      case .wipe: puts.count + context.source.count
      }
    for operation in operations where changed[operation] != expected {
      throw VerificationError("\(changed[operation] ?? 0) changes were made where there should be \(expected)")
    }
    try super.check(store, operations)
  }

  override func bytesChanged(by operations: Int) -> Int {
    operations * answer.bytes + super.bytesChanged(by: operations)
  }

  override var effect: [Change] { absent.map { .delete($0) } + puts }

  override func hash(_ operation: Int, into hash: inout StableHash) {
    // Every operation merges the same records.
    guard operation == 0 else { return }
    for record in answer.records { record.withView { hash.add($0) } }
    for key in absent { hash.add(UInt64(bitPattern: key)) }
  }
}
