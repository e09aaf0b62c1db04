import StorageContract

/// A kind of operation on a store that the benchmark measures, such as saving one record.
public protocol Workload: Sendable {
  /// The description of the workload: its name, question and options.
  static var description: WorkloadDescription { get }

  /// Creates the workload with the options given on the command line.
  init(options: Options)

  /// Returns the number of operations to run if system calls are counted. The number must not depend on the machine.
  func countedOperations(records: Int, kind: EngineKind) -> Int

  /// Returns the records and links that fill the store before the first operation, made from the records of `source`.
  func fixture(of source: any RecordSource) throws -> Fixture
  /// The names of the store's collections, by default those in ``description``.
  var collections: [String] { get }
  /// The cache key of the initial content, such as `accounts`. Workloads with equal keys and records use copies of one
  /// store.
  var fixtureName: String { get }

  /// Creates a session, which runs the operations of one trial (a process that measures).
  func session(_ context: SessionContext) throws -> any WorkloadSession
}

extension Workload {
  public func fixture(of source: any RecordSource) throws -> Fixture { Fixture(source) }
  public var collections: [String] { Self.description.collections }
  public var fixtureName: String { collections.joined(separator: "-") }

  /// Returns the number of operations, at most 8 and equal for all backends, after which the content of the store is
  /// hashed.
  public func digestedOperations(records: Int) -> Int {
    [EngineKind.page, .wholeFile, .memory].map { countedOperations(records: records, kind: $0) }
      .reduce(records > 1_000 ? 2 : 8, min)
  }
}
