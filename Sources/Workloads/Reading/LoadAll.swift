import StorageContract

/// A workload that opens a store, loads all records and keeps them in memory.
struct LoadAll: Workload {
  static let form = OptionSpec(
    "as", ["objects", "faults"],
    help: "read the records with all their values, or load an object graph's objects without decoding their values")

  static let description = WorkloadDescription(
    id: "load-all", question: "What does keeping everything in memory cost?",
    operation: "open the store and read every record, keeping all", options: [form], access: .reads,
    obstacle: { options, store in
      options[form] == "objects" || store.backend is any Faulting.Type
        ? nil : "it returns records with all their fields; only an object graph has faults"
    },
    words: { $0[form] == "objects" ? WorkloadWords("loading everything", .other) : nil })

  let options: Options

  func session(_ context: SessionContext) -> any WorkloadSession { LoadAllSession(context, options) }
}

private final class LoadAllSession: SessionStore, StoreSession {
  let blockSize = 1
  private(set) var settings = ""
  private let isFaults: Bool
  private var loaded: [Record] = []
  private var faults: LoadedFaults?

  init(_ context: SessionContext, _ options: Options) {
    isFaults = options[LoadAll.form] == "faults"
    super.init(context)
  }

  func setUp() throws {}

  func prepare(_ operations: Range<Int>) throws {
    try finish()
    try context.cool()
  }

  func perform(_ operation: Int) throws {
    let store = try context.open()
    if isFaults {
      faults = try (store as? any Faulting)?.faults(in: .records)
    } else {
      loaded = try store.records(.all, in: .records)
    }
    self.store = store
  }

  func verify(_ operations: Range<Int>) throws {
    settings = store?.settings ?? ""
    guard context.isVerifiable else { return }
    if isFaults { return try verifyKeys() }
    let source = context.records
    // Records are compared in place, because copies would take longer than the comparison.
    let isRight = loaded.withUnsafeBufferPointer { loaded in
      loaded.count == source.count && loaded.indices.allSatisfy { source.isRecord(loaded[$0], at: $0) }
    }
    // This slower comparison throws an error that names the difference.
    if !isRight { try Expectation.compare(loaded, with: source.all) }
  }

  private func verifyKeys() throws {
    let source = context.source
    let keys = try faults?.keys() ?? []
    for (index, key) in keys.prefix(source.count).enumerated() where key != source.key(at: index) {
      let right = source.key(at: index)
      throw VerificationError(key: min(key, right), key < right ? "is there but should not be" : "is missing")
    }
    if keys.count < source.count { throw VerificationError(key: source.key(at: keys.count), "is missing") }
    if keys.count > source.count { throw VerificationError(key: keys[source.count], "is there but should not be") }
    guard faults?.count == keys.count else {
      throw VerificationError("\(faults?.count ?? 0) faults were counted where there should be \(keys.count)")
    }
  }

  func finish() throws {
    (loaded, faults) = ([], nil)
    try close()
  }
}
