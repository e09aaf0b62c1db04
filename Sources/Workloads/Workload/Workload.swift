import StorageContract

/// An operation on a store and its data: a small type in a separate file, registered with one line.
///
/// A workload defines one operation. The benchmark decides how many are run, when the clock runs and what is counted. A
/// workload knows no backend: every type that conforms to ``StorageBackend`` can run it.
public protocol Workload: Sendable {
  /// The description of the workload: id, question, options.
  static var description: WorkloadDescription { get }

  /// Creates the workload with its options.
  init(options: Options)

  /// Returns the number of operations that the cost pass counts. It depends only on the workload, N and the engine's
  /// kind, so that counts of any machine can be compared with `==`.
  func countedOperations(records: Int, kind: EngineKind) -> Int

  /// Returns the store's content at the start, made of N records, or the records to insert if the workload starts
  /// empty. By default these are the source's records. ``SessionContext/source`` is the first collection.
  func fixture(of source: any RecordSource) throws -> Fixture
  /// The cache key of the fixture. Workloads with the same key and records share it. By default the collections' names.
  var fixtureName: String { get }

  /// Creates a session for one trial.
  func session(_ context: SessionContext) throws -> any WorkloadSession
}

extension Workload {
  public func fixture(of source: any RecordSource) throws -> Fixture { Fixture(source) }
  public var fixtureName: String { Self.description.collections.joined(separator: "-") }

  /// Returns the number of operations after which the logical state is hashed: the first 8, or 2 if N exceeds 1,000, or
  /// all if the cost pass of some kind of engine has fewer. It is the same for every backend, so digests must agree.
  public func digestedOperations(records: Int) -> Int {
    [EngineKind.page, .wholeFile, .memory].map { countedOperations(records: records, kind: $0) }
      .reduce(records > 1_000 ? 2 : 8, min)
  }
}
