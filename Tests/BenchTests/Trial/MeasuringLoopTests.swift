import StorageRunFiles
import StorageWorkloads
import Testing

@testable import StorageTrial

/// The nanoseconds of a millisecond. Times in these tests are in nanoseconds.
private let ms: Int64 = 1_000_000

@Suite struct MeasuringLoopTests {
  private let log = CallLog()
  private let clock = ScriptedClock()

  private func session(
    blockSize: Int = 256, limit: Int? = nil, measuresItself: Bool = false, threads: Int = 1, kinds: [String] = [],
    overhead: Int64 = 0, _ duration: @escaping (Int) -> Int64
  ) -> ScriptedSession {
    let session = ScriptedSession(clock, log, blockSize: blockSize, limit: limit, duration: duration)
    (session.measuresItself, session.threads, session.kinds) = (measuresItself, threads, kinds)
    session.overhead = overhead
    return session
  }

  private func run(
    _ session: ScriptedSession, target: Int64 = 100 * ms, warms: Bool = true, rate: Double? = nil, pace: Pace? = nil,
    reading: Int64 = 0, warmUpLimit: Int64 = .max, usualTarget: Int64? = nil, slowdown: Double = 0
  ) throws -> (timing: Timing, operations: Int) {
    let time = ScriptedTime(clock: clock, log: log, reading: reading)
    var loop = MeasuringLoop(time: time, target: target, warms: warms, rate: rate)
    loop.pace = pace
    loop.usualTarget = usualTarget
    loop.slowdown = slowdown
    loop.onceLimit = 250 * ms
    loop.warmUpLimit = warmUpLimit
    return try loop.run(session)
  }

  /// Returns the number of single operations that took longer than so many milliseconds.
  private func slower(than milliseconds: Int64, _ timing: Timing) throws -> UInt64 {
    try timing.buckets().filter { $0.value > (milliseconds * ms).magnitude }.reduce(0) { $0 + $1.count }
  }

  @Test func callsComeInTheirOrder() throws {
    // Warm-up: 10 ms, then 20 ms, which reaches a quarter of the target. Then ten operations are timed one by one: the
    // end of one is the start of the next. Nothing else reads the clock, and the session is not set up or finished here.
    let (timing, operations) = try run(session { _ in 10 * ms })
    var expected: [CallLog.Call] = [
      .prepare(0..<1), .cpu, .now, .perform(0), .now, .cpu, .verify(0..<1),
      .prepare(1..<3), .cpu, .now, .perform(1), .perform(2), .now, .cpu, .verify(1..<3),
      .now, .prepare(3..<13), .cpu, .now,
    ]
    for operation in 3..<13 { expected += [.perform(operation), .now] }
    expected += [.cpu, .verify(3..<13)]
    #expect(log.afterClockCost == expected)
    #expect(operations == 13)
    #expect(timing.operations == 10)
    #expect(timing.elapsed == 100 * ms)
    #expect(timing.cpu == 50 * ms)
    #expect(timing.min == 10 * ms)
    #expect(timing.max == 10 * ms)
    #expect(timing.batch == nil)
  }

  @Test(arguments: [0.2, 1.5]) func aDrillMakesEveryOperationLonger(slowdown: Double) throws {
    // Single operations, batches, and an operation so long that it is timed once.
    for (duration, reading) in [(10 * ms, Int64(0)), (100, 40), (300 * ms, 0)] {
      let timings = try [0, slowdown].map { slowdown in
        try run(session { _ in duration }, target: 20 * ms, reading: reading, slowdown: slowdown).timing
      }
      let ratio = timings[1].p25 / timings[0].p25
      #expect(abs(ratio - 1 - slowdown) < 0.02 * (1 + slowdown), "\(duration) ns: \(ratio)")
      #expect(timings[0].batch == timings[1].batch)
      let each = { (timing: Timing) in Double(timing.elapsed) / Double(timing.operations) }
      #expect(abs(each(timings[1]) / each(timings[0]) - 1 - slowdown) < 0.02 * (1 + slowdown))
    }
  }

