import Histogram
import StorageContract
import StorageRunFiles
import StorageWorkloads

/// The loop of a timed trial (process): a warm-up, then timed operations until the target duration is reached.
///
/// Between blocks of operations the clock is stopped, and the records that the operations have read are checked. In an
/// open loop, operations start on a schedule. Their latency counts from the scheduled start.
package struct MeasuringLoop<Time: TimeSource> {
  // The order is fixed and tested. Before this loop, the session has been set up and its writes have settled. The
  // caller verifies the final state after the clock has stopped for good.
  // - Operations that take at least as long as 5 clock readings are timed singly. The end of one is the start of the
  //   next, so that each costs one reading.
  // - Operations below 50 clock readings are also timed in batches at least as long as 50 readings, in alternating
  //   blocks. Throughput and quartiles come from the batches. Below 5 readings there are only batches.
  // - No estimated overhead is subtracted, and no slow operation is dropped.
  // - In an open loop, an operation that waits behind a slow one is slow, too. Timing from a delayed start would leave
  //   out exactly the operations that a user would have waited for ("coordinated omission", as Gil Tene named it). The
  //   schedule pauses while blocks are prepared and checked, and does not include the warm-up.
  let time: Time
  /// The target duration of the timed part, in nanoseconds.
  let target: Int64
  /// The target duration of the plan's usual trials, in nanoseconds, if this trial is timed for longer; otherwise nil.
  /// The warm-up of a longer trial is no longer than usual.
  var usualTarget: Int64?
  /// Whether there is a warm-up. A cold store must not have one.
  let warms: Bool
  /// The operations per second of an open loop, which starts operations on a schedule; nil for a closed loop.
  let rate: Double?
  /// The workload's own schedule of operations, if it has one. This schedule takes precedence over ``rate``.
  var pace: Pace?
  /// The share by which a self-test makes every operation longer. 0.2 adds 20 %, which a comparison has to report as a
  /// regression.
  var slowdown = 0.0
  /// The time in nanoseconds beyond which an operation is timed once and never repeated in this process. The caller
  /// decides whether to repeat the whole trial.
  var onceLimit = Int64.max
  /// The time in nanoseconds beyond which the first operation of the warm-up is used as the first timed operation. The
  /// limit is for engines whose every operation reads or writes a whole file. With other engines a slow first operation
  /// may be followed by fast ones.
  var warmUpLimit = Int64.max

  /// The time in nanoseconds above which one operation per process is enough. Further processes repeat the operation.
  package static var slowLimit: Int64 { 50_000_000 }
  /// The limit for untimed work, as a multiple of the timed part: making records to write and checking the records
  /// read. Without the limit, a store that does nothing would make a trial (process) take a hundred times as long.
  static var untimedBudget: Int64 { 3 }
  /// The minimum number of timed operations in a process, if one takes less than ``slowLimit``.
  static var leastOperations: Int { 3 }
  /// The last nanoseconds before a scheduled start. In this span the loop waits busily, and the waiting counts as
  /// processor time of the operation.
  static var spinThreshold: Int64 { 5_000 }

  /// The operations per second of the schedule; nil for a closed loop, which starts an operation when the last has
  /// ended.
  private var schedule: Double? { pace?.rate ?? rate }

  private enum Mode {
    case single
    case batched
    case alternating
  }

  /// - Returns: The measured times, and the total number of operations performed.
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

  /// Warms up for a quarter of a usual trial's time, in growing blocks of operations. Returns the duration of an
  /// operation in the longest block; nil if the workload has too few operations for any block.
  private func warmUp(
    _ session: any WorkloadSession, clock: Double, next: inout Int, samples: inout Samples
  ) throws -> Double? {
    // The last block is limited to the remaining time, since further growth would take half of the target. If the
    // first operation takes longer than ``onceLimit``, it is the measurement itself: repeating it would only double a
    // long wait. A first operation beyond ``warmUpLimit`` becomes the first timed operation.
    var spent: Int64 = 0
    var began: Int64?
    var isWithinBudget = true
    var (size, longest) = (1, 0)
    var cost: Double?
    // The stream of some workloads is finite, so most of it is left for the timed part.
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
    // The rest of a short stream may not fill a batch, or may leave nothing to be timed singly.
    if left < (mode == .alternating ? 2 * full : full) { mode = .single }
    samples.batch = mode == .single ? nil : full
    var isBatched = mode != .single
    let pace = schedule.map { max(cost ?? 0, 1e9 / $0) } ?? cost
    var origin = time.now()
    var ended = origin
    let first = next
    // With alternating blocks, at least one of each is run, however long the first has taken. Percentiles need single
    // operations.
    var lacksSingles: Bool { mode == .alternating && !samples.hasSingles }
    while !isDone(samples) || lacksSingles {
      // Blocks are kept short enough not to exceed the target by much.
      let rest = Double(max(1, target - samples.elapsed))
      let wanted = pace.map { max(1, Int(rest / max($0, 0.1))) } ?? 1
      var size = isBatched || lacksSingles ? session.blockSize : wanted
      if isBatched, lacksSingles { size = min(size, left / 2) }
      let block = self.block(session, from: next, size: size)
      if block.isEmpty { break }
      try session.prepare(block)
      if let schedule {
        // Work of the suite between blocks does not delay an operation.
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
      // One operation over the limit is enough, however long the target.
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

  /// Times single operations of several kinds, such as reads and writes. The times are sorted by kind after the clock
  /// has stopped.
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

  /// Returns the end time of an operation that began at a given time. A self-test prolongs the operation first.
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

  /// Records the times that the workload itself has measured, for operations that end in another process or on other
  /// threads. A self-test increases these times afterwards, since the operations cannot be made longer in this process.
  private func takeOwn(_ session: any WorkloadSession, _ block: Range<Int>, samples: inout Samples) throws {
    let cpu = time.cpu()
    try session.perform(block) {}
    let used = processorTime(session, block, since: cpu)
    let prolonged = { (duration: Int64) in Int64((1 + slowdown) * Double(duration)) }
    for operation in block { samples.addSingle(prolonged(session.ownDuration(of: operation) ?? 0)) }
    samples.addBlock(operations: block.count, elapsed: prolonged(ownElapsed(session, block)), cpu: used)
  }

  /// Returns the processor time of a block of operations. This is the time that the workload measured for the processes
  /// that did the work, or else the time of this process since the reading `cpu`.
  private func processorTime(_ session: any WorkloadSession, _ block: Range<Int>, since cpu: Int64) -> Int64 {
    let used = time.cpu() - cpu
    guard session.measuresItself else { return used }
    let others = block.compactMap { session.ownProcessorTime(of: $0) }
    return others.isEmpty ? used : others.reduce(0, +)
  }

  /// Returns the duration of a block of operations that the workload timed itself. Operations of several threads run
  /// side by side, other operations in succession.
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

  /// Times the operations of an open loop, which start on schedule. Waiting for the previous operation counts.
  ///
  /// - Returns: The end time of the last operation.
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
        // Waiting partly uses the processor. That time belongs to the suite and not to the operation.
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
