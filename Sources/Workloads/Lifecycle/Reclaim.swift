import StorageContract

/// A workload that deletes half of the records and then compacts the store.
struct Reclaim: Workload {
  static let compact = OptionSpec(
    "compact", ["yes", "no"], help: "compact the file, or leave it as it is after the deletion")

  static let description = WorkloadDescription(
    id: "reclaim", question: "Does the file shrink after deletions?",
    operation: "delete every second record in one commit, close and open the store, and compact it",
    options: [compact], access: .writes, capability: { _ in .compacting })

  let options: Options

  func session(_ context: SessionContext) -> any WorkloadSession { ReclaimSession(context, options) }
}

private final class ReclaimSession: FreshStoreSession {
  private let compacts: Bool
  private let deletions: [Change]

  init(_ context: SessionContext, _ options: Options) {
    compacts = options[Reclaim.compact] == "yes"
    deletions = stride(from: 0, to: context.source.count, by: 2).map { .delete(context.source.key(at: $0)) }
    super.init(context)
  }

  override func perform(_ operation: Int) throws {
    guard let full = store else { return }
    try full.commit(deletions)
    context.acknowledged?(true)
    try context.close(full)
    let store = try context.open()
    if compacts { try Capability.compacting(of: store, in: context.environment).value.compact() }
    self.store = store
  }

  override func endsInSave(_ operation: Int) -> Bool { false }

  override var effect: [Change] { deletions }
}
