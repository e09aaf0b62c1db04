import StorageContract
import StorageWorkloads

/// The time that the benchmark suite itself adds to each operation, measured on a backend that does nothing.
public struct HarnessCost: Codable, Sendable {
  /// The time that one reading of the clock takes, in nanoseconds.
  public var clock: Double
  /// The time of an empty operation, in nanoseconds, measured by timing each operation alone.
  public var single: Double
  /// The time of an empty operation, in nanoseconds, measured by timing many operations together.
  public var batched: Double

  /// Measures the time that the suite adds to each operation, as the minimum of many tries. The backend must do
  /// nothing.
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
