import StorageContract

/// A workload that deletes all records that match a condition, in one request.
struct Purge: Workload {
  static let by = OptionSpec(
    "by", ["batch", "commit"],
    help: "delete by the store's bulk deletion, or by a query and a commit that deletes the records found")
  static let share = OptionSpec("share", ["10%", "50%"], help: "approximate share of the records that is deleted")

  static let description = WorkloadDescription(
    id: "purge", question: "What does deleting many records by a condition cost?",
    operation: "delete the records whose scores are below a bound, in one request; the store is made anew for each",
    options: [by, share], access: .writes,
    capability: { $0[by] == "batch" ? .bulk : .querying }, words: { _ in WorkloadWords("a purge", .save) })

  let options: Options

  func session(_ context: SessionContext) -> any WorkloadSession { PurgeSession(context, options) }
}

private final class PurgeSession: FreshStoreSession {
  private let isBulk: Bool
  private let predicate: RecordPredicate
  private let indices: [Int]

  init(_ context: SessionContext, _ options: Options) {
    isBulk = options[Purge.by] == "batch"
    let scores = OrderedRecords(context.records).scores
    let count = max(1, Int((Double(scores.count) * options.share(Purge.share)).rounded()))
    // Records with equal scores stay together, so a few more may match.
    let range = -Double.infinity...(scores.prefix(count).last?.score ?? -.infinity)
    predicate = .score(range)
    indices = scores.prefix { range.contains($0.score) }.map(\.index).sorted()
    super.init(context)
  }

  override func perform(_ operation: Int) throws {
    guard let store else { return }
    guard !isBulk else {
      changed[operation] = try Capability.bulk(of: store).value.deleteRecords(predicate, in: .records)
      return
    }
    var deletions: [Change] = []
    try Capability.querying(of: store).value.find(RecordQuery(predicate), in: .records) { view in
      deletions.append(.delete(view.id))
      return true
    }
    try store.commit(deletions)
    changed[operation] = deletions.count
  }

  override func check(_ store: any StorageBackend, _ operations: Range<Int>) throws {
    for operation in operations where changed[operation] != indices.count {
      throw VerificationError("\(changed[operation] ?? 0) records were deleted where there should be \(indices.count)")
    }
    try super.check(store, operations)
  }

  override var effect: [Change] { indices.map { .delete(context.source.key(at: $0)) } }

  override func hash(_ operation: Int, into hash: inout StableHash) {
    guard case .score(let range) = predicate else { return }
    hash.add(range.upperBound.bitPattern)
    hash.add(UInt64(indices.count))
  }
}
