import StorageContract

/// A kind of operation on a store that can be measured, such as saving one record.
public protocol Workload: Sendable {
  /// The description of the workload: its name, question and options.
  static var description: WorkloadDescription { get }

  /// Creates the workload with the options given on the command line.
  init(options: Options)

  /// Returns the number of operations that are performed to count their system calls, by default the number in
  /// ``description``. The number must not depend on the machine.
  func countedOperations(records: Int, kind: EngineKind) -> Int

  /// Returns the initial records and links of the store, made from the records of `source`. If the store starts empty,
  /// the operations insert them.
  func fixture(of source: any RecordSource) throws -> Fixture
  /// The names of the store's collections, by default those in ``description``.
  var collections: [String] { get }
  /// The name under which the initial store is cached; by default, the names of the collections. Workloads with equal
  /// names and equal records start with copies of the same store.
  var fixtureName: String { get }

  /// Creates a session, which runs the operations in one measuring process.
  func session(_ context: SessionContext) throws -> any WorkloadSession
}

extension Workload {
  public func countedOperations(records: Int, kind: EngineKind) -> Int {
    Self.description.counted.number(records: records, kind: kind)
  }
  public func fixture(of source: any RecordSource) throws -> Fixture { Fixture(source) }
  public var collections: [String] { Self.description.collections }
  public var fixtureName: String { collections.joined(separator: "-") }

  /// Returns the number of operations, at most 8, after which the store's content is hashed. The number is the same for
  /// all backends.
  public func digestedOperations(records: Int) -> Int {
    [EngineKind.page, .wholeFile, .memory].map { countedOperations(records: records, kind: $0) }
      .reduce(records > 1_000 ? 2 : 8, min)
  }
}

extension Options {
  /// Returns the value of an option in per cent, such as `10%`, as a number from 0 to 1.
  func share(_ option: OptionSpec) -> Double { (Double(self[option].dropLast()) ?? 0) / 100 }
}
