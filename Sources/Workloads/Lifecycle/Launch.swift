import StorageContract

/// How far a freshly launched app gets before its data counts as shown.
public enum LaunchGoal: String, Sendable, Codable, CaseIterable {
  /// The first record.
  case first
  /// The 20 newest, which fill a screen.
  case screen
  /// All records.
  case all

  static let option = OptionSpec("until", ["first", "screen", "all"], help: "what has to be there")

  /// Reads what the goal asks for, as an app would.
  public func reach(in store: any StorageBackend, keys: ClosedRange<Int64>) throws -> [Record] {
    switch self {
    case .first: [try store.record(keys.lowerBound, in: .records)].compactMap { $0 }
    case .screen: try store.records(keys, in: .records)
    case .all: try store.records(.all, in: .records)
    }
  }

  /// The keys concerned: keys ascend in the order of insertion, so the newest are the last.
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

/// What a launched process tells.
public struct LaunchReport: Sendable {
  /// Nanoseconds from just before the process was started to the goal.
  public var duration: Int64
  /// Hash of the records that it read.
  public var digest: UInt64
  /// The settings of its store.
  public var settings: String

  /// Creates a report.
  public init(duration: Int64, digest: UInt64, settings: String = "") {
    self.duration = duration
    self.digest = digest
    self.settings = settings
  }

  /// Hash of the records that a goal gave.
  public static func digest(of records: [Record]) -> UInt64 {
    var hash = StableHash()
    for record in records { record.withView { hash.add($0) } }
    return hash.value
  }
}

/// A fresh process with the store's files in memory.
public struct LaunchWarm: Workload {
  public static let description = WorkloadDescription(
    id: "launch-warm", question: "How long until the app shows something?",
    operation: "start a process that opens the store and reads, files in memory", options: [LaunchGoal.option],
    access: .reads, cache: .warm, needsPersistence: true)

  private let goal: LaunchGoal

  public init(options: Options) { goal = LaunchGoal(rawValue: options[LaunchGoal.option]) ?? .first }

  public func countedOperations(records: Int, kind: EngineKind) -> Int { 1 }

  public func session(_ context: SessionContext) -> any WorkloadSession { LaunchSession(context, goal: goal) }
}

/// A fresh process with the store's files on the disk only.
public struct LaunchCold: Workload {
  public static let description = WorkloadDescription(
    id: "launch-cold", question: "How long until the app shows something after a reboot?",
    operation: "start a process that opens the store and reads, files dropped from memory before",
    options: [LaunchGoal.option], access: .reads, cache: .cold, needsPersistence: true)

  private let goal: LaunchGoal

  public init(options: Options) { goal = LaunchGoal(rawValue: options[LaunchGoal.option]) ?? .first }

  public func countedOperations(records: Int, kind: EngineKind) -> Int { 1 }

  public func session(_ context: SessionContext) -> any WorkloadSession { LaunchSession(context, goal: goal) }
}

/// Launches processes; where counts are taken, this process, which is a fresh one too, stands for the launched.
private final class LaunchSession: WorkloadSession {
  let blockSize = 1
  let limit: Int? = nil
  var measuresItself: Bool { !context.isCounting }
  private(set) var settings = ""
  private let context: SessionContext
  private let goal: LaunchGoal
  private let keys: ClosedRange<Int64>
  private let expected: UInt64
  private var store: (any StorageBackend)?
  private var records: [Record] = []
  private var report: LaunchReport?

  init(_ context: SessionContext, goal: LaunchGoal) {
    self.context = context
    self.goal = goal
    let keys = goal.keys(of: context.source)
    self.keys = keys
    expected = LaunchReport.digest(
      of: (0..<context.source.count).lazy.filter { keys.contains(context.source.key(at: $0)) }
        .map { context.source.record(at: $0) })
  }

  func setUp() throws {}

  func prepare(_ operations: Range<Int>) throws { try context.cool() }

  func perform(_ operation: Int) throws {
    guard context.isCounting else {
      report = try context.launch(goal, keys)
      return
    }
    let store = try context.open()
    records = try goal.reach(in: store, keys: keys)
    self.store = store
  }

  func ownDuration(of operation: Int) -> Int64? { report?.duration }

  func verify(_ operations: Range<Int>) throws {
    settings = store?.settings ?? report?.settings ?? ""
    guard context.isVerifiable else { return }
    let found = report?.digest ?? LaunchReport.digest(of: records)
    if found != expected {
      throw VerificationError(key: nil, "the launched process read other records than the store holds")
    }
  }

  func finish() throws {
    records = []
    try store.map(context.close)
    store = nil
  }

  func expectation(after operations: Int) -> Expectation { Expectation(context.source) }

  func hash(_ operation: Int, into hash: inout StableHash) {
    hash.add(goal.rawValue)
    hash.add(UInt64(context.source.count))
  }
}
