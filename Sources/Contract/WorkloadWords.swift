/// The words for a workload in the sentences of a report: a name for one operation, and the time that a user accepts.
///
/// The words are declared with the workload and copied into the plan of each run, because a report may be made by a
/// program without the workload. A workload without words appears only in tables.
///
///     words: WorkloadWords("a save", .save, limit: .frame)
public struct WorkloadWords: Sendable, Codable, Equatable {
  /// The purpose of a workload in an app. Some sentences of a report compare purposes, such as reads with launches.
  public enum Kind: String, Sendable, Codable {
    /// The app changes records and waits until the records are stored.
    case save
    /// The app reads a record, or a few.
    case read
    /// The app starts and reads its first screen.
    case launch
    /// The workload has any other purpose.
    case other
  }

  /// The time limit of an operation: a user notices a delay if the operation takes longer.
  public struct Limit: Sendable, Codable, Equatable {
    /// The time limit in nanoseconds.
    public var time: Double
    /// The time limit as text for a sentence: `one frame (16.7 ms)`.
    public var name: String

    /// Creates a time limit from nanoseconds and a text for a sentence.
    public init(_ time: Double, _ name: String) {
      self.time = time
      self.name = name
    }

    /// The time of one frame on a screen that draws 60 frames per second. A user notices if the main thread blocks for
    /// longer than this time.
    public static let frame = Limit(16_700_000, "one frame (16.7 ms)")
  }

  /// The name of one operation of the workload, with its article, for the sentences of a report: `a save`.
  public var operation: String
  /// The purpose of the workload in an app.
  public var kind: Kind
  /// The time after which a user notices a delay of the operation; nil if no user waits for the operation.
  public var limit: Limit?

  /// Creates the words for a workload in the sentences of a report.
  public init(_ operation: String, _ kind: Kind, limit: Limit? = nil) {
    self.operation = operation
    self.kind = kind
    self.limit = limit
  }
}
