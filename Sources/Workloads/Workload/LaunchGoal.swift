import StorageContract

/// The records that a newly launched process must read. The measured time of the launch ends once they are read.
public enum LaunchGoal: String, Sendable, Codable, CaseIterable {
  /// The first record.
  case first
  /// The 20 newest records, which fill a screen.
  case screen
  /// All records.
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

  /// Reads what an app must read before its launch counts as finished: the first record, those of the first screen, or
  /// all.
  public func reach(in store: any StorageBackend, keys: ClosedRange<Int64>) throws -> [Record] {
    switch self {
    case .first: [try store.record(keys.lowerBound, in: .records)].compactMap { $0 }
    case .screen: try store.records(keys, in: .records)
    case .all: try store.records(.all, in: .records)
    }
  }

  /// Returns the range of the keys of the records that a launched process must read. The newest records have the
  /// highest keys.
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

/// The report of a process that was launched in order to time its launch.
public struct LaunchReport: Sendable {
  /// The time in nanoseconds from just before the start of the process until it had read the records that it must read.
  public var duration: Int64
  /// The processor time in nanoseconds from the start of the process until it had read its records, including program
  /// loading; nil if not reported.
  public var processorTime: Int64?
  /// The time in nanoseconds that the process waited for a processor, from its start until it had read its records; nil
  /// if not reported.
  public var waited: Int64?
  /// The hash of the records that the process has read.
  public var digest: UInt64
  /// The settings of the store that the process opened.
  public var settings: String

  /// Creates a report of a launched process.
  public init(
    duration: Int64, processorTime: Int64? = nil, waited: Int64? = nil, digest: UInt64, settings: String = ""
  ) {
    self.duration = duration
    self.waited = waited
    self.processorTime = processorTime
    self.digest = digest
    self.settings = settings
  }

  /// Returns a hash of the records that a launched process has read.
  public static func digest(of records: [Record]) -> UInt64 {
    var hash = StableHash()
    for record in records { record.withView { hash.add($0) } }
    return hash.value
  }
}
