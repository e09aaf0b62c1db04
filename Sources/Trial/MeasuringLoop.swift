import CStorageInstrument
import Histogram
import StorageRunFiles
import StorageWorkloads

/// The loop that times a trial's operations, after a warm-up, until the sum of their times reaches ``target``. Very
/// slow operations count, too.
package struct MeasuringLoop<Time: TimeSource> {
  let time: Time
  /// The target for the sum of the durations of all timed operations, in nanoseconds.
  let target: Int64
  /// The target duration, in nanoseconds, of a trial that is not lengthened. Nil means ``target``. The warm-up takes a
  /// quarter of the smaller of the two targets.
  var usualTarget: Int64?
  /// Whether a warm-up runs. False for operations known to be slow, and for a store that must stay out of the page
  /// cache.
  let warms: Bool
  /// The number of operations per second on a schedule. Nil if each operation starts at the end of the previous one.
  let rate: Double?
  /// The schedule that the workload requires instead of ``rate``. Nil if the workload requires no schedule.
  var pace: Pace?
  /// The share by which a self-test of the suite slows operations down, such as 0.2 for 20 %.
  var slowdown = 0.0
  /// The maximum mean duration of operations, in nanoseconds. If operations take longer on average, the loop ends
  /// before ``target``, even after one operation.
  var onceLimit = Int64.max
  /// The maximum duration of the first warm-up operation, in nanoseconds. A longer first operation ends the warm-up and
  /// counts as a measurement.
  var warmUpLimit = Int64.max

  /// The mean duration of operations, in nanoseconds, above which fewer than three timed operations are enough.
  package static var slowLimit: Int64 { 50_000_000 }
  /// The maximum total time of a measurement, including untimed work, as a multiple of ``target``.
  static var untimedBudget: Int64 { 3 }
  static var leastOperations: Int { 3 }
  /// The time before a scheduled start, in nanoseconds, at which the loop polls the clock instead of sleeping.
  static var spinThreshold: Int64 { 5_000 }

  private var schedule: Double? { pace?.rate ?? rate }

  private enum Mode {
    case single
    case batched
    case alternating
  }

  /// Runs the warm-up, then the timed operations. Returns the times of the timed operations, and the number of all
  /// operations that ran.
  func run(_ session: any WorkloadSession) throws -> (timing: Timing, operations: Int) {
    let clock = time.clockCost()
    var samples = Samples(kinds: session.kinds, watchesFrames: pace != nil)
    var next = 0
    let cost = warms ? try warmUp(session, clock: clock, next: &next, samples: &samples) : nil
    if samples.count == 0 || schedule == nil && !isDone(samples) {
      try measure(session, clock: clock, cost: cost, next: &next, samples: &samples)
    }
    var timing = samples.timing(clock: clock, isScheduled: schedule != nil)
    timing.rate = schedule
    return (timing, next)
  }

  private var warmUpTarget: Int64 { min(target, usualTarget ?? target) / 4 }

  /// Runs the warm-up in blocks of 1, 2, 4 and more operations. Returns the time per operation in the largest block, in
  /// nanoseconds, or nil if no block ran.
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
      // Operations slower than `onceLimit` on average end the loop before the target duration is reached.
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

  /// Returns the current time as the end time of an operation. In a self-test, first waits for ``slowdown`` times the
  /// operation's duration.
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

  /// Runs a block of operations whose durations the workload itself measures, because they end in another process or
  /// thread.
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
      // A shorter last batch would be less exact, so it counts for throughput only.
      if end - first == size { samples.addBatch(now - last) }
      last = now
      first = end
    }
    samples.addBlock(operations: block.count, elapsed: last - start, cpu: time.cpu() - cpu, isBatched: true)
  }

  /// Times operations on a schedule, and returns the last end time. A latency counts from the planned start, to avoid
  /// coordinated omission (Gil Tene).
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

/// The source of times for a benchmark: the machine's clocks, or simulated clocks in tests of the suite.
package protocol TimeSource {
  /// Returns the current time of a monotonic clock, in nanoseconds.
  func now() -> Int64
  /// Returns the processor time that this process has used so far, in nanoseconds.
  func cpu() -> Int64
  func wait(until time: Int64)
  func spin(until time: Int64)
}

/// The machine's clocks: CLOCK_MONOTONIC for times, and CLOCK_PROCESS_CPUTIME_ID for processor time.
package struct SystemTime: TimeSource {
  @inline(__always) package func now() -> Int64 { ci_now() }
  package func cpu() -> Int64 { ci_cpu_time() }

  package func wait(until time: Int64) {
    // Sleeping may end too late, so the last half millisecond is a busy loop.
    let ahead = time - ci_now()
    if ahead > 1_000_000 { ci_sleep(ahead - 500_000) }
    spin(until: time)
  }

  package func spin(until time: Int64) { while ci_now() < time {} }

  /// The duration of one clock reading, in nanoseconds. Each access measures the duration again, in this module,
  /// because unoptimized code in the caller's module would distort the result.
  package static var readingCost: Double { SystemTime().clockCost() }
}

extension TimeSource {
  /// Returns the duration of one clock reading, in nanoseconds, as the smallest of several averages.
  func clockCost() -> Double {
    let readings = 1_000
    let averages = (0..<9).map { _ in
      let start = now()
      for _ in 0..<readings { _ = now() }
      return Double(now() - start) / Double(readings + 1)
    }
    return max(1, averages.min() ?? 1)
  }
}
