/// How a report's answer speaks of a workload: what one operation is to an app's user, and how long it may take.
///
/// It is declared beside the workload, in its description, and recorded in the plan: a report may be made where the
/// workload is not known. A workload without words is left to the tables.
///
///     words: WorkloadWords("a save", .save, limit: .frame)
public struct WorkloadWords: Sendable, Codable, Equatable {
  /// What an app does it for. Some answers weigh one against another, such as reads against launches.
  public enum Kind: String, Sendable, Codable {
    /// Changes records and waits until they are kept.
    case save
    /// Reads a record, or a few.
    case read
    /// Starts the app, up to what it shows.
    case launch
    /// Anything else.
    case other
  }

  /// How long an operation may take before somebody notices.
  public struct Limit: Sendable, Codable, Equatable {
    /// Nanoseconds.
    public var time: Double
    /// What the time is, as a sentence has it: `one frame (16.7 ms)`.
    public var name: String

    /// Creates a limit.
    public init(_ time: Double, _ name: String) {
      self.time = time
      self.name = name
    }

    /// A frame of a screen that draws 60 a second: what blocks the main thread for longer is seen.
    public static let frame = Limit(16_700_000, "one frame (16.7 ms)")
  }

  /// One operation, with its article: `a save`.
  public var operation: String
  /// What an app does it for.
  public var kind: Kind
  /// How long it may take; nil where nobody waits for it.
  public var limit: Limit?

  /// Creates the words of a workload.
  public init(_ operation: String, _ kind: Kind, limit: Limit? = nil) {
    self.operation = operation
    self.kind = kind
    self.limit = limit
  }
}
