import StorageContract

/// A session that times how long a new process takes to read records. System calls are counted in this process.
final class LaunchSession: SessionStore, StoreSession {
  let blockSize = 1
  var measuresItself: Bool { !context.isCounting }
  private(set) var settings = ""
  private let goal: LaunchGoal
  private let keys: ClosedRange<Int64>
  private let expected: UInt64
  private var records: [Record] = []
  private var report: LaunchReport?
  private(set) var launchedWait: Int64? = 0

  init(_ context: SessionContext, goal: LaunchGoal) {
    self.goal = goal
    let keys = goal.keys(of: context.source)
    self.keys = keys
    let records = (0..<context.source.count).lazy.filter { keys.contains(context.source.key(at: $0)) }
      .map { context.source.record(at: $0) }
    expected = StableHash(of: Array(records)).value
    super.init(context)
  }

  func setUp() throws {}

  func prepare(_ operations: Range<Int>) throws { try context.cool() }

  func perform(_ operation: Int) throws {
    guard context.isCounting else {
      let report = try context.launch(goal, keys)
      self.report = report
      launchedWait = report.waited.flatMap { waited in launchedWait.map { $0 + waited } }
      return
    }
    let store = try context.open()
    records = try goal.reach(in: store, keys: keys)
    self.store = store
  }

  func ownDuration(of operation: Int) -> Int64? { report?.duration }

  func ownProcessorTime(of operation: Int) -> Int64? { report?.processorTime }

  func verify(_ operations: Range<Int>) throws {
    settings = store?.settings ?? report?.settings ?? ""
    guard context.isVerifiable else { return }
    let found = report?.digest ?? StableHash(of: records).value
    if found != expected {
      throw VerificationError("the store that was opened anew gave other records than those that were saved")
    }
  }

  func finish() throws {
    records = []
    try close()
  }

  func hash(_ operation: Int, into hash: inout StableHash) {
    hash.add(goal.rawValue)
    hash.add(UInt64(context.source.count))
  }
}
