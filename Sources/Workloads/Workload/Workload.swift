import StorageContract

/// What is done to a store: a small type in a file of its own, registered with one line.
///
/// A workload says what one operation is; the measuring side decides how many are done, when the clock runs and
/// what is counted. It knows no backend: whatever conforms to ``StorageBackend`` can run it.
public protocol Workload: Sendable {
  /// Id, question, options.
  static var description: WorkloadDescription { get }

  /// Creates the workload with its options.
  init(options: Options)

  /// How many operations the cost pass counts: a number fixed by the workload, N and the engine's kind, the same
  /// on every machine, so that counts can be compared with `==`.
  func countedOperations(records: Int, kind: EngineKind) -> Int

  /// What its stores hold at the start, made of N records; what is put into them, where the workload starts empty.
  /// The records themselves, unless it says otherwise. ``SessionContext/source`` is its first collection.
  func fixture(of source: any RecordSource) throws -> Fixture
  /// What tells its fixtures from those of other workloads with the same records: fixtures of one name hold the same,
  /// and are built once. The names of the collections, unless it says otherwise.
  var fixtureName: String { get }

  /// One trial's worth of the workload.
  func session(_ context: SessionContext) throws -> any WorkloadSession
}

extension Workload {
  public func fixture(of source: any RecordSource) throws -> Fixture { Fixture(source) }
  public var fixtureName: String { Self.description.collections.joined(separator: "-") }

  /// Operations after which the logical state is hashed: the first 8, or 2 where N is over 1,000, or all where
  /// the cost pass of some kind of engine has fewer. The same for every backend, so that digests must agree.
  public func digestedOperations(records: Int) -> Int {
    [EngineKind.page, .wholeFile, .memory].map { countedOperations(records: records, kind: $0) }
      .reduce(records > 1_000 ? 2 : 8, min)
  }
}
