import StorageContract
import StorageWorkloads

/// The time that the suite itself adds to every operation, measured on a backend that does nothing.
public struct HarnessCost: Sendable {
  /// The duration of one reading of the clock, in nanoseconds.
  public var clock: Double
  /// The duration of one operation that does nothing and is timed singly, in nanoseconds. The clock reading is
  /// included.
  public var single: Double
  /// The duration of one operation that does nothing, in nanoseconds, if the clock is read only once for many
  /// operations.
  public var batched: Double

  /// Creates the cost of the suite from durations in nanoseconds that another process has measured.
  public init(clock: Double, single: Double, batched: Double) {
    (self.clock, self.single, self.batched) = (clock, single, batched)
  }

  /// Measures the suite's cost per operation on a backend that does nothing. The result is the minimum of several
  /// tries, since disturbances only add time.
  public static func measure(_ backend: any StorageBackend.Type, _ workload: any Workload) throws -> HarnessCost {
    let time = SystemTime()
    let loop = MeasuringLoop(time: time, target: 0, warms: false, rate: nil)
    let session = try workload.session(
      SessionContext(
        fixture: Fixture(GeneratedRecords(count: 1_000, bytes: 100, seed: 1)), seed: 1, recordBytes: 100,
        isCounting: false, isVerifiable: false, backend: backend,
        environment: StoreEnvironment(directory: "/nonexistent")))
    try session.setUp()
    var cost = HarnessCost(clock: time.clockCost(), single: .infinity, batched: .infinity)
    var next = 0
    // One histogram takes all samples, as in a trial. With a fresh one, the operations would pay for its page faults.
    var samples = Samples()
    samples.batch = session.blockSize
    for _ in 0..<400 {
      for isBatched in [false, true] {
        let block = next..<next + session.blockSize
        next = block.upperBound
        try session.prepare(block)
        let before = samples.elapsed
        if isBatched {
          try loop.timeBatches(session, block, samples: &samples)
        } else {
          try loop.timeSingly(session, block, samples: &samples)
        }
        let each = Double(samples.elapsed - before) / Double(block.count)
        if isBatched { cost.batched = min(cost.batched, each) } else { cost.single = min(cost.single, each) }
      }
    }
    try session.finish()
    return cost
  }
}