  @Test func preparingAndVerifyingAreNotTimed() throws {
    let (timing, _) = try run(session(overhead: 1_000 * ms) { _ in 10 * ms })
    #expect(timing.elapsed == 100 * ms)
    #expect(timing.cpu == 50 * ms)
    #expect(timing.operations == 10)
  }

  @Test(arguments: [40 * ms, 400 * ms, 4_000 * ms]) func warmUpTakesAQuarterOfTheTarget(target: Int64) throws {
    let (timing, operations) = try run(session { _ in 1 * ms }, target: target)
    // Blocks of 1, 2, 4, ... operations up to the block size of the session, and one that completes the quarter.
    #expect(Int64(operations - timing.operations) * ms == target / 4)
    #expect(Int64(timing.operations) * ms == target)
    // A trial that is timed for longer than usual warms up as usual.
    let longer = try run(session { _ in 1 * ms }, target: 2 * target, usualTarget: target)
    #expect(Int64(longer.operations - longer.timing.operations) * ms == target / 4)
  }

  @Test func aColdStoreIsNotWarmed() throws {
    let (timing, operations) = try run(session { _ in 10 * ms }, warms: false)
    #expect(timing.operations == operations)
    // Without a warm-up the cost of an operation is unknown, so blocks hold one operation.
    #expect(
      log.sessionCalls.prefix(6) == [
        .prepare(0..<1), .perform(0), .verify(0..<1), .prepare(1..<2), .perform(1), .verify(1..<2),
      ])
    #expect(timing.elapsed == 100 * ms)
  }

  /// At least three operations are timed, or a slow one. With a limit, the first operation rewrites the whole file like
  /// every other one, so it is measured if it takes long.
  @Test(arguments: [
    (20, 50, nil, 4, 3), (49, 50, nil, 4, 3), (50, 50, nil, 4, 3), (51, 50, nil, 2, 1), (60, 50, nil, 2, 1),
    (249, 50, nil, 2, 1), (250, 50, nil, 2, 1), (49, 50, 50, 4, 3), (50, 50, 50, 4, 3), (51, 50, 50, 1, 1),
    (60, 100, 50, 2, 2), (249, 100, 50, 1, 1),
  ])
  func slowOperationsAreFew(milliseconds: Int64, target: Int64, limit: Int64?, all: Int, timed: Int) throws {
    let (timing, operations) = try run(
      session { _ in milliseconds * ms }, target: target * ms, warmUpLimit: limit.map { $0 * ms } ?? .max)
    #expect(operations == all)
    #expect(timing.operations == timed)
    #expect(timing.elapsed == Int64(timed) * milliseconds * ms)
  }

  @Test func whatIsOnScheduleIsWarmedUpHoweverSlow() throws {
    let (timing, operations) = try run(session { _ in 60 * ms }, target: 100 * ms, rate: 10, warmUpLimit: 50 * ms)
    #expect(operations == timing.operations + 1)
  }

  /// The second case has a cold store and a long target.
  @Test(arguments: [(100, true), (10_000, false)])
  func anOperationOverTheLimitIsTimedOnce(target: Int64, warms: Bool) throws {
    let (timing, operations) = try run(session { _ in 251 * ms }, target: target * ms, warms: warms)
    #expect(operations == 1)
    #expect(timing.operations == 1)
    #expect(timing.elapsed == 251 * ms)
    #expect(timing.min == 251 * ms)
    #expect(timing.cpu == 251 * ms / 2)
    #expect(log.sessionCalls == [.prepare(0..<1), .perform(0), .verify(0..<1)])
  }

  @Test func aSlowFirstOperationOnlyIsNotTheMeasurement() throws {
    // The first operation is slow but below the limit, like the first save of a store. Only the others count.
    let (timing, _) = try run(session { $0 == 0 ? 200 * ms : 1 * ms })
    #expect(timing.max == 1 * ms)
    #expect(timing.operations == 100)
  }

  @Test(arguments: [0, 3, 20])
  func whatIsReadWrongIsThrown(operation: Int) throws {
    let session = session { _ in 10 * ms }
    session.wrong = operation
    let error = #expect(throws: VerificationError.self) { try run(session, target: 300 * ms) }
    #expect(error?.key == Int64(operation))
  }

  @Test func sessionsMayMeasureThemselves() throws {
    let (timing, operations) = try run(session(blockSize: 1, measuresItself: true) { _ in 40 * ms }, target: 20 * ms)
    #expect(timing.min == 4 * ms)
    #expect(timing.max == 4 * ms)
    #expect(timing.operations == 3)
    #expect(timing.elapsed == 12 * ms)
    #expect(operations == 4)
  }

  /// The processor time is half of each operation's duration in this process, and a given value in another process.
  @Test(arguments: [nil, 10.0])
  func whatAnotherProcessTakesIsItsOwn(rate: Double?) throws {
    let session = session(blockSize: 1, measuresItself: true) { _ in 40 * ms }
    let own = try run(session, target: 20 * ms, rate: rate).timing
    #expect(own.cpu >= Int64(own.operations) * 20 * ms)
    session.elsewhere = 3 * ms
    let elsewhere = try run(session, target: 20 * ms, rate: rate).timing
    #expect(elsewhere.operations == own.operations)
    #expect(elsewhere.cpu == Int64(elsewhere.operations) * 3 * ms)
  }

  @Test func threadsDoABlockAtOnce() throws {
    // Four threads. Each operation takes 4 ms by the session's clock: 1,000 per second, each with a latency of 4 ms.
    let (timing, _) = try run(session(measuresItself: true, threads: 4) { _ in 40 * ms }, target: 20 * ms)
    #expect(timing.min == 4 * ms)
    #expect(timing.max == 4 * ms)
    #expect(timing.p25 > Double(3 * ms))
    #expect(timing.elapsed == Int64(timing.operations) * ms)
    #expect(timing.operations == 20)
    // Blocks are passed whole, so that all threads have work.
    #expect(log.sessionCalls.contains { if case .prepare(let block) = $0 { block.count >= 8 } else { false } })
  }

  @Test func whatIsQuickOnThreadsIsNotBatched() throws {
    let (timing, _) = try run(session(measuresItself: true, threads: 4) { _ in 1_000 }, target: 1 * ms, reading: 40)
    #expect(timing.batch == nil)
    #expect(timing.min == 100)
    #expect(timing.operations > 0)
  }

  @Test(arguments: [1, 2, 3, 10, 50, 255])
  func theEndOfTheStreamIsRespected(limit: Int) throws {
    let (timing, operations) = try run(session(limit: limit) { _ in 1_000 })
    #expect(operations <= limit)
    #expect(timing.operations > 0)
    // At least three quarters of a short stream are measured and not used for the warm-up.
    #expect(timing.operations * 4 >= limit * 3)
    #expect(timing.min == 1_000)
    #expect(timing.p50 >= 1_000)
  }

  @Test func anOpenLoopStartsOnSchedule() throws {
    // One operation every 10 ms. One takes 25 ms, and the wait of those behind it is part of their latency.
    let slow = 5
    let session = session { $0 == slow ? 25 * ms : 4 * ms }
    let (timing, operations) = try run(session, target: 100 * ms, warms: false, rate: 100)
    #expect(operations >= 10)
    var waits: [Int64] = []
    for case .wait(let time) in log.calls { waits.append(time) }
    // The operations behind the slow one start late, without a wait.
    #expect(waits.count == operations - 4)
    #expect(zip(waits, waits.dropFirst()).allSatisfy { ($1 - $0) % (10 * ms) == 0 })
    // 25 ms for the slow one, then 19, 13 and 7 ms for the three that started late, 4 ms for the others.
    #expect(timing.max == 25 * ms)
    #expect(timing.min == 4 * ms)
    #expect(try timing.latencies() == [4, 7, 13, 19, 25])
    #expect(try timing.buckets().map(\.count) == [UInt64(operations - 4), 1, 1, 1, 1])
  }

  @Test(arguments: [1.0, 10, 100])
  func anOpenLoopKeepsToTheTarget(rate: Double) throws {
    // The operations of two seconds at this rate, although more would fit without a schedule.
    let (timing, _) = try run(session { _ in 1_000 }, target: 2_000 * ms, rate: rate)
    #expect(Double(timing.operations) <= max(5, 2 * rate + 1))
    #expect(timing.elapsed <= max(2_000 * ms, Int64(5 / rate * 1e9)) + 1 * ms)
  }

  /// Coordinated omission: a loop that waits for a slow operation leaves out those that were due meanwhile.
  @Test func aStallIsOneSlowOperationInAClosedLoopAndManyInAnOpenOne() throws {
    let stall = 100
    let duration = { (operation: Int) in operation == stall ? 500 * ms : 1 * ms }
    let closed = try run(session(duration), target: 2_000 * ms, warms: false).timing
    #expect(try slower(than: 16, closed) == 1)
    #expect(closed.rate == nil)
    log.calls = []
    let open = try run(session(duration), target: 2_000 * ms, warms: false, rate: 100).timing
    // Fifty were due in the half second of the stall. Each takes 1 ms, and one is due every 10 ms.
    #expect(open.rate == 100)
    #expect(try slower(than: 2, open) == 56)
    #expect(try slower(than: 17, open) == 54)
    #expect(open.max == 500 * ms)
    #expect(open.min == 1 * ms)
    // The loop has caught up with the schedule: it has run as many operations as were due.
    #expect(abs(Double(open.operations) / Double(open.elapsed) * 1e9 - 100) < 1)
  }

  @Test(arguments: [1, 3, 256])
  func theScheduleStandsStillWhileBlocksAreChecked(blockSize: Int) throws {
    let quiet = session(blockSize: blockSize, overhead: 30 * ms) { _ in 4 * ms }
    let timing = try run(quiet, warms: false, rate: 100).timing
    #expect(timing.max == 4 * ms)
    #expect(timing.min == 4 * ms)
    // Verification between blocks does not shorten the queue.
    let busy = session(blockSize: blockSize, overhead: 30 * ms) { $0 == 2 ? 25 * ms : 4 * ms }
    #expect(try run(busy, warms: false, rate: 100).timing.latencies() == [4, 7, 13, 19, 25])
  }

  @Test func waitingIsNotTheOperationsProcessorTime() throws {
    let timing = try run(session { _ in 4 * ms }, warms: false, rate: 100).timing
    #expect(timing.cpu == Int64(timing.operations) * 2 * ms)
  }

  @Test func theWarmUpIsNotOnSchedule() throws {
    // A quarter of the target is 25 operations of 1 ms. The schedule would have had time for two or three.
    let (timing, operations) = try run(session { _ in 1 * ms }, rate: 100)
    #expect(operations - timing.operations == 25)
    #expect(timing.max == 1 * ms)
  }

  @Test func aLoopThatCannotKeepUpSaysHowFastItWas() throws {
    let timing = try run(session { _ in 20 * ms }, target: 1_000 * ms, warms: false, rate: 100).timing
    #expect(abs(Double(timing.operations) / Double(timing.elapsed) * 1e9 - 50) < 0.1)
    // Each operation waits 10 ms longer than the one before.
    #expect(timing.max == 20 * ms + Int64(timing.operations - 1) * 10 * ms)
  }

  @Test func aPacedWorkloadHasItsOwnSchedule() throws {
    // The pace sets the length, half a second, and the rate, 60 per second.
    let timing = try run(session { _ in 10 * ms }, target: 1 * ms, rate: 7, pace: .frames).timing
    #expect(timing.operations == 30)
    #expect(timing.rate == 60)
    #expect(timing.overFrame == 0)
    #expect(timing.overHalfFrame == 30)
    #expect(timing.max == 10 * ms)
    // One operation of 40 ms delays those behind it: 33.3, 26.7, 20, 13.3 and 10 ms.
    let late = try run(session { $0 == 20 ? 40 * ms : 10 * ms }, target: 1 * ms, pace: .frames).timing
    #expect(late.overFrame == 4)
    #expect(late.overHalfFrame == 30)
    let fast = try run(session { $0 == 20 ? 9 * ms : 2 * ms }, target: 1 * ms, pace: .frames).timing
    #expect(fast.overFrame == 0)
    #expect(fast.overHalfFrame == 1)
    // Missed frames are counted only for paced workloads.
    #expect(try run(session { _ in 10 * ms }, rate: 100).timing.overFrame == nil)
  }

  @Test func kindsHaveLatenciesOfTheirOwn() throws {
    let timing = try run(session(kinds: ["read", "write", "never"]) { $0 % 3 == 1 ? 8 * ms : 1 * ms }).timing
    let kinds = try #require(timing.kinds)
    #expect(kinds.map(\.kind) == ["read", "write", "never"])
    #expect(kinds.reduce(0) { $0 + $1.operations } == timing.operations)
    #expect(kinds.map { ($0.max + ms / 2) / ms } == [1, 8, 1])
    for (kind, duration) in zip(kinds, [1, 8, 1]) {
      let buckets = try #require(HistogramText(text: kind.histogram)).buckets
      #expect(buckets.map { ($0.value + ms.magnitude / 2) / ms.magnitude } == [UInt64(duration)])
      #expect(buckets.map(\.count) == [UInt64(kind.operations)])
    }
    // A median over all kinds would mean nothing, so it is the mean.
    #expect(timing.histogram == nil)
    let mean = Double(timing.elapsed) / Double(timing.operations)
    #expect(timing.p50 == mean)
    #expect(timing.p25 == mean)
    #expect(try run(session { _ in 1 * ms }).timing.kinds == nil)
  }

  @Test func kindsOnAScheduleCountFromWhenTheyWereDue() throws {
    let session = session(kinds: ["first", "second"]) { $0 == 0 ? 25 * ms : 1 * ms }
    let timing = try run(session, warms: false, rate: 100).timing
    #expect(timing.kinds?.map(\.max) == [25 * ms, 16 * ms])
    #expect(timing.singlesElapsed == nil)
    #expect(timing.histogram != nil)
  }

  @Test func kindsOfShortOperationsComeFromThoseTimedSingly() throws {
    let session = session(blockSize: 64, kinds: ["even", "odd"]) { $0 % 2 == 0 ? 500 : 700 }
    let timing = try run(session, target: 10 * ms, reading: 40).timing
    #expect(timing.batch != nil)
    #expect(timing.kinds?.map(\.kind) == ["even", "odd"])
    #expect(timing.kinds?.allSatisfy { $0.operations > 100 } == true)
    // Single operations and batches reach the target together.
    let singles = try #require(timing.singlesElapsed)
    #expect(singles > 2 * ms && timing.elapsed > 2 * ms && singles + timing.elapsed >= 10 * ms)
    #expect(timing.p50 == Double(timing.elapsed) / Double(timing.operations))
  }

  @Test func whatMeasuresItselfIsLateAllTheSame() throws {
    // Each operation takes 40 ms on this clock and reports 4 ms. One is due every 10 ms.
    let session = session(blockSize: 1, measuresItself: true) { _ in 40 * ms }
    let timing = try run(session, target: 200 * ms, warms: false, rate: 100).timing
    #expect(timing.min == 4 * ms)
    #expect(timing.max == 4 * ms + Int64(timing.operations - 1) * 30 * ms)
  }
}
