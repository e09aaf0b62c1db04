/// The words for a workload in the sentences of a report: the name and the time limit of one operation.
public struct WorkloadWords: Sendable, Codable, Equatable {
  /// The purpose that a workload serves in an app, such as saving or reading.
  public enum Kind: String, Sendable, Codable {
    /// The purpose of saving: the app changes records and waits until the records are stored.
    case save
    /// The purpose of reading: the app reads one record or a few.
    case read
    /// The purpose of launching: the app starts and reads its first screen.
    case launch
    /// Any purpose other than saving, reading or launching.
    case other
  }

  /// A time limit for one operation of a workload. A user notices a longer operation as a delay.
  public struct Limit: Sendable, Codable, Equatable {
    /// The time in nanoseconds that one operation, such as a save, may take before a user notices a delay.
    public var time: Double
    /// The time limit as words for a sentence in a report, such as `one frame (16.7 ms)`.
    public var name: String

    /// Creates a time limit in nanoseconds. `name` is its text in reports, such as `one frame (16.7 ms)`.
    public init(_ time: Double, _ name: String) {
      self.time = time
      self.name = name
    }

    /// The time limit of one frame on a screen with 60 frames per second. A user notices if the main thread is blocked
    /// for longer.
    public static let frame = Limit(16_700_000, "one frame (16.7 ms)")
  }

  /// The name of one operation of the workload in the sentences of a report, such as `a save`.
  public var operation: String
  /// The purpose that the workload serves in an app.
  public var kind: Kind
  /// The time limit after which a user notices a delay of the operation; nil if no user waits for the operation.
  public var limit: Limit?

  /// Creates the words for a workload in reports: the name of its operation, such as `a save`, the workload's purpose
  /// and a time limit.
  public init(_ operation: String, _ kind: Kind, limit: Limit? = nil) {
    self.operation = operation
    self.kind = kind
    self.limit = limit
  }
}
