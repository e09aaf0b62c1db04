import StorageContract

/// The records that a new process must read. The measured time of the launch ends after these reads.
public enum LaunchGoal: String, Sendable, Codable, CaseIterable {
  /// The first record of the store.
  case first
  /// The 20 newest records, which fill a screen.
  case screen
  /// All records of the store.
  case all

  var inWords: String {
    switch self {
    case .first: "the first record"
    case .screen: "the first screen"
    case .all: "all records"
    }
  }

  static let option = OptionSpec(
    "until", ["first", "screen", "all"], help: "read the first record, the 20 newest, or all")

  init(_ options: Options) { self = LaunchGoal(rawValue: options[Self.option]) ?? .first }

  /// Reads the records that an app needs at launch, with keys in the range `keys`.
  public func reach(in store: any StorageBackend, keys: ClosedRange<Int64>) throws -> [Record] {
    switch self {
    case .first: [try store.record(keys.lowerBound, in: .records)].compactMap { $0 }
    case .screen: try store.records(keys, in: .records)
    case .all: try store.records(.all, in: .records)
    }
  }

  /// Returns the range of the keys to read at launch. The newest records have the highest keys.
  func keys(of source: any RecordSource) -> ClosedRange<Int64> {
    guard source.count > 0 else { return 1...1 }
    let last = source.key(at: source.count - 1)
    switch self {
    case .first: return source.key(at: 0)...source.key(at: 0)
    case .screen: return source.key(at: max(0, source.count - 20))...last
    case .all: return .all
    }
  }
}

/// The measurements of a launched process, such as the time until it had read its records.
public struct LaunchReport: Sendable {
  /// The time in nanoseconds from just before the start of the launched process until all records were read.
  public var duration: Int64
  /// The processor time, in nanoseconds, that the process used until all records were read, including program loading.
  /// Nil if unknown.
  public var processorTime: Int64?
  /// The total time, in nanoseconds, that the process waited for a free processor before it had read all records. Nil
  /// if unknown.
  public var waited: Int64?
  /// The hash of the records that the launched process has read.
  public var digest: UInt64
  /// The settings of the opened store, as a text for the report.
  public var settings: String

  /// Creates the measurements of a launched process.
  public init(
    duration: Int64, processorTime: Int64? = nil, waited: Int64? = nil, digest: UInt64, settings: String = ""
  ) {
    self.duration = duration
    self.waited = waited
    self.processorTime = processorTime
    self.digest = digest
    self.settings = settings
  }
}
