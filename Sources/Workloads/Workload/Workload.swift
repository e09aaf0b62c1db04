import StorageContract

/// A kind of operation on a store that the benchmark measures, such as saving one record.
///
/// A workload can run on every type that conforms to ``StorageBackend``.
public protocol Workload: Sendable {
  /// The description of the workload: its name, question and options.
  static var description: WorkloadDescription { get }

  /// Creates the workload with the options given on the command line.
  init(options: Options)

  /// Returns the number of operations to run if the benchmark counts system calls. The number depends only on the
  /// workload, the records and the engine's kind, so that counts from different machines can be compared.
  func countedOperations(records: Int, kind: EngineKind) -> Int

  /// Returns the fixture of the workload: records and links, made from the records of `source`. The store is filled
  /// with the fixture before the first operation. If the workload starts with an empty store, the operations insert the
  /// fixture's records.
  func fixture(of source: any RecordSource) throws -> Fixture
  /// The names of the store's collections. By default, they are those in ``description``.
  var collections: [String] { get }
  /// The name of the store's initial content, such as `accounts`. Workloads with the same name and the same records use
  /// copies of one store. By default, the name consists of the names of the collections.
  var fixtureName: String { get }

  /// Creates a session, which runs the operations of one trial (a process that measures).
  func session(_ context: SessionContext) throws -> any WorkloadSession
}

extension Workload {
  public func fixture(of source: any RecordSource) throws -> Fixture { Fixture(source) }
  public var collections: [String] { Self.description.collections }
  public var fixtureName: String { collections.joined(separator: "-") }

  /// Returns the number of operations, at most 8, in a short run at whose end the content of the store is hashed. The
  /// number is the same for all backends. As all of them perform the same operations, their hashes must be equal.
  public func digestedOperations(records: Int) -> Int {
    [EngineKind.page, .wholeFile, .memory].map { countedOperations(records: records, kind: $0) }
      .reduce(records > 1_000 ? 2 : 8, min)
  }
}
