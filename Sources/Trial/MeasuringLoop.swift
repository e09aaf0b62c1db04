import Histogram
import StorageContract
import StorageRunFiles
import StorageWorkloads

/// The timed pass: warm-up, then operations under the clock until the target is reached.
///
/// The order is fixed and tested: the session has been set up and its writes have settled; here come the warm-up, the
/// timed part and, between blocks with the clock stopped, the checks of what was read. The final state is
/// verified by the caller, after the clock has stopped for good.
///
/// - Operations that cost at least 5 readings of the clock are timed singly, the end of one being the start of the
///   next, so that each costs one reading.
/// - Those that cost less than 50 are also timed in batches of at least 50 readings' length, in blocks that take
///   turns; throughput and quartiles come from these. Below 5 readings there are only batches.
/// - No estimated overhead is subtracted, and no slow operation is dropped.
/// - In an open loop operations start on a schedule. The latency of one counts from when it was due, so that one that
///   has to wait behind a slow one is slow, too: starting it later and timing it from there would leave out just the
///   operations that a user would have waited for ("coordinated omission", as Gil Tene named it). The schedule stands
///   still while blocks are prepared and checked, and the warm-up is not on it.
package struct MeasuringLoop<Time: TimeSource> {
  /// The clocks.
  let time: Time
  /// Nanoseconds that the timed part aims at.
  let target: Int64
  /// Whether there is a warm-up; a cold store must not have one.
  let warms: Bool
  /// Operations per second of an open loop, or nil for a closed one.
  let rate: Double?
  /// The schedule of a workload that has one of its own, which comes before ``rate``.
  var pace: Pace?
  /// How much longer every operation is made, as a share of its own time: 0.2 makes it take 20 % more. For drills, in
  /// which a gate has to go red.
  var slowdown = 0.0
  /// An operation that takes longer than this, in nanoseconds, is timed once and never repeated in this process.
  /// Whether the whole trial is repeated is not decided here.
  var onceLimit = Int64.max
  /// A first operation that takes longer than this, in nanoseconds, counts: nothing is done beforehand. For engines whose
  /// operations take long because they read or write a whole file, the first as every other; elsewhere a slow first
  /// operation may be followed by fast ones.
  var warmUpLimit = Int64.max

  /// Above this, in nanoseconds, one operation is enough: processes are the replicates.
  package static var slowLimit: Int64 { 50_000_000 }
  /// How many times the timed part's share may be spent on what is not timed: records to be written are made, and what
  /// was read is checked. A store that does nothing would make a trial take a hundred times as long.
  static var untimedBudget: Int64 { 3 }
  /// Fewer operations than this are not enough below ``slowLimit``.
  static var leastOperations: Int { 5 }
  /// Nanoseconds before an operation is due from which on waiting for it counts as its processor time.
  static var spinThreshold: Int64 { 5_000 }

  /// Operations per second of the schedule, or nil for a closed loop.
  private var schedule: Double? { pace?.rate ?? rate }

  private enum Mode {
    case single
    case batched
    case alternating
  }

  /// Runs the warm-up and the timed part.
  ///
  /// - Returns: The figures, and how many operations of the stream were done in all.
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

  /// Runs a quarter of the target's time, in growing blocks, and returns the cost of an operation in the longest,
  /// or nil if the stream is too short for any. The last block is no longer than what is left of that time: growing
  /// on, it would take half of the target.
  ///
  /// A first operation beyond ``onceLimit`` is the measurement: doing it again would double a long wait for nothing. One
  /// beyond ``warmUpLimit`` is its first operation.
  private func warmUp(
    _ session: any WorkloadSession, clock: Double, next: inout Int, samples: inout Samples
  ) throws -> Double? {
    var spent: Int64 = 0
    var began: Int64?
    var isWithinBudget = true
    var (size, longest) = (1, 0)
    var cost: Double?
    // The stream of some workloads ends: most of it is left to the timed part.
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
      if block.lowerBound == 0, elapsed > (schedule == nil ? min(onceLimit, warmUpLimit) : onceLimit) {
        let elapsed = Int64((1 + slowdown) * Double(elapsed))
        samples.addSingle(elapsed, kind: session.kind(of: block.lowerBound))
        samples.addBlock(operations: 1, elapsed: elapsed, cpu: used)
        return Double(elapsed)
      }
      spent += end - start
      isWithinBudget = start - (began ?? start) < Self.untimedBudget * target / 4
      began = began ?? start
      let each = Double(elapsed) / Double(block.count)
      if block.count >= longest { (cost, longest) = (each, block.count) }
      let rest = (Double(target / 4 - spent) / max(each, 0.1)).rounded(.up)
      size = max(1, min(size * 2, session.blockSize, Int(rest)))
    } while spent < target / 4 && isWithinBudget
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
    // What is left of a short stream may not fill a single batch, or not leave anything to be timed singly.
    if left < (mode == .alternating ? 2 * full : full) { mode = .single }
    samples.batch = mode == .single ? nil : full
    var isBatched = mode != .single
    let pace = schedule.map { max(cost ?? 0, 1e9 / $0) } ?? cost
    var origin = time.now()
    var ended = origin
    let first = next
    // Where blocks take turns, one of each is the least, however long the first has taken: without single operations
    // there are no percentiles.
    var lacksSingles: Bool { mode == .alternating && !samples.hasSingles }
    while !isDone(samples) || lacksSingles {
      // Blocks are kept short enough that the target is not overrun by much.
      let rest = Double(max(1, target - samples.elapsed))
      let wanted = pace.map { max(1, Int(rest / max($0, 0.1))) } ?? 1
      var size = isBatched || lacksSingles ? session.blockSize : wanted
      if isBatched, lacksSingles { size = min(size, left / 2) }
      let block = self.block(session, from: next, size: size)
      if block.isEmpty { break }
      try session.prepare(block)
      if let schedule {
        // What the suite does between blocks is not what an operation would have waited for.
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
      // One operation over the limit is all there will be, however long the target.
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

  /// The same where operations are of several kinds: which one was of which is sorted out when the clock has stopped.
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

  /// The time when something ends that began at a time: now or, in a drill, when it has been made longer.
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

  /// Operations that end in another process or on other threads are timed by the session. What it tells is made longer
  /// in a drill, since nothing here could be.
  private func takeOwn(_ session: any WorkloadSession, _ block: Range<Int>, samples: inout Samples) throws {
    let cpu = time.cpu()
    try session.perform(block) {}
    let used = processorTime(session, block, since: cpu)
    let prolonged = { (duration: Int64) in Int64((1 + slowdown) * Double(duration)) }
    for operation in block { samples.addSingle(prolonged(session.ownDuration(of: operation) ?? 0)) }
    samples.addBlock(operations: block.count, elapsed: prolonged(ownElapsed(session, block)), cpu: used)
  }

  /// The processor time of a block: what this process took since a reading, or what others took for whom it only waited.
  private func processorTime(_ session: any WorkloadSession, _ block: Range<Int>, since cpu: Int64) -> Int64 {
    let used = time.cpu() - cpu
    guard session.measuresItself else { return used }
    let others = block.compactMap { session.ownProcessorTime(of: $0) }
    return others.isEmpty ? used : others.reduce(0, +)
  }

  /// How long a block took that the session timed itself: operations of several threads lie side by side, others end
  /// to end.
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
      // A last, shorter batch would be less exact than the others: it counts for throughput only.
      if end - first == size { samples.addBatch(now - last) }
      last = now
      first = end
    }
    samples.addBlock(operations: block.count, elapsed: last - start, cpu: time.cpu() - cpu, isBatched: true)
  }

  /// An open loop: operations start on schedule, and waiting for the one before counts.
  ///
  /// - Returns: When the last one ended.
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
        // Waiting keeps the processor busy in part: that is the suite's time and not the operation's.
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
