import Histogram
import StorageContract
import StorageRunFiles
import StorageWorkloads

/// The loop that times the operations of a trial, which is one measuring process. After a warm-up, the loop times
/// operations until the sum of their durations reaches ``target``. The clock is stopped between blocks of operations,
/// while results are checked. No overhead is subtracted, and no slow operation is dropped.
///
/// - In the usual closed loop, operations run one after another. Operations at least 50 times as long as a clock
///   reading are timed one by one. Operations less than 5 times as long are timed in batches. In between, blocks of
///   single and batched operations alternate.
/// - In an open loop, operations start at planned times, for example every 10 ms. A latency counts from the planned
///   start, so that it includes waiting time of users. Gil Tene named the lack of this time "coordinated omission".
package struct MeasuringLoop<Time: TimeSource> {
  let time: Time
  /// The target for the sum of the durations of all timed operations, in nanoseconds.
  let target: Int64
  /// The usual value of ``target``, in nanoseconds, such as `100_000_000`. In this measurement, ``target`` may be
  /// longer. The untimed warm-up takes a quarter of the shorter of the two values. Nil means ``target``.
  var usualTarget: Int64?
  /// Whether untimed operations run before the timed ones (a warm-up). False for operations that are known to be slow,
  /// and for a store that must stay out of the page cache.
  let warms: Bool
  /// The number of operations per second that start on a schedule. Nil if each operation starts at the end of the
  /// previous one.
  let rate: Double?
  /// The schedule of operations that the workload requires, instead of ``rate``. Nil if the workload requires no
  /// schedule.
  var pace: Pace?
  /// The share by which a self-test of the benchmark suite slows operations down, such as 0.2 for 20 %.
  var slowdown = 0.0
  /// The duration of an operation, in nanoseconds, above which the loop ends after one timed operation, even if the sum
  /// of all durations has not reached ``target``. The default means no limit.
  var onceLimit = Int64.max
  /// The duration, in nanoseconds, above which the first operation of the warm-up counts as a timed operation.
  /// Repeating such a slow operation would take too long. The limit is set only for engines that read or write a whole
  /// file in each operation.
  var warmUpLimit = Int64.max

  /// The duration, in nanoseconds, above which an operation counts as slow. A measurement of slow operations may end
  /// after one or two operations, if their total time reaches ``target``. Of shorter operations, at least three are
  /// timed.
  package static var slowLimit: Int64 { 50_000_000 }
  /// The limit for the total time of a measurement, as a multiple of ``target``, the planned sum of the durations of
  /// all timed operations. The total time also includes untimed work, such as checks of the results.
  static var untimedBudget: Int64 { 3 }
  static var leastOperations: Int { 3 }
  /// The time before a scheduled start, in nanoseconds, at which the loop stops sleeping and polls the clock. Polling
  /// counts as processor time of the operation.
  static var spinThreshold: Int64 { 5_000 }

  private var schedule: Double? { pace?.rate ?? rate }

  private enum Mode {
    case single
    case batched
    case alternating
  }

  /// Runs the warm-up and the timed operations. Returns the measured times, and the number of all operations, including
  /// the warm-up.
  func run(_ session: any WorkloadSession) throws -> (timing: Timing, operations: Int) {
    let clock = time.clockCost()
    var samples = Samples(kinds: session.kinds, watchesFrames: pace != nil)
    var next = 0
    var cost: Double?
    if warms {
      cost = try warmUp(session, clock: clock, next: &next, samples: &samples)
    }
    if samples.count == 0 || schedule == nil && !isDone(samples) {
      try measure(session, clock: clock, cost: cost, next: &next, samples: &samples)
    }
    var timing = samples.timing(clock: clock, isScheduled: schedule != nil)
    timing.rate = schedule
    return (timing, next)
  }

  private var warmUpTarget: Int64 { min(target, usualTarget ?? target) / 4 }

  /// Runs operations for the time of the warm-up, in blocks of growing size. Returns the average duration of an
  /// operation in the largest block, in nanoseconds, or nil if there are too few operations.
  private func warmUp(
    _ session: any WorkloadSession, clock: Double, next: inout Int, samples: inout Samples
  ) throws -> Double? {
    var spent: Int64 = 0
    var began: Int64?
    var isWithinBudget = true
    var (size, longest) = (1, 0)
    var cost: Double?
    // Some workloads have a limited number of operations, so the warm-up uses at most a quarter of them.
    let most = session.limit.map { $0 / 4 } ?? .max
    repeat {
      let block = self.block(session, from: next, size: min(size, most - next))
      if block.isEmpty { break }
      try session.prepare(block)
      let cpu = time.cpu()
      let start = time.now()
      try session.perform(block) {}
      let end = time.now()
      let used = processorTime(session, block, since: cpu)
      next = block.upperBound
      try session.verify(block)
      let elapsed = session.measuresItself ? ownElapsed(session, block) : end - start
      // A first operation beyond the limit becomes a sample, since repeating it would only double a long wait.
      if block.lowerBound == 0, elapsed > (schedule == nil ? min(onceLimit, warmUpLimit) : onceLimit) {
        let elapsed = Int64((1 + slowdown) * Double(elapsed))
        samples.addSingle(elapsed, kind: session.kind(of: block.lowerBound))
        samples.addBlock(operations: 1, elapsed: elapsed, cpu: used)
        return Double(elapsed)
      }
      spent += end - start
      isWithinBudget = start - (began ?? start) < Self.untimedBudget * warmUpTarget
      began = began ?? start
      let each = Double(elapsed) / Double(block.count)
      if block.count >= longest { (cost, longest) = (each, block.count) }
      let rest = (Double(warmUpTarget - spent) / max(each, 0.1)).rounded(.up)
      size = max(1, min(size * 2, session.blockSize, Int(rest)))
    } while spent < warmUpTarget && isWithinBudget
    return cost
  }

  private func mode(_ session: any WorkloadSession, clock: Double, cost: Double?) -> Mode {
    guard schedule == nil, session.blockSize > 1, !session.measuresItself, let cost else { return .single }
    if cost < 5 * clock { return .batched }
    return cost < 50 * clock ? .alternating : .single
  }

  private func block(_ session: any WorkloadSession, from next: Int, size: Int) -> Range<Int> {
    next..<max(next, min(next + min(size, session.blockSize), session.limit ?? .max))
  }

  private func measure(
    _ session: any WorkloadSession, clock: Double, cost: Double?, next: inout Int, samples: inout Samples
  ) throws {
    var mode = self.mode(session, clock: clock, cost: cost)
    let batch = cost.map { max(2, Int((50 * clock / max($0, 0.1)).rounded(.up))) } ?? 2
    let full = min(batch, session.blockSize)
    let left = session.limit.map { $0 - next } ?? .max
    // The few operations left in a short workload may not fill a batch, or may leave none to be timed singly.
    if left < (mode == .alternating ? 2 * full : full) { mode = .single }
    samples.batch = mode == .single ? nil : full
    var isBatched = mode != .single
    let pace = schedule.map { max(cost ?? 0, 1e9 / $0) } ?? cost
    var origin = time.now()
    var ended = origin
    let first = next
    // If blocks alternate, at least one of them times single operations, since percentiles need single times.
    var lacksSingles: Bool { mode == .alternating && !samples.hasSingles }
    while !isDone(samples) || lacksSingles {
      let rest = Double(max(1, target - samples.elapsed))
      let wanted = pace.map { max(1, Int(rest / max($0, 0.1))) } ?? 1
      var size = isBatched || lacksSingles ? session.blockSize : wanted
      if isBatched, lacksSingles { size = min(size, left / 2) }
      let block = self.block(session, from: next, size: size)
      if block.isEmpty { break }
      try session.prepare(block)
      if let schedule {
        // The suite's own work between blocks moves the schedule, so that it does not delay an operation.
        origin += time.now() - ended
        ended = try timeOnSchedule(session, block, rate: schedule, origin: origin, first: first, samples: &samples)
      } else if session.measuresItself {
        try takeOwn(session, block, samples: &samples)
      } else if isBatched {
        try timeBatches(session, block, samples: &samples)
      } else {
        try timeSingly(session, block, samples: &samples)
      }
      next = block.upperBound
      try session.verify(block)
      if mode == .alternating { isBatched.toggle() }
      guard schedule == nil, !isDone(samples), !lacksSingles, samples.count >= Self.leastOperations else { continue }
      if time.now() - origin > Self.untimedBudget * target { break }
    }
  }

  private func isDone(_ samples: Samples) -> Bool {
    guard samples.elapsed >= target, samples.count > 0 else {
      // One operation slower than `onceLimit` is enough, however long the target duration.
      return samples.count > 0 && samples.elapsed / Int64(samples.count) > onceLimit
    }
    if let pace, samples.count < pace.operations { return false }
    return samples.count >= Self.leastOperations || samples.elapsed / Int64(samples.count) > Self.slowLimit
  }

  @inline(never)
  func timeSingly(_ session: any WorkloadSession, _ block: Range<Int>, samples: inout Samples) throws {
    guard session.kinds.isEmpty else { return try timeKinds(session, block, samples: &samples) }
    let cpu = time.cpu()
    let start = time.now()
    var last = start
    try session.perform(block) {
      let now = end(since: last)
      samples.addSingle(now - last)
      last = now
    }
    samples.addBlock(operations: block.count, elapsed: last - start, cpu: time.cpu() - cpu)
  }

  @inline(never)
  private func timeKinds(_ session: any WorkloadSession, _ block: Range<Int>, samples: inout Samples) throws {
    var durations: [Int64] = []
    durations.reserveCapacity(block.count)
    let cpu = time.cpu()
    let start = time.now()
    var last = start
    try session.perform(block) {
      let now = end(since: last)
      durations.append(now - last)
      last = now
    }
    samples.addBlock(operations: block.count, elapsed: last - start, cpu: time.cpu() - cpu)
    for (operation, duration) in zip(block, durations) {
      samples.addSingle(duration, kind: session.kind(of: operation))
    }
  }

  /// Returns the end time of an operation, which is the current time. In a self-test, first waits, to make the
  /// operation longer by the share ``slowdown``.
  @inline(__always)
  private func end(since start: Int64) -> Int64 {
    let now = time.now()
    return slowdown > 0 ? prolonged(now, by: now - start) : now
  }

  @inline(never)
  private func prolonged(_ now: Int64, by duration: Int64) -> Int64 {
    let due = now + Int64(slowdown * Double(duration))
    time.spin(until: due)
    return max(due, time.now())
  }

  /// Runs a block (a range of operations), and adds their durations to `samples`. The workload itself measures the
  /// durations, because its operations end in another process or thread.
  private func takeOwn(_ session: any WorkloadSession, _ block: Range<Int>, samples: inout Samples) throws {
    let cpu = time.cpu()
    try session.perform(block) {}
    let used = processorTime(session, block, since: cpu)
    let prolonged = { (duration: Int64) in Int64((1 + slowdown) * Double(duration)) }
    for operation in block { samples.addSingle(prolonged(session.ownDuration(of: operation) ?? 0)) }
    samples.addBlock(operations: block.count, elapsed: prolonged(ownElapsed(session, block)), cpu: used)
  }

  private func processorTime(_ session: any WorkloadSession, _ block: Range<Int>, since cpu: Int64) -> Int64 {
    let used = time.cpu() - cpu
    guard session.measuresItself else { return used }
    let others = block.compactMap { session.ownProcessorTime(of: $0) }
    return others.isEmpty ? used : others.reduce(0, +)
  }

  private func ownElapsed(_ session: any WorkloadSession, _ block: Range<Int>) -> Int64 {
    session.ownElapsed(of: block) ?? block.reduce(0) { $0 + (session.ownDuration(of: $1) ?? 0) }
  }

  @inline(never)
  func timeBatches(_ session: any WorkloadSession, _ block: Range<Int>, samples: inout Samples) throws {
    let size = samples.batch ?? block.count
    let cpu = time.cpu()
    let start = time.now()
    var last = start
    var first = block.lowerBound
    while first < block.upperBound {
      let end = min(first + size, block.upperBound)
      try session.perform(first..<end) {}
      let now = self.end(since: last)
      // A shorter last batch would be less exact than the others, so it counts for throughput only.
      if end - first == size { samples.addBatch(now - last) }
      last = now
      first = end
    }
    samples.addBlock(operations: block.count, elapsed: last - start, cpu: time.cpu() - cpu, isBatched: true)
  }

  /// Times a block of operations that start on a schedule. A latency includes the wait for the previous operation.
  /// Returns the end time of the last operation.
  private func timeOnSchedule(
    _ session: any WorkloadSession, _ block: Range<Int>, rate: Double, origin: Int64, first: Int,
    samples: inout Samples
  ) throws -> Int64 {
    var cpu = time.cpu()
    let start = time.now()
    var last = start
    for operation in block {
      let due = origin + Int64(Double(operation - first) / rate * 1e9)
      if due - last > Self.spinThreshold {
        // Waiting uses some processor time, which belongs to the suite and not to the operation.
        let before = time.cpu()
        time.wait(until: due - Self.spinThreshold)
        cpu += time.cpu() - before
      }
      time.spin(until: due)
      let begun = slowdown > 0 || session.measuresItself ? time.now() : due
      try session.perform(operation)
      if session.measuresItself {
        last = time.now()
        let own = Int64((1 + slowdown) * Double(session.ownDuration(of: operation) ?? 0))
        samples.addSingle(begun - due + own, kind: session.kind(of: operation))
      } else {
        last = end(since: begun)
        samples.addSingle(last - due, kind: session.kind(of: operation))
      }
    }
    samples.addBlock(operations: block.count, elapsed: last - start, cpu: processorTime(session, block, since: cpu))
    return last
  }
}
