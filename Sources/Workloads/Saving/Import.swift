import StorageContract

/// A workload that imports all records into an empty store.
struct Import: Workload {
  static let batch = OptionSpec("batch", .choiceOrNumber(["all"]), most: 100_000_000, help: "records per commit")
  static let by = OptionSpec(
    "by", ["commit", "batch"],
    help: "import by commits, or by the store's bulk import, such as Core Data's batch requests")

  static let description = WorkloadDescription(
    id: "import", question: "What does the first sync from the server cost?",
    operation: "commit all records to an empty store", options: [batch, by, SecondaryIndexes.option],
    access: .writes, startsEmpty: true, capability: { $0[by] == "batch" ? .bulk : nil },
    obstacle: SecondaryIndexes.obstacle,
    words: { WorkloadWords($0[by] == "batch" ? "an import in bulk" : "an import", .save) })

  let options: Options

  func session(_ context: SessionContext) -> any WorkloadSession { ImportSession(context, options) }
}

private final class ImportSession: FreshStoreSession {
  private let batches: [[Change]]
  /// The records of each batch for the store's bulk import; empty for an import by commits.
  private let bulks: [[Record]]
  private let isBulk: Bool
  private let indexes: [RecordField]

  init(_ context: SessionContext, _ options: Options) {
    isBulk = options[Import.by] == "batch"
    indexes = SecondaryIndexes.fields(options)
    let records = context.source.all
    let size = min(Int(options[Import.batch]) ?? .max, max(1, records.count))
    batches = stride(from: 0, to: records.count, by: size).map { start in
      records[start..<min(start + size, records.count)].map { .put($0) }
    }
    bulks = isBulk ? batches.map { $0.map(\.record) } : []
    super.init(context)
  }

  override func setUp() throws {
    try super.setUp()
    if let store { try SecondaryIndexes.create(indexes, in: store) }
  }

  override func check(_ store: any StorageBackend, _ operations: Range<Int>) throws {
    try SecondaryIndexes.check(indexes, of: store)
  }

  override func perform(_ operation: Int) throws {
    let store = store.unsafelyUnwrapped
    if isBulk {
      let bulk = Capability.bulk(of: store).value
      for records in bulks {
        try bulk.importRecords(records, into: .records)
        context.acknowledged?(true)
      }
      return
    }
    for batch in batches {
      try store.commit(batch)
      context.acknowledged?(true)
    }
  }

  override func endsInSave(_ operation: Int) -> Bool { false }

  override func bytesChanged(by operations: Int) -> Int {
    operations * context.source.all.reduce(0) { $0 + $1.logicalSize }
  }

  override func expectation(after operations: Int) -> Expectation { Expectation(operations > 0 ? context.source : nil) }

  override func hash(_ operation: Int, into hash: inout StableHash) {
    // Every operation imports the same records.
    guard operation == 0 else { return }
    for batch in batches {
      hash.add(UInt64(batch.count))
      for change in batch { change.record.withView { hash.add($0) } }
    }
  }
}
