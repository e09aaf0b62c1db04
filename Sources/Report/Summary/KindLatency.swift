/// The operations of one kind of a mix, those that were timed singly.
public struct KindLatency: Sendable, Equatable {
  /// The kind's name in the workload's words: `read`.
  public var kind: String
  /// How many were timed singly.
  public var operations: Int
  /// Their median, in nanoseconds.
  public var p50: Double
  /// In nanoseconds; nil below 100 operations.
  public var p99: Double?

  /// Creates the figures of a kind.
  public init(kind: String, operations: Int, p50: Double, p99: Double?) {
    self.kind = kind
    self.operations = operations
    self.p50 = p50
    self.p99 = p99
  }

  /// The kinds that reports know, and what YCSB's own output calls them.
  public static let known: [(kind: String, name: String)] = [
    ("read", "READ"), ("update", "UPDATE"), ("insert", "INSERT"), ("scan", "SCAN"), ("rmw", "READ-MODIFY-WRITE"),
  ]
}
