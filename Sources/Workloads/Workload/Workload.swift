import StorageContract

/// A workload: a kind of operation on a store that a benchmark repeats and measures, with the data for it.
///
/// The benchmark decides how many operations are run, when the clock runs and what is counted. A workload knows no
/// backend: every type that conforms to ``StorageBackend`` can run it.
public protocol Workload: Sendable {
  /// The description of the workload: id, question, options.
  static var description: WorkloadDescription { get }

  /// Creates the workload with the options of the command line.
  init(options: Options)

  /// Returns the number of operations to run when system calls are counted instead of timing operations. It depends
  /// only on the workload, the records and the engine's kind. Counts from different machines can therefore be compared
  /// with `==`.
  func countedOperations(records: Int, kind: EngineKind) -> Int

  /// Returns the content of the store before the first operation, made of a source's records. If the workload starts
  /// with an empty store, returns the records to insert. By default, the first collection has the source's records.
  func fixture(of source: any RecordSource) throws -> Fixture
  /// The names of the store's collections. By default, they are those of the description.
  var collections: [String] { get }
  /// The name under which a run keeps the store with the initial content (fixture), so that it is built once. Workloads
  /// with the same name and the same records share that store. By default, the name consists of the names of the
  /// collections.
  var fixtureName: String { get }

  /// Creates a session, which runs the operations of one trial (a process that measures).
  func session(_ context: SessionContext) throws -> any WorkloadSession
}

extension Workload {
  public func fixture(of source: any RecordSource) throws -> Fixture { Fixture(source) }
  public var collections: [String] { Self.description.collections }
  public var fixtureName: String { collections.joined(separator: "-") }

  /// Returns the number of operations after which the store's content is hashed. It is 8, or 2 for more than 1,000
  /// records. It is less if ``countedOperations(records:kind:)`` is less for some kind of engine. Since all backends
  /// use the same number, their hashes must agree.
  public func digestedOperations(records: Int) -> Int {
    [EngineKind.page, .wholeFile, .memory].map { countedOperations(records: records, kind: $0) }
      .reduce(records > 1_000 ? 2 : 8, min)
  }
}
