import StorageContract
import StorageTrial
import StorageVerify
import StorageWorkloads

extension SaveHistory {
  /// Records at most `operations` saves that a workload makes, including the save of its initial records. A crash test
  /// repeats the saves on each store under test.
  init(_ spec: Spec, records: Int, seed: UInt64, operations: Int) throws {
    func refusal(
      _ reason: String, _ advice: String = ", so crashtest cannot record its saves; take another"
    ) -> UsageError {
      UsageError("--workload: \(spec) \(reason)\(advice), such as save-one")
    }
    let workload = try Catalog.current.workload(spec)
    let source = GeneratedRecords(count: records, bytes: 100, payload: .random, seed: seed)
    let fixture = try workload.fixture(of: source)
    var collections = workload.collections
    let recorder = SaveRecorder(collections: collections)
    let environment = StoreEnvironment(
      directory: "", options: Options(), durability: .shipped, collections: collections)
    if !fixture.changes.isEmpty || fixture.schema != nil { try fixture.fill(recorder) }
    let session = try workload.session(
      SessionContext(
        fixture: fixture, seed: seed, recordBytes: 100, isCounting: true, backend: SaveRecorder.self,
        environment: environment, open: { recorder }, close: { _ in }))
    guard !session.measuresItself else { throw refusal("measures its own time") }
    do {
      try session.setUp()
      for operation in 0..<min(operations, session.limit ?? operations) {
        try session.prepare(operation..<operation + 1)
        try session.perform(operation)
      }
    } catch let error as StoreError {
      // The advice after the semicolon of an error is for users of a backend. It does not help in a crash test, and is
      // left out.
      throw refusal("needs a capability that crashtest does not provide (\("\(error)".prefix { $0 != ";" }))")
    }
    let saves = recorder.saves.filter { !$0.isEmpty }
    guard saves.count > 1 else { throw refusal("makes no saves", "; take one that saves") }
    // A numbered record in each save makes the content of the store different after each save.
    let marks = CollectionID(collections.count)
    collections.append("marks")
    let numbered = saves.prefix(operations).enumerated().map { index, changes in
      changes + [
        .put(
          Record(id: 0, name: "save \(index + 1)", group: "mark", score: Double(index), modified: 0, payload: []),
          in: marks)
      ]
    }
    self.init(numbered, collections: collections, arguments: "-w \(spec) -n \(records)")
  }
}

private final class SaveRecorder: ForwardingBackend {
  static var inner: any StorageBackend.Type { ReferenceStore.self }
  let inner: any StorageBackend
  private(set) var saves: [[Change]] = []

  init(collections: [String]) {
    inner = ReferenceStore(opening: StoreEnvironment(directory: "", collections: collections))
  }

  init(opening environment: StoreEnvironment) throws { throw StoreError.failed("it opens a second store") }

  func commit(_ changes: [Change]) throws {
    try inner.commit(changes)
    saves.append(changes)
  }
}
