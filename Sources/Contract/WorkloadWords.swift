/// The wording of a report about a workload: one operation as an app's user knows it, and its time limit.
///
/// It is declared in the workload's description and recorded in the plan, because a report may be made by a program
/// without the workload. A workload without words appears only in the tables.
///
///     words: WorkloadWords("a save", .save, limit: .frame)
public struct WorkloadWords: Sendable, Codable, Equatable {
  /// The purpose of a workload in an app. Some answers weigh one kind against another, such as reads against launches.
  public enum Kind: String, Sendable, Codable {
    /// Changes records and waits until they are stored.
    case save
    /// Reads a record, or a few.
    case read
    /// Starts the app and reads its first screen.
    case launch
    /// Anything else.
    case other
  }

  /// The time after which a user notices an operation.
  public struct Limit: Sendable, Codable, Equatable {
    /// The time in nanoseconds.
    public var time: Double
    /// The time as text for a sentence: `one frame (16.7 ms)`.
    public var name: String

    /// Creates a limit.
    public init(_ time: Double, _ name: String) {
      self.time = time
      self.name = name
    }

    /// A frame of a screen that draws 60 per second. A longer block of the main thread is visible.
    public static let frame = Limit(16_700_000, "one frame (16.7 ms)")
  }

  /// One operation, with its article: `a save`.
  public var operation: String
  /// The purpose in an app.
  public var kind: Kind
  /// The time limit; nil if no user waits for the operation.
  public var limit: Limit?

  /// Creates the words of a workload.
  public init(_ operation: String, _ kind: Kind, limit: Limit? = nil) {
    self.operation = operation
    self.kind = kind
    self.limit = limit
  }
}
